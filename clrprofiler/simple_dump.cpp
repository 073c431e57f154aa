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

}  // namespace

Result<void> take_simple_dump(ProfilerInfo& info, const UnloadGate& gate, CaptureMemory& memory,
                              Capture& out, Notes& notes) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  Arena& arena = memory.work_arena();
  const ArenaScope scratch(arena);
  HF_TRY(table, make_table(arena));
  HF_TRY(rules, make_rules(table, arena));
  HeapCensus census{&*info, &table, rules};
  out.prepare_ns = platforms::monotonic_ns() - began;
  HF_CHECK_OK(count_suspended(info, census, out));
  const std::uint64_t counted = platforms::monotonic_ns();
  HF_CHECK_OK(gate.check());
  HF_TRY(ids, class_ids(table.rows(), arena));
  HF_CHECK_OK(read_class_catalog(info, ids, {}, memory, out.snapshot.catalog));
  HF_CHECK_OK(gate.check());
  HF_CHECK_OK(make_histogram(table.rows(), memory.catalog_arena(), out));
  out.seal_ns = platforms::monotonic_ns() - counted;
  if (!census.words_hold)
    notes.add(
        "objects were counted through the runtime's calls alone: their headers are laid out in a "
        "way that is not known");
  return {};
}

}  // namespace holdfast::clr
