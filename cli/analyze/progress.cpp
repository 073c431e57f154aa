#include "cli/analyze/progress.h"

#include <cstdio>
#include <utility>

namespace holdfast::cli {
namespace {

constexpr std::chrono::milliseconds kBetween{100};
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

void Progress::begin(std::uint64_t total_bytes) {
  total_bytes_ = total_bytes;
  last_shown_ = Clock::now() - kBetween;
}

void Progress::tell(const char* pass, std::uint64_t bytes, std::uint64_t objects) {
  if (!on_) return;
  const Clock::time_point now = Clock::now();
  if (pass_ != pass) {
    pass_ = pass;
    pass_began_ = now;
  }
  if (now - last_shown_ < kBetween) return;
  last_shown_ = now;
  const double seconds = std::chrono::duration<double>(now - pass_began_).count();
  const double share =
      total_bytes_ == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(total_bytes_);
  const double left = share > 0.01 && share < 1 ? seconds / share - seconds : 0;
  char line[160];
  std::snprintf(line, sizeof line,
                "%s: %3.0f %%, %.1f million objects, %.1f million/s, %.0f s left in this pass",
                pass, share < 1 ? share * 100 : 100.0, static_cast<double>(objects) / 1e6,
                seconds > 0 ? static_cast<double>(objects) / 1e6 / seconds : 0.0, left);
  show(line);
}

void Progress::phase(const char* name) {
  if (on_) show(std::string(name) + " …");
}

void Progress::end() {
  if (std::exchange(shown_, false)) out_ << kClearLine << std::flush;
}

void Progress::show(const std::string& line) {
  shown_ = true;
  out_ << kClearLine << line << std::flush;
}

}  // namespace holdfast::cli
