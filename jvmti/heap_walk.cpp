#include "jvmti/heap_walk.h"

#include "common/capture_plan.h"
#include "common/snapshot/builder.h"
#include "jvmti/class_catalog.h"
#include "jvmti/dump_environment.h"
#include "jvmti/error_map.h"
#include "jvmti/heap_walk_stopped.h"
#include "jvmti/method_names.h"
#include "platforms/clock.h"
#include "platforms/process.h"

namespace holdfast::jvmti {

namespace {

// No jvmtiError.
constexpr std::int64_t kContradiction = -1;

unsigned long long number(std::uint64_t value) noexcept { return value; }

// Class objects of loaders that are never unloaded are roots: the VM names only the boot loader's, but a path should begin at
// a static field, not inside a class loader's tables. Only those that the walk reached, and that are no roots yet; and no hidden
// classes, which may go before their loader.
bool add_builtin_class_roots(const HeapCatalog& heap, std::span<const std::uint8_t> rooted,
                             SnapshotBuilder& builder) noexcept {
  const std::span<const ClassRow> classes = heap.catalog.classes;
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    if (rooted[c] != 0 || !heap.catalog.loaders[classes[c].loader.value].builtin ||
        heap.catalog.is_hidden(ClassId{c}) || !builder.reached(ObjectId{c}))
      continue;
    RawRoot root;
    root.object = ObjectId{c};
    root.kind = RootKind::kSystemClass;
    if (!builder.add_root(root)) return false;
  }
  return true;
}

Result<void> follow_references(jvmtiEnv& env, WalkState& walk, Capture& out) noexcept {
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_reference_callback = &follow_reference_stopped;
  const std::uint64_t began = platforms::monotonic_ns();
  const jvmtiError answer = env.FollowReferences(0, nullptr, nullptr, &callbacks, &walk);
  out.pause_ns += platforms::monotonic_ns() - began;
  return check(answer);
}

// Resident memory that came during the walk and is not ours: what the VM took for tags, mostly.
std::uint64_t foreign_growth(std::uint64_t before, std::uint64_t drawn_bytes) noexcept {
  const std::uint64_t after = platforms::resident_bytes();
  if (before == platforms::kUnknownBytes || after == platforms::kUnknownBytes) return 0;
  return after > before + drawn_bytes ? after - before - drawn_bytes : 0;
}

Result<void> seal_graph(const VmAccess& vm, SnapshotBuilder& builder, CaptureMemory& memory,
                        HeapCatalog& heap, Capture& out) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  ArenaScope scratch(memory.work_arena());
  MethodNames methods;
  HF_CHECK_OK(methods.collect(builder.raw_roots(), memory.work_arena()));
  HF_CHECK_OK(methods.read(vm, memory.catalog_arena(), heap.catalog));
  methods.sift(builder.raw_roots());
  HF_CHECK_OK(builder.seal(heap.catalog, &MethodNames::method_of, &methods, out.snapshot));
  HF_CHECK_OK(verify(out.snapshot));
  out.seal_ns += platforms::monotonic_ns() - began;
  return {};
}

// Numbers of addresses become objects, while the application runs.
Result<void> resolve_places(ObjectPlaces& places, SnapshotBuilder& builder, CaptureMemory& memory,
                            Capture& out) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  HF_CHECK_OK(places.resolve(builder, memory.work_arena()));
  out.seal_ns += platforms::monotonic_ns() - began;
  return {};
}

// The walk itself. What it leaves in the builder are numbers of objects, however it told them apart.
Result<void> walk_objects(const VmAccess& vm, HeapRange* range, WalkState& walk,
                          CaptureMemory& memory, Capture& out) noexcept {
  const ArenaScope marks(memory.work_arena());
  const SnapshotBuilder& builder = *walk.builder;
  ObjectPlaces places;
  if (range != nullptr && places.prepare(*range, walk.preassigned, memory)) walk.places = &places;
  const std::uint64_t resident = platforms::resident_bytes();
  HF_CHECK_OK(follow_references(vm.env, walk, out));
  out.process_growth_bytes = foreign_growth(resident, memory.budget().drawn_bytes);
  const bool tagged = walk.places == nullptr;
  out.vm_tag_bytes_estimate =
      CaptureCosts{}.vm_tag_bytes_per_object * (tagged ? builder.object_count() : walk.preassigned);
  if (walk.contradicted) {
    if (range != nullptr) *range = HeapRange{};
    return make_error(ErrorCode::kVm, kContradiction);
  }
  if (builder.overflowed() || walk.places_full)
    return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(builder.object_count()));
  if (!tagged) HF_CHECK_OK(resolve_places(places, *walk.builder, memory, out));
  memory.shrink_column(kPlaceColumn, 0);
  return {};
}

Result<void> walk_graph(const VmAccess& vm, HeapRange* range, SnapshotBuilder& builder,
                        CaptureMemory& memory, HeapCatalog& heap, Capture& out) noexcept {
  HF_CHECK_OK(builder.prepare(memory, heap.preassigned_objects));
  HF_TRY(rooted, memory.catalog_arena().make_filled<std::uint8_t>(heap.catalog.class_count(), 0));
  WalkState walk;
  walk.builder = &builder;
  walk.referents = heap.referents.data();
  walk.rooted = rooted.data();
  walk.class_count = heap.catalog.class_count();
  walk.thread_count = static_cast<std::uint32_t>(heap.catalog.threads.size());
  walk.preassigned = heap.preassigned_objects;
  walk.class_class = heap.class_class;
  HF_CHECK_OK(walk_objects(vm, range, walk, memory, out));
  if (!add_builtin_class_roots(heap, rooted, builder))
    return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(builder.object_count()));
  HF_CHECK_OK(seal_graph(vm, builder, memory, heap, out));
  out.rung = CaptureRung::kWalk;
  out.has_graph = true;
  return {};
}

void explain(const Error& error, const SnapshotBuilder& builder, Notes& notes) noexcept {
  if (error.code == ErrorCode::kOutOfBudget) {
    notes.add("no object graph: memory= was used up after %llu objects and %llu references",
              number(builder.object_count()), number(builder.reference_count()));
    return;
  }
  if (error.code == ErrorCode::kVm && error.detail == kContradiction) {
    notes.add("no object graph: the VM did not show every object's address as it began to");
    return;
  }
  const std::string_view why = error_text(error.code);
  notes.add("no object graph: the walk did not succeed: %.*s (detail %lld)",
            static_cast<int>(why.size()), why.data(), static_cast<long long>(error.detail));
}

void release_columns(CaptureMemory& memory) noexcept {
  memory.end_walk(0);
  for (std::size_t i = 0; i < CaptureMemory::kColumnCount; ++i) memory.shrink_column(i, 0);
  memory.settle();
}

Result<void> count_objects(const VmAccess& vm, HeapCatalog& heap, std::span<ClassCount> counts,
                           Capture& out) noexcept {
  CountState state{counts.data(), heap.catalog.class_count()};
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_iteration_callback = &count_object_stopped;
  const std::uint64_t began = platforms::monotonic_ns();
  const jvmtiError answer = vm.env.IterateThroughHeap(0, nullptr, &callbacks, &state);
  out.pause_ns += platforms::monotonic_ns() - began;
  HF_CHECK_OK(check(answer));
  out.rung = CaptureRung::kHistogram;
  out.has_graph = false;
  out.histogram = counts;
  out.snapshot = Snapshot{};
  for (ClassRow& row : heap.catalog.classes)
    row.mirror = ObjectId{};  // there are no objects to point at
  for (LoaderRow& row : heap.catalog.loaders) row.object = ObjectId{};
  for (ThreadRow& row : heap.catalog.threads) row.object = ObjectId{};
  heap.catalog.methods = {};
  out.snapshot.catalog = heap.catalog;
  out.snapshot.losses.objects_unknown_class = counts.back().instances;
  out.snapshot.losses.names_dropped = heap.catalog.strings.dropped();
  return {};
}

Result<void> capture_objects(const VmAccess& vm, const CapturePlan& plan, HeapRange* range,
                             CaptureMemory& memory, HeapCatalog& heap, Capture& out,
                             Notes& notes) noexcept {
  HF_TRY(counts, memory.catalog_arena().make_filled<ClassCount>(heap.catalog.class_count() + 1,
                                                                ClassCount{}));
  if (plan.rung == CaptureRung::kWalk) {
    SnapshotBuilder builder;
    const Result<void> walked = walk_graph(vm, range, builder, memory, heap, out);
    if (walked) return {};
    explain(walked.error(), builder, notes);
  }
  release_columns(memory);
  return count_objects(vm, heap, counts, out);
}

}  // namespace

Result<void> capture_heap(const CaptureThread& thread, const CapturePlan& plan,
                          CaptureMemory& memory, Capture& out, Notes& notes) noexcept {
  if (plan.rung != CaptureRung::kWalk && plan.rung != CaptureRung::kHistogram)
    return make_error(ErrorCode::kUnsupported, static_cast<std::int64_t>(plan.rung));
  const std::uint64_t began = platforms::monotonic_ns();
  DumpEnvironment dump;
  HF_CHECK_OK(dump.open(thread.vm));
  const VmAccess vm{dump.env(), thread.jni, thread.java};
  HeapCatalog heap;
  {
    CatalogHandles handles(vm);
    HF_CHECK_OK(read_catalog(vm, CatalogUse::kWalk, memory, handles, heap, notes));
  }
  HF_TRY(before, thread.java.heap_figures(thread.jni));
  out.heap_before = before;
  if (plan.ages) out.no_ages = "a walk does not show them, only a frozen capture does";
  out.pause_ns = out.seal_ns = 0;
  out.prepare_ns = platforms::monotonic_ns() - began;
  HF_CHECK_OK(capture_objects(vm, plan, thread.heap, memory, heap, out, notes));
  HF_TRY(after, thread.java.heap_figures(thread.jni));
  out.heap_after = after;
  return {};
}

}  // namespace holdfast::jvmti
