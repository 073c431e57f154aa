#include "analysis/pass_runner.h"

#include <cinttypes>
#include <cstdio>

namespace holdfast::analysis {

PassRecord& PassRunner::begin(const char* name) noexcept {
  PassRecord& record =
      findings_.pass_count < kMaxPasses ? findings_.passes[findings_.pass_count++] : overflow_;
  record = PassRecord{};
  record.name = name;
  return record;
}

void PassRunner::set_time_for_optional(std::uint64_t ns, Arena& arena) noexcept {
  constexpr std::size_t kTextBytes = 80;
  constexpr std::uint64_t kMillisecond = 1'000'000, kSecond = 1'000 * kMillisecond;
  const auto text = arena.make<char>(kTextBytes);
  if (!text) return;
  const bool whole = ns >= 10 * kSecond || ns % kSecond == 0;
  std::snprintf(text->data(), kTextBytes, "the time for optional parts (%" PRIu64 " %s) was over",
                ns / (whole ? kSecond : kMillisecond), whole ? "s" : "ms");
  time_over_ = text->data();
}

void PassRunner::leave_out(PassRecord& record, const Error& error) noexcept {
  // A literal, or in the arena behind it: it ends in NUL.
  record.left_out = error.code == ErrorCode::kDeadline ? time_over_ : error_text(error.code).data();
  cancelled_ = cancelled_ || error.code == ErrorCode::kCancelled;
}

}  // namespace holdfast::analysis
