// Any bytes as a class file: nothing is read or written outside, and what is rewritten does what it did.
// The first byte chooses the plan, the rest is the class.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "jvmti/rewriting/class_rewriter.h"
#include "jvmti/rewriting/rewriting_for_test.h"
#include "jvmti/rewriting/same_code_for_test.h"

using namespace holdfast::jvmti;

namespace {

constexpr std::size_t kMostBytes = 65536;

RewritePlan plan_of(unsigned choice) {
  RewritePlan plan;
  plan.has_account = (choice & 1u) != 0;
  plan.count_arrays = (choice & 2u) == 0;
  plan.count_clones = (choice & 4u) == 0;
  plan.account = (choice & 8u) != 0 ? 1'000'000 : 1;
  return plan;
}

// Calls of its own to what we call: the oracle would take them for ours.
bool names_ours(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.find("hf$") != std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0 || size > kMostBytes) return 0;
  static std::vector<std::byte> memory(kScratchBytes);
  // Exactly as large as they are said to be, so that a byte beside them is noticed.
  const std::size_t room = (size - 1) * kRoomFactor + kRoomBytes;
  const std::unique_ptr<std::byte[]> in(new std::byte[size - 1]), out(new std::byte[room]);
  std::memcpy(in.get(), data + 1, size - 1);
  const std::span<const std::byte> bytes(in.get(), size - 1);
  Scratch scratch(memory);
  const RewriteResult result = rewrite_class(bytes, plan_of(data[0]), scratch, {out.get(), room});
  if (result.outcome != RewriteOutcome::kRewritten || names_ours(bytes)) return 0;
  const std::string wrong = difference(bytes, {out.get(), result.bytes});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
