// rewrite_classes IN OUT [account=N|account=none]: rewrites every *.class below the directory IN into the same place below OUT, each in the account
// (default: 1,000,000, which needs a constant of its own), and says what became of them. Exit code 0 when all could be read and
// written, 2 for wrong usage or files that cannot be read or written.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jvmti/rewriting/class_rewriter.h"

using namespace holdfast::jvmti;
namespace fs = std::filesystem;

namespace {

constexpr std::int32_t kAccount = 1'000'000;

struct Totals {
  std::size_t classes = 0, rewritten = 0, class_bytes = 0, new_bytes = 0, scratch_peak = 0;
  std::size_t methods = 0, methods_rewritten = 0, bracketed = 0, sites = 0;
  std::size_t code_before = 0, code_after = 0;
  std::size_t classes_alone[kLeftAloneReasons] = {};
  std::size_t methods_alone[kLeftAloneReasons] = {};
  std::chrono::nanoseconds time{0};
};

// Of this thread: whatever else the machine does is not counted.
std::chrono::nanoseconds cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

std::vector<std::byte> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

bool write_file(const fs::path& path, std::span<const std::byte> bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  return out.good();
}

void add(Totals& totals, const RewriteResult& result, std::size_t class_bytes,
         std::string_view name) {
  const bool rewritten = result.outcome == RewriteOutcome::kRewritten;
  ++totals.classes;
  totals.rewritten += rewritten ? 1 : 0;
  totals.class_bytes += class_bytes;
  totals.new_bytes += rewritten ? result.bytes : class_bytes;
  totals.scratch_peak = std::max(totals.scratch_peak, result.scratch_peak_bytes);
  totals.methods += result.methods;
  totals.methods_rewritten += result.methods_rewritten;
  totals.bracketed += result.methods_bracketed;
  totals.sites += result.sites;
  totals.code_before += result.code_bytes_before;
  totals.code_after += result.code_bytes_after;
  ++totals.classes_alone[static_cast<std::size_t>(result.reason)];
  const auto alone = [&](const char* what, std::size_t i) {
    std::printf("left alone: %s of %s: %s\n", what, std::string(name).c_str(),
                kLeftAloneNames[i].data());
  };
  if (result.reason != LeftAlone::kNo) alone("all", static_cast<std::size_t>(result.reason));
  for (std::size_t i = 1; i < kLeftAloneReasons; ++i) {
    totals.methods_alone[i] += result.methods_left_alone[i];
    if (result.methods_left_alone[i] > 0) alone("a method", i);
  }
}

void print(const Totals& totals) {
  const auto per_class = [&](std::size_t n) {
    return n / std::max<std::size_t>(totals.classes, 1);
  };
  const auto growth = [](std::size_t before, std::size_t after) {
    return before == 0 ? 0.0
                       : 100.0 * (static_cast<double>(after) / static_cast<double>(before) - 1);
  };
  std::printf("%zu classes, %zu rewritten; %zu methods, %zu rewritten, %zu bracketed, %zu sites\n",
              totals.classes, totals.rewritten, totals.methods, totals.methods_rewritten,
              totals.bracketed, totals.sites);
  for (std::size_t i = 1; i < kLeftAloneReasons; ++i) {
    const std::size_t count = totals.classes_alone[i] + totals.methods_alone[i];
    if (count > 0)
      std::printf("%zu %s left alone: %s\n", count,
                  concerns_class(static_cast<LeftAlone>(i)) ? "classes" : "methods",
                  kLeftAloneNames[i].data());
  }
  std::printf("%zu ns of CPU and %zu bytes a class; scratch at most %zu bytes\n",
              per_class(static_cast<std::size_t>(totals.time.count())),
              per_class(totals.class_bytes), totals.scratch_peak);
  std::printf("code grew by %.1f %%, classes by %.1f %%\n",
              growth(totals.code_before, totals.code_after),
              growth(totals.class_bytes, totals.new_bytes));
}

bool rewrite_file(const fs::path& from, const fs::path& to, const RewritePlan& plan,
                  std::vector<std::byte>& memory, std::vector<std::byte>& room, Totals& totals) {
  const std::vector<std::byte> bytes = read_file(from);
  const std::size_t wanted = bytes.size() * kRoomFactor + kRoomBytes;
  if (room.size() < wanted) room.resize(wanted);
  Scratch scratch(memory);
  const std::chrono::nanoseconds begun = cpu_time();
  const RewriteResult result = rewrite_class(bytes, plan, scratch, std::span(room).first(wanted));
  totals.time += cpu_time() - begun;
  add(totals, result, bytes.size(), from.string());
  return result.outcome == RewriteOutcome::kRewritten
             ? write_file(to, std::span(room).first(result.bytes))
             : write_file(to, bytes);
}

int usage() {
  std::fputs("usage: rewrite_classes IN OUT [account=N|account=none]\n", stderr);
  return 2;
}

std::optional<RewritePlan> plan_of(int argc, char** argv) {
  RewritePlan plan;
  plan.has_account = true;
  plan.account = kAccount;
  if (argc < 4) return plan;
  std::string_view word = argv[3];
  if (!word.starts_with("account=")) return std::nullopt;
  word.remove_prefix(8);
  if (word == "none") return plan.has_account = false, plan;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), plan.account);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) return std::nullopt;
  return plan;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) return usage();
  const std::optional<RewritePlan> plan = plan_of(argc, argv);
  if (!plan) return usage();
  const fs::path in = argv[1], out = argv[2];
  std::vector<std::byte> memory(kScratchBytes), room;
  Totals totals;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(in, failed)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".class") continue;
    if (rewrite_file(entry.path(), out / fs::relative(entry.path(), in), *plan, memory, room,
                     totals))
      continue;
    std::fprintf(stderr, "rewrite_classes: cannot write below %s\n", argv[2]);
    return 2;
  }
  if (failed || totals.classes == 0) {
    std::fprintf(stderr, "rewrite_classes: no class files below %s\n", argv[1]);
    return 2;
  }
  print(totals);
  return 0;
}
