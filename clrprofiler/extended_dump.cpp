#include "clrprofiler/extended_dump.h"

#include <algorithm>

#include "clrprofiler/counted_classes.h"
#include "clrprofiler/frozen_bounds.h"
#include "clrprofiler/heap/heap_graph.h"
#include "clrprofiler/names/edge_catalog.h"
#include "clrprofiler/object_walk.h"
#include "clrprofiler/roots/dump_roots.h"
#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

constexpr std::size_t kMoreAgeRanges = 1u << 16;
constexpr std::uint64_t kNsPerFrame = 1'000;  // measured with recursions of 60,000 and 300,000

// Answers what the references of each class of the recording are called.
Result<std::span<const EdgeNames>> read_names(ProfilerInfo& info, const HeapRecording& recording,
                                              DumpRoots& roots, CaptureMemory& memory,
                                              Catalog& catalog, Notes& notes) noexcept {
  Arena& arena = memory.work_arena();
  const ArenaScope scratch(arena);
  HF_TRY(ids, class_ids(recording.classes.rows(), arena));
  Modules modules;
  HF_CHECK_OK(modules.open(info, arena));
  ClassReader reader;
  HF_CHECK_OK(reader.open(info, modules, arena));
  NameRoom room = field_name_room(ids);
  room.names += roots.room().names;
  room.text_bytes += roots.room().text_bytes;
  HF_CHECK_OK(fill_classes(reader, ids, room, memory, catalog));
  HF_CHECK_OK(roots.name(reader, recording, memory, catalog, notes));
  AskedStructs structs(info);
  const auto edges = fill_edges(reader, structs, ids, memory, catalog);
  if (edges) return *edges;
  notes.add("references have no names: memory= leaves no room for them");
  return std::span<const EdgeNames>{};
}

Result<void> make_graph(HeapRecording& recording, const DumpRoots& found,
                        std::span<const EdgeNames> edges, const AgeView& ages,
                        CaptureMemory& memory, Capture& out) noexcept {
  const CancelToken cancel;
  Arena& arena = memory.work_arena();
  HF_TRY(graph, HeapGraph::read(recording, {}, arena, cancel));
  HF_TRY(numbers, class_numbers(recording.classes.rows(), arena));
  HF_CHECK_OK(found.add_untold(recording, arena));
  std::uint64_t lost = 0;
  const std::span<RootRecord> roots = resolve_roots(
      recording, graph, lost,
      [&found](const RecordedRoot& root, RootRecord& record) { found.describe(root, record); });
  GraphNames names;
  names.class_of = numbers;
  names.edges = edges;
  names.ages = ages;
  const Catalog catalog = out.snapshot.catalog;
  HF_CHECK_OK(graph.fill(names, memory, catalog, roots, cancel, out.snapshot));
  out.snapshot.losses.roots_dropped += lost;
  out.rung = CaptureRung::kWalk;
  out.has_graph = true;
  return {};
}

void give_columns_back(CaptureMemory& memory) noexcept {
  for (std::size_t i = 0; i < CaptureMemory::kColumnCount; ++i) memory.shrink_column(i, 0);
  memory.settle();
}

void explain(const Error& error, const HeapRecording& recording, Notes& notes) noexcept {
  if (recording.trouble != RecordingTrouble::kNone) {
    notes.add("no object graph: %s", recording_trouble_text(recording.trouble));
    return;
  }
  const std::string_view why = error_text(error.code);
  notes.add("no object graph: the heap's events did not make one: %.*s (detail %lld)",
            static_cast<int>(why.size()), why.data(), static_cast<long long>(error.detail));
}

// Room for what its collection may add to the table.
void hold_ages(const DumpTools& tools, Arena& arena) noexcept {
  if (tools.ages == nullptr) return;
  const std::size_t ranges = tools.ages->ranges().size();
  if (const auto room = arena.make<AgeRange>(2 * ranges + kMoreAgeRanges); room)
    tools.ages->hold_next(*room);
}

// As they were at the end of the collection that told the heap: by the time a graph is made others have moved it on.
void take_ages(const DumpTools& tools, const HeapRecorder& recorder, Arena& arena,
               AgeView& ages) noexcept {
  if (tools.ages == nullptr) return;
  ages = tools.ages->release_held(recorder.filter().collection());
  if (const auto bounds = read_frozen_bounds(tools.info, arena); bounds) ages.set_lasting(*bounds);
}

// With all load contexts alive to the end of it.
Result<void> record_by_events(const DumpTools& tools, HeapRecording& recording,
                              HeapRecorder& recorder, Capture& out) noexcept {
  tools.contexts.tell_stops(out);
  HF_CHECK_OK(tools.session.run(tools.info, recorder));
  out.add_stop(tools.session.pause_ns());
  tools.contexts.take_out_roots(recording);
  tools.contexts.release();
  return {};
}

Result<void> walk_by_calls(const DumpTools& tools, HeapRecorder& recorder, StaticList& statics,
                           Capture& out, Notes& notes) noexcept {
  ObjectWalk walk(tools.info, tools.collection, recorder, statics, tools.options);
  const Result<void> ran = walk.run();
  out.add_stop(walk.pause_ns());
  if (ran || ran.error().code != ErrorCode::kVm ||
      static_cast<HRESULT>(ran.error().detail) != CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE)
    return ran;
  notes.add(
      "no dump: this runtime tells its heap only while concurrent collection is off; start the "
      "application with the agent, or with gcConcurrent=0");
  return make_error(ErrorCode::kRefused, ran.error().detail);
}

// By calls static fields are not told: their slots are listed before.
Result<void> record_by_calls(const DumpTools& tools, bool graph, HeapRecording& recording,
                             HeapRecorder& recorder, CaptureMemory& memory, Capture& out,
                             Notes& notes) noexcept {
  StaticList statics;
  const RecordingLimits limits = recording_limits(memory.ledger().limit_bytes());
  if (graph && !statics.list(tools.info, limits.statics, limits.name_units, memory.work_arena()))
    notes.add("static fields have no names: the runtime did not list them");
  HF_CHECK_OK(walk_by_calls(tools, recorder, statics, out, notes));
  if (!statics.record(recording))
    notes.add("some static fields have no names: memory= leaves no room for them");
  return {};
}

Result<void> record_heap(const DumpTools& tools, bool graph, HeapRecording& recording,
                         CaptureMemory& memory, Capture& out, Notes& notes,
                         AgeView& ages) noexcept {
  HeapRecorder recorder(recording, HeapRecorder::Objects::kRead);
  hold_ages(tools, memory.work_arena());
  HF_CHECK_OK(tools.info.tells_heap_by_calls()
                  ? record_by_calls(tools, graph, recording, recorder, memory, out, notes)
                  : record_by_events(tools, recording, recorder, out));
  take_ages(tools, recorder, memory.work_arena(), ages);
  if (const std::uint32_t walks = recorder.filter().foreign_walks(); walks != 0)
    notes.add(
        "%u further walks of the heap came along, each with a pause of its own: a collection "
        "in the background, or another tool's dump",
        walks);
  return {};
}

// What is found while nothing may be unloaded: from before the first function of a stack until all names are known.
struct Found {
  DumpRoots roots;
  std::span<const EdgeNames> edges;
  AgeView ages;
  std::uint64_t recorded_ns = 0;  // when the application ran again
};

// What read_names() takes and answers, on its way to another thread.
struct NamesWork {
  const DumpTools& tools;
  const HeapRecording& recording;
  CaptureMemory& memory;
  Capture& out;
  Notes& notes;
  Found& found;
  Result<void> done;

  static void run(void* work) noexcept {
    auto& self = *static_cast<NamesWork*>(work);
    const auto edges = read_names(self.tools.info, self.recording, self.found.roots, self.memory,
                                  self.out.snapshot.catalog, self.notes);
    if (edges)
      self.found.edges = *edges;
    else
      self.done = edges.error();
  }
};

// A collection walks all stacks, and nothing calls that off.
Result<void> check_frames(const CapturePlan& plan, const DumpRoots& roots, Notes& notes) noexcept {
  const std::uint64_t frames = roots.frames_estimate();
  const std::uint64_t predicted = std::max(frames * kNsPerFrame, plan.predicted_pause_ns);
  if (predicted <= plan.pause_limit_ns) {
    roots.note_cuts(notes);
    return {};
  }
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  notes.add(
      "no object graph: with %llu frames on stacks the walk would stop the application for about "
      "%llu ms, pause= allows %llu ms",
      static_cast<unsigned long long>(frames),
      static_cast<unsigned long long>(predicted / kNsPerMs),
      static_cast<unsigned long long>(plan.pause_limit_ns / kNsPerMs));
  return make_error(ErrorCode::kRefused, kReasonWasGiven);
}

Result<void> look_and_name(const DumpTools& tools, const CapturePlan& plan,
                           HeapRecording& recording, CaptureMemory& memory, Capture& out,
                           Notes& notes, Found& found) noexcept {
  const ClosedUnloads closed(tools.gate);
  const bool graph = plan.rung != CaptureRung::kHistogram;
  if (graph) found.roots.look(tools.info, plan.pause_limit_ns, memory.work_arena(), notes);
  out.add_stop(found.roots.pause_ns());
  if (graph) HF_CHECK_OK(check_frames(plan, found.roots, notes));
  HF_CHECK_OK(record_heap(tools, graph, recording, memory, out, notes, found.ages));
  found.recorded_ns = platforms::monotonic_ns();
  out.heap_before.used_bytes = out.heap_after.used_bytes = recording.counts.shallow_bytes;
  if (graph) HF_CHECK_OK(found.roots.match(recording, memory.work_arena()));
  HF_CHECK_OK(closed.check());
  NamesWork names{tools, recording, memory, out, notes, found, {}};
  HF_CHECK_OK(tools.collection.call_there(&NamesWork::run, &names));
  HF_CHECK_OK(names.done);
  return closed.check();
}

}  // namespace

Result<void> take_extended_dump(const DumpTools& tools, const CapturePlan& plan,
                                CaptureMemory& memory, Capture& out, Notes& notes) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  const ArenaScope scratch(memory.work_arena());
  HeapRecording recording;
  HF_CHECK_OK(recording.prepare(memory, recording_limits(memory.ledger().limit_bytes())));
  out.prepare_ns = platforms::monotonic_ns() - began;
  bool counted = plan.rung == CaptureRung::kHistogram;
  Found found;
  HF_CHECK_OK(look_and_name(tools, plan, recording, memory, out, notes, found));
  if (!counted) {
    const Result<void> made =
        make_graph(recording, found.roots, found.edges, found.ages, memory, out);
    counted = !made;
    if (!made) explain(made.error(), recording, notes);
  }
  if (tools.ages != nullptr && !found.ages.known())
    notes.add("%s", kNoAgesYet);
  else if (tools.ages != nullptr && counted)
    notes.add("no ages: a walk that only counts does not tell them");
  if (counted) {
    give_columns_back(memory);
    HF_CHECK_OK(make_histogram(recording.classes.rows(), memory.catalog_arena(), out));
  }
  out.seal_ns = platforms::monotonic_ns() - found.recorded_ns;
  return {};
}

}  // namespace holdfast::clr
