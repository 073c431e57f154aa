#include "clrprofiler/simple_dump.h"

#include "clrprofiler/class_catalog.h"
#include "clrprofiler/counted_classes.h"
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

Result<void> count_suspended(ProfilerInfo& info, HeapCensus& census, Capture& out) noexcept {
  Suspension suspension(info);
  HF_CHECK_OK(suspension.begin());
  const HRESULT answer = info->EnumerateGCHeapObjects(&count_object_stopped, &census);
  suspension.end();
  out.pause_ns += suspension.suspended_ns();
  return check(answer);
}

// Nothing is unloaded between the first object and the last name.
Result<void> count_and_name(ProfilerInfo& info, ModuleGate& gate, HeapCensus& census,
                            CaptureMemory& memory, Capture& out) noexcept {
  const ClosedUnloads closed(gate);
  HF_CHECK_OK(count_suspended(info, census, out));
  HF_CHECK_OK(closed.check());
  HF_TRY(ids, class_ids(census.classes->rows(), memory.work_arena()));
  HF_CHECK_OK(read_class_catalog(info, ids, {}, memory, out.snapshot.catalog));
  return closed.check();
}

}  // namespace

Result<void> take_simple_dump(ProfilerInfo& info, ModuleGate& gate, CaptureMemory& memory,
                              Capture& out, Notes& notes) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  Arena& arena = memory.work_arena();
  const ArenaScope scratch(arena);
  HF_TRY(table, make_table(arena));
  HF_TRY(rules, make_rules(table, arena));
  HeapCensus census{&*info, &table, rules};
  out.prepare_ns = platforms::monotonic_ns() - began;
  const std::uint64_t stopped_before = out.pause_ns;
  HF_CHECK_OK(count_and_name(info, gate, census, memory, out));
  HF_CHECK_OK(make_histogram(table.rows(), memory.catalog_arena(), out));
  const std::uint64_t stopped = out.pause_ns - stopped_before;
  out.seal_ns = platforms::monotonic_ns() - began - out.prepare_ns - stopped;
  if (!census.words_hold)
    notes.add(
        "objects were counted through the runtime's calls alone: their headers are laid out in a "
        "way that is not known");
  return {};
}

}  // namespace holdfast::clr
