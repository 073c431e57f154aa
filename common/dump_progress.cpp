#include "common/dump_progress.h"

namespace holdfast {

DumpProgress& DumpHistory::add(const DumpRequest& request, std::uint64_t utc_ms) noexcept {
  DumpProgress& dump = dumps_[++last_ % kMaxRememberedDumps];
  dump = DumpProgress{};
  dump.number = last_;
  dump.trigger = request.trigger;
  dump.asked_utc_ms = utc_ms;
  return dump;
}

DumpProgress* DumpHistory::find(std::uint32_t number) noexcept {
  DumpProgress& dump = dumps_[number % kMaxRememberedDumps];
  return number != 0 && dump.number == number ? &dump : nullptr;
}

void DumpHistory::update(const DumpProgress& dump) noexcept {
  if (DumpProgress* const known = find(dump.number)) *known = dump;
  if (dump.stage == DumpStage::kReported && dump.extended) last_extended_ = dump;
}

}  // namespace holdfast
