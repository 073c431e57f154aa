#include "clrprofiler/simple_dump.h"

#include "clrprofiler/class_catalog.h"
#include "clrprofiler/counted_classes.h"
#include "clrprofiler/frozen_bounds.h"
#include "clrprofiler/heap_census_stopped.h"
#include "clrprofiler/suspension.h"
#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

Result<ClassTable> make_table(Arena& arena) noexcept {
  Result<ClassTable> table = ClassTable::make(arena, kMostClasses);
  for (std::uint32_t classes = kMostClasses / 2; !table && classes >= kLeastClasses; classes /= 2)
    table = ClassTable::make(arena, classes);
  return table;
}

// Objects without a class have no rule to be looked for.
Result<std::span<SizeRule>> make_rules(const ClassTable& table, Arena& arena) noexcept {
  HF_TRY(rules, arena.make_filled<SizeRule>(table.capacity(), SizeRule{}));
  rules[ClassTable::kUnknown].examined = true;
  return rules;
}

// Of each class, where they are wanted and there is room.
struct WantedAges {
  AgeRecorder* recorder = nullptr;
  std::span<const AddressRange> lasting;
  ClassAgeSums sums;

  void prepare(const CountTools& tools, std::size_t classes, Arena& arena, Notes& notes) noexcept {
    recorder = tools.ages;
    if (recorder == nullptr) return;
    if (const auto bounds = read_frozen_bounds(tools.info, arena); bounds) lasting = *bounds;
    if (!sums.make(classes, arena)) notes.add("no ages: memory= leaves no room for them");
  }
  ClassAgeSums* look_stopped() noexcept {
    if (!sums.wanted()) return nullptr;
    AgeView view = recorder->view();
    view.set_lasting(lasting);
    sums.look_with(view);
    return view.known() ? &sums : nullptr;
  }
};

Result<void> count_suspended(ProfilerInfo& info, HeapCensus& census, WantedAges& ages,
                             Capture& out) noexcept {
  Suspension suspension(info);
  HF_CHECK_OK(suspension.begin());
  census.ages = ages.look_stopped();
  const HRESULT answer = info->EnumerateGCHeapObjects(&count_object_stopped, &census);
  suspension.end();
  out.add_stop(suspension.suspended_ns());
  return check(answer);
}

// Nothing is unloaded between the first object and the last name.
Result<void> count_and_name(const CountTools& tools, HeapCensus& census, WantedAges& ages,
                            CaptureMemory& memory, Capture& out) noexcept {
  const ClosedUnloads closed(tools.gate);
  HF_CHECK_OK(count_suspended(tools.info, census, ages, out));
  HF_CHECK_OK(closed.check());
  HF_TRY(ids, class_ids(census.classes->rows(), memory.work_arena()));
  HF_CHECK_OK(read_class_catalog(tools.info, ids, {}, memory, out.snapshot.catalog));
  return closed.check();
}

}  // namespace

Result<void> take_simple_dump(const CountTools& tools, CaptureMemory& memory, Capture& out,
                              Notes& notes) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  Arena& arena = memory.work_arena();
  const ArenaScope scratch(arena);
  HF_TRY(table, make_table(arena));
  HF_TRY(rules, make_rules(table, arena));
  WantedAges ages;
  ages.prepare(tools, table.capacity(), arena, notes);
  HeapCensus census{&*tools.info, &table, rules};
  out.prepare_ns = platforms::monotonic_ns() - began;
  const std::uint64_t stopped_before = out.stopped_ns;
  HF_CHECK_OK(count_and_name(tools, census, ages, memory, out));
  HF_CHECK_OK(make_histogram(table.rows(), memory.catalog_arena(), out));
  if (!ages.sums.tell(table.size(), memory.catalog_arena(), out))
    notes.add("no ages: memory= leaves no room for them");
  if (census.ages == nullptr && tools.ages != nullptr) notes.add("%s", kNoAgesYet);
  const std::uint64_t stopped = out.stopped_ns - stopped_before;
  out.seal_ns = platforms::monotonic_ns() - began - out.prepare_ns - stopped;
  if (!census.words_hold)
    notes.add(
        "objects were counted through the runtime's calls alone: their headers are laid out in a "
        "way that is not known");
  return {};
}

}  // namespace holdfast::clr
