// Fuzz target of the IBM text importer: any bytes; whatever is read must be a consistent graph whose roots reach everything.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/import/ibm_text.h"
#include "analysis/import/import_failure.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr std::uint64_t kMemoryLimit = std::uint64_t{64} << 20;

// Objects without a class repeat the address of another; nobody can refer to them.
bool roots_reach_all(const Snapshot& s) {
  std::vector<bool> reached(s.object_count(), false);
  std::vector<std::uint32_t> stack;
  for (const RootRecord& root : s.roots) stack.push_back(root.object.value);
  while (!stack.empty()) {
    const std::uint32_t v = stack.back();
    stack.pop_back();
    if (reached[v]) continue;
    reached[v] = true;
    for (std::uint32_t i = s.first_ref[v]; i < s.first_ref[v + 1]; ++i)
      stack.push_back(s.target[i].value);
  }
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (reached[v] != s.class_of[v].valid()) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  static_cast<void>(looks_like_ibm_text(bytes));
  ImportOptions options;
  options.memory_limit_bytes = kMemoryLimit;
  try {
    const auto heap = import_ibm_text(bytes, options);
    if (!verify(heap->snapshot) || !roots_reach_all(heap->snapshot)) __builtin_trap();
  } catch (const ImportFailure&) {
  }
  return 0;
}
