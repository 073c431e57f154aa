#include "common/dump_progress.h"

#include <doctest/doctest.h>

#include <memory>

using namespace holdfast;

namespace {

DumpProgress reported(DumpHistory& history, bool extended, DumpStage stage = DumpStage::kReported) {
  DumpProgress dump = history.add(DumpRequest{}, 7);
  dump.extended = extended;
  dump.stage = stage;
  history.update(dump);
  return dump;
}

}  // namespace

TEST_CASE("the last extended dump that left a report is remembered, however many others follow") {
  const auto history = std::make_unique<DumpHistory>();
  CHECK(history->last_extended().number == 0);
  reported(*history, true);
  reported(*history, true);
  reported(*history, true, DumpStage::kFailed);
  for (std::uint32_t i = 0; i < 2 * DumpHistory::kMaxRememberedDumps; ++i)
    reported(*history, false);
  CHECK(history->last_extended().number == 2);
  CHECK(history->last_extended().asked_utc_ms == 7);
  CHECK(history->find(2) == nullptr);
  CHECK(history->find(history->last_number())->stage == DumpStage::kReported);
}
