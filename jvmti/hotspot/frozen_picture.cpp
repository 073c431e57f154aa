#include "jvmti/hotspot/frozen_picture.h"

#include <algorithm>

#include "analysis/graph_window.h"
#include "jvmti/root_facts_stopped.h"
#include "platforms/clock.h"

namespace holdfast::jvmti {

namespace {

Error picture_contradiction(std::uint64_t what) noexcept {
  return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(what));
}

}  // namespace

PictureReader::PictureReader(FrozenPicture& picture, CaptureMemory& memory) noexcept
    : picture_(picture),
      memory_(memory),
      view_(*picture.layout),
      shapes_(view_, picture.catalog, memory.work_arena()),
      references_(view_, picture.catalog, shapes_) {}

// -- trace --

Result<void> PictureReader::trace(const CancelToken& cancel) noexcept {
  HF_CHECK_OK(shapes_.read());
  const HeapLayout& layout = view_.layout();
  HF_TRY(marks, GrowingMarkTable::make(memory_.work_arena(), layout.heap_end - layout.heap_start));
  marks_ = marks;
  HeapTrace trace(view_, shapes_, references_, marks_, memory_.work_arena());
  constexpr RootLayout kNoRoots;
  RootReader reader(view_, picture_.root_layout != nullptr ? *picture_.root_layout : kNoRoots);
  FilledParts parts(view_, picture_.places);
  HF_CHECK_OK(open_parts(parts, reader));
  trace.set_parts(&parts);
  HF_CHECK_OK(add_roots(trace));
  if (picture_.cut) HF_CHECK_OK(add_unwalked_roots(trace, reader));
  HF_CHECK_OK(trace.run(cancel));
  HF_CHECK_OK(add_late_roots(trace));
  HF_CHECK_OK(trace.run(cancel));
  sure_counts_ = trace.counts();
  if (picture_.cut) {
    HF_CHECK_OK(add_stack_words(trace, reader));
    HF_CHECK_OK(trace.run(cancel));
  }
  trace_counts_ = trace.counts();
  HF_CHECK_OK(check_sums());
  HF_TRY(objects, marks_.number());
  objects_ = objects;
  if (objects_ != trace_counts_.objects) return picture_contradiction(objects_);
  return add_builtin_class_roots();
}

// Threads' buffers are known where the threads are.
Result<void> PictureReader::open_parts(FilledParts& parts, RootReader& reader) noexcept {
  const bool threads = picture_.root_layout != nullptr && picture_.root_layout->threads;
  SweepLayout layout = picture_.sweep != nullptr ? *picture_.sweep : SweepLayout{};
  if (!threads) layout.buffer = 0;
  return parts.open(&layout, reader, memory_.work_arena());
}

// The handles that we hold for this dump would show up as one root a class.
bool PictureReader::is_own(const RawRoot& root) const noexcept {
  return root.kind == RootKind::kJniLocal && root.thread.valid() &&
         root.thread == picture_.catalog.capture_thread;
}

// Leaves in the columns what keep(i) wants, and adds it to the trace.
template <class Keep>
Result<void> PictureReader::sift_roots(HeapTrace& trace, Keep keep) noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < picture_.roots.size(); ++i) {
    if (!keep(i)) continue;
    const Address object = picture_.addresses[i];
    picture_.roots[kept] = picture_.roots[i];
    picture_.addresses[kept++] = object;
    if (!is_late(picture_.roots[i])) HF_CHECK_OK(trace.add_root(object));
  }
  picture_.roots.truncate(kept);
  picture_.addresses.truncate(kept);
  return {};
}

bool PictureReader::is_late(const RawRoot& root) const noexcept {
  return picture_.catalog.code_among_vm_roots && root.kind == RootKind::kOther && !late_roots_;
}

Result<void> PictureReader::add_roots(HeapTrace& trace) noexcept {
  for (Address& object : picture_.addresses.span()) object = view_.current(object);
  // Where the walk was cut among the JNI globals, they are taken from memory, all of them.
  HF_CHECK_OK(sift_roots(trace, [this](std::size_t i) {
    const RawRoot& root = picture_.roots[i];
    return !is_own(root) && !(picture_.cut && root.kind == RootKind::kJniGlobal);
  }));
  for (const Address handle : picture_.catalog.kept_roots) {
    const Address object = view_.behind_handle(handle);
    if (object == 0) continue;  // the VM let it go
    HF_CHECK_OK(trace.add_root(object));
    HF_CHECK_OK(push_root(object, RootKind::kOther));
  }
  return {};
}

// After the others were followed: of the VM's own, those that reach something new.
Result<void> PictureReader::add_late_roots(HeapTrace& trace) noexcept {
  late_roots_ = true;
  if (!picture_.catalog.code_among_vm_roots) return {};
  return sift_roots(trace, [this](std::size_t i) {
    return picture_.roots[i].kind != RootKind::kOther || !is_marked(picture_.addresses[i]);
  });
}

Result<void> PictureReader::push_root(Address object, RootKind kind) noexcept {
  RawRoot root;
  root.kind = kind;
  if (!picture_.roots.push(root) || !picture_.addresses.push(object))
    return make_error(ErrorCode::kOutOfBudget);
  return {};
}

// -- what the walk over roots did not come to --

Result<void> PictureReader::number_threads() noexcept {
  const std::span<const Address> handles = picture_.catalog.threads;
  HF_TRY(places, memory_.work_arena().make<ThreadPlace>(handles.size()));
  for (std::size_t t = 0; t < handles.size(); ++t)
    places[t] = {view_.behind_handle(handles[t]), ThreadId{static_cast<std::uint32_t>(t)}};
  std::sort(places.begin(), places.end(),
            [](const ThreadPlace& a, const ThreadPlace& b) { return a.object < b.object; });
  thread_places_ = places;
  return {};
}

ThreadId PictureReader::thread_of(Address object) const noexcept {
  const auto at =
      std::lower_bound(thread_places_.begin(), thread_places_.end(), object,
                       [](const ThreadPlace& a, Address wanted) { return a.object < wanted; });
  return at != thread_places_.end() && at->object == object ? at->id : ThreadId{};
}

// A place that the VM keeps right; what stands in it must look like an object all the same.
Result<void> PictureReader::add_sure_root(HeapTrace& trace, Address object,
                                          const RawRoot& root) noexcept {
  object = view_.current(object);
  if (!is_marked(object)) {
    if (!trace.may_be_new(object)) return {};
    HF_CHECK_OK(trace.add_root(object));
  }
  if (!picture_.roots.push(root) || !picture_.addresses.push(object))
    return make_error(ErrorCode::kOutOfBudget);
  return {};
}

Result<void> PictureReader::add_unwalked_roots(HeapTrace& trace, RootReader& reader) noexcept {
  HF_CHECK_OK(number_threads());
  Result<void> added;
  reader.for_each_thread([&](const VmThread& thread, std::uint32_t) {
    if (added && !picture_.stacks_walked) added = add_unwalked_thread(trace, reader, thread);
  });
  HF_CHECK_OK(added);
  RawRoot root;
  root.kind = RootKind::kJniGlobal;
  const bool whole = reader.for_each_global([&](Address object) {
    if (added && object != 0) added = add_sure_root(trace, object, root);
  });
  if (!whole) return picture_contradiction(picture_.root_layout->globals_cell);
  HF_CHECK_OK(added);
  return add_classes_that_stay(trace);
}

Result<void> PictureReader::add_unwalked_thread(HeapTrace& trace, RootReader& reader,
                                                const VmThread& thread) noexcept {
  RawRoot root;
  root.thread = thread_of(thread.object);
  if (root.thread.valid() && root.thread == picture_.catalog.capture_thread) return {};
  root.kind = RootKind::kThread;
  if (root.thread.valid()) ++stacks_in_memory_;
  HF_CHECK_OK(add_sure_root(trace, thread.object, root));
  root.kind = RootKind::kJniLocal;
  Result<void> added;
  reader.for_each_local(thread, [&](Address object) {
    if (added) added = add_sure_root(trace, object, root);
  });
  return added;
}

// Their class objects become roots when all is traced (add_builtin_class_roots).
Result<void> PictureReader::add_classes_that_stay(HeapTrace& trace) noexcept {
  const Catalog& catalog = picture_.catalog.heap->catalog;
  for (std::uint32_t c = 0; c < catalog.class_count(); ++c)
    if (catalog.loaders[catalog.classes[c].loader.value].builtin && !catalog.is_hidden(ClassId{c}))
      HF_CHECK_OK(trace.add_root(shapes_.of(ClassId{c}).mirror));
  RawRoot root;
  for (std::size_t l = 0; l < catalog.loaders.size(); ++l)
    if (catalog.loaders[l].builtin)
      HF_CHECK_OK(add_sure_root(trace, view_.behind_handle(picture_.catalog.loaders[l]), root));
  return {};
}

// As on a CLR (clrprofiler/frozen/heap_picture.h): one root for each thread and object that nothing sure leads to, and all words are
// seen before one of them marks anything.
Result<void> PictureReader::add_stack_words(HeapTrace& trace, RootReader& reader) noexcept {
  const std::size_t first = picture_.roots.size();
  RawRoot root;
  root.kind = RootKind::kPossibleStackSlot;
  Result<void> added;
  Address before = 0;
  const auto look = [&](Address word) {
    if (!added || word == before || !trace.may_be_new(word)) return;
    before = word;
    if (!picture_.roots.push(root) || !picture_.addresses.push(word))
      added = make_error(ErrorCode::kOutOfBudget);
  };
  reader.for_each_thread([&](const VmThread& thread, std::uint32_t) {
    if (picture_.stacks_walked || thread.top == 0) return;
    root.thread = thread_of(thread.object);
    if (root.thread.valid() && root.thread == picture_.catalog.capture_thread) return;
    const std::size_t begin = picture_.addresses.size();
    for (Address at = thread.top; added && at + 8 <= thread.base; at += 8) {
      const auto word = reader.read<Address>(at);
      if (word == 0) continue;
      look(view_.current(word));
      if (!view_.layout().narrow_references) continue;
      look(view_.current(view_.decode(static_cast<std::uint32_t>(word))));
      look(view_.current(view_.decode(static_cast<std::uint32_t>(word >> 32))));
    }
    const std::span<Address> found = picture_.addresses.span().subspan(begin);
    std::sort(found.begin(), found.end());
    const auto end = std::unique(found.begin(), found.end());
    picture_.addresses.truncate(begin + static_cast<std::size_t>(end - found.begin()));
    picture_.roots.truncate(picture_.addresses.size());
  });
  for (std::size_t i = first; added && i < picture_.roots.size(); ++i)
    added = trace.add_root(picture_.addresses[i]);
  return added;
}

void PictureReader::tell_doubts(Capture& out) const noexcept {
  out.roots_cut = picture_.cut;
  if (!picture_.cut) return;
  out.stacks_in_memory = stacks_in_memory_;
  out.doubtful_objects = trace_counts_.objects - sure_counts_.objects;
  out.doubtful_bytes = trace_counts_.shallow_bytes - sure_counts_.shallow_bytes;
  out.dropped_references = trace_counts_.dropped - sure_counts_.dropped;
}

// More than the VM may ever use cannot be alive.
Result<void> PictureReader::check_sums() noexcept {
  const std::uint64_t most = picture_.heap_before.max_bytes;
  if (most != 0 && trace_counts_.shallow_bytes > most)
    return picture_contradiction(trace_counts_.shallow_bytes);
  return {};
}

// Class objects of loaders that are never unloaded: a path shall begin at a static field, not inside a loader's tables. Hidden
// classes may go before their loader.
Result<void> PictureReader::add_builtin_class_roots() noexcept {
  const Catalog& catalog = picture_.catalog.heap->catalog;
  HF_TRY(rooted, memory_.work_arena().make_filled<std::uint8_t>(catalog.class_count(), 0));
  for (std::size_t i = 0; i < picture_.roots.size(); ++i) {
    if (picture_.roots[i].kind != RootKind::kSystemClass) continue;
    const ClassShape* type = class_behind(picture_.addresses[i]);
    if (type == nullptr)
      picture_.roots[i].kind = RootKind::kOther;  // resolved constants, modules
    else if (type->class_id.valid())
      rooted[type->class_id.value] = 1;
  }
  for (std::uint32_t c = 0; c < catalog.class_count(); ++c) {
    const Address mirror = shapes_.of(ClassId{c}).mirror;
    if (rooted[c] == 0 && catalog.loaders[catalog.classes[c].loader.value].builtin &&
        !catalog.is_hidden(ClassId{c}) && is_marked(mirror))
      HF_CHECK_OK(push_root(mirror, RootKind::kSystemClass));
  }
  return {};
}

// The class that a class object stands for; nullptr for any other object. (A primitive type's has none, and is one.)
const ClassShape* PictureReader::class_behind(Address object) noexcept {
  const ClassShape* shape = shapes_.find(view_.class_of(object));
  if (shape == nullptr || shape->kind != ShapeKind::kClassObject) return nullptr;
  const ClassShape* type = shapes_.find(view_.class_of_mirror(object));
  return type != nullptr ? type : shape;
}

bool PictureReader::is_marked(Address object) const noexcept {
  return view_.plausible(object) && marks_.marked(view_.layout().place_of(object));
}

ObjectId PictureReader::number_of(Address object) const noexcept {
  return is_marked(object) ? ObjectId{marks_.number_of(view_.layout().place_of(object))}
                           : ObjectId{};
}

// -- results --

Result<void> PictureReader::number_catalog(const MethodNames& methods) noexcept {
  Catalog& catalog = picture_.catalog.heap->catalog;
  for (std::uint32_t c = 0; c < catalog.class_count(); ++c)
    catalog.classes[c].mirror = number_of(shapes_.of(ClassId{c}).mirror);
  for (std::size_t t = 0; t < catalog.threads.size(); ++t)
    catalog.threads[t].object = number_of(view_.behind_handle(picture_.catalog.threads[t]));
  for (std::size_t l = 0; l < catalog.loaders.size(); ++l)
    catalog.loaders[l].object = number_of(view_.behind_handle(picture_.catalog.loaders[l]));
  // Their names come from the parent, later.
  HF_TRY(rows, memory_.catalog_arena().make_filled<MethodRow>(methods.size(),
                                                              MethodRow{StringId{0}, StringId{0}}));
  catalog.methods = rows;
  resolve_roots(methods);
  return {};
}

// The word behind a jmethodID is the method's address.
bool PictureReader::has_bytecode(std::uint64_t method_handle) noexcept {
  constexpr std::uint16_t kNative = 0x100;
  const std::uint32_t flags = view_.layout().method_flags;
  if (flags == 0 || method_handle % 8 != 0 || !pages_.has(method_handle)) return false;
  const Address method = load<Address>(method_handle);
  if (method == 0 || method % 8 != 0 || !pages_.has(method + flags)) return false;
  return (load<std::uint16_t>(method + flags) & kNative) == 0;
}

// As MethodNames::sift(): the child asks no VM. A frame's constants stand together.
void PictureReader::sift_code_constants() noexcept {
  std::uint64_t before = 0;
  bool constants = false;
  for (RawRoot& root : picture_.roots.span()) {
    if (!may_be_code_constant(root)) continue;
    if (root.method != before) {
      before = root.method;
      constants = has_bytecode(before);
    }
    if (constants) make_code_constant(root);
  }
}

// In place, front to back: a record is smaller than what it is made of.
void PictureReader::resolve_roots(const MethodNames& methods) noexcept {
  static_assert(sizeof(RootRecord) <= sizeof(RawRoot));
  sift_code_constants();
  auto* records = reinterpret_cast<RootRecord*>(picture_.roots.span().data());
  for (std::size_t i = 0; i < picture_.roots.size(); ++i) {
    const RawRoot raw = picture_.roots[i];
    const MethodId method = raw.method != 0 ? methods.find(raw.method) : MethodId{};
    records[i] = RootRecord{number_of(picture_.addresses[i]),
                            raw.thread,
                            method,
                            raw.location,
                            raw.depth,
                            raw.slot,
                            raw.kind};
  }
  records_ = {records, picture_.roots.size()};
}

// add(number, label); what leads nowhere, which only a guess does, is told with an invalid number.
template <class Add>
void PictureReader::for_each_reference(Address object, const ClassShape& shape, Add add) noexcept {
  references_.for_each(
      object, shape, [&](Address referent, RefLabel label) { add(number_of(referent), label); },
      [&](Address referent) { return is_marked(referent); });
  if (shape.kind != ShapeKind::kStackChunk) return;
  references_.for_each_guess(object, shape, [&](Address guess) {
    if (is_marked(guess)) add(number_of(guess), special(SpecialRef::kOther));
  });
}

// False: they are not wanted, or cannot be told, and `out` says why.
bool PictureReader::open_ages(ObjectAges& ages, Capture& out) noexcept {
  if (picture_.ages == nullptr) return false;
  out.no_ages = ages.open(memory_.work_arena());
  return out.no_ages[0] == '\0';
}

Result<void> PictureReader::fill(const MethodNames& methods, Capture& out) noexcept {
  ObjectAges ages(view_.layout(), picture_.ages);
  const bool aged = open_ages(ages, out);
  SnapshotFill fill;
  HF_CHECK_OK(fill.prepare(memory_, objects_, trace_counts_.references,
                           aged ? AgeSource::kHeader : AgeSource::kNone));
  marks_.for_each([&](std::uint64_t place) {
    const Address object = object_at(place);
    const ClassShape& shape = *shapes_.find(view_.class_of(object));
    fill.begin_object(shape.class_id, references_.object_bytes(object, shape),
                      aged ? ages.of(object) : kUnknownAge);
    for_each_reference(object, shape, [&](ObjectId number, RefLabel label) {
      if (number.valid())
        fill.add_reference(number, label);
      else
        ++fill.losses().references_to_unknown;
    });
    return true;
  });
  HF_CHECK_OK(number_catalog(methods));
  HF_CHECK_OK(fill.finish(picture_.catalog.heap->catalog, records_, out.snapshot));
  out.has_graph = true;
  return verify(out.snapshot);
}

Result<void> PictureReader::count(const MethodNames& methods, Capture& out) noexcept {
  HF_CHECK_OK(number_catalog(methods));
  const Catalog& catalog = picture_.catalog.heap->catalog;
  HF_TRY(rows,
         memory_.catalog_arena().make_filled<ClassCount>(catalog.class_count() + 1, ClassCount{}));
  for (const ClassShape& shape : shapes_.all()) {
    ClassCount& row = rows[shape.class_id.valid() ? shape.class_id.value : catalog.class_count()];
    row.instances += shape.count.instances;
    row.shallow_bytes += shape.count.shallow_bytes;
  }
  out.histogram = rows;
  out.has_graph = false;
  out.snapshot = Snapshot{};
  out.snapshot.catalog = catalog;
  out.snapshot.losses.objects_unknown_class = rows.back().instances;
  out.snapshot.losses.names_dropped = catalog.strings.dropped();
  count_ages(out);
  return {};
}

// A pass of its own, in the order of addresses: the trace is not held up where ages are off.
void PictureReader::count_ages(Capture& out) noexcept {
  ObjectAges ages(view_.layout(), picture_.ages);
  if (!open_ages(ages, out)) return;
  const std::size_t classes = out.histogram.size();
  const auto rows = memory_.catalog_arena().make_filled<ClassAges>(classes, ClassAges{});
  if (!rows) {
    out.no_ages = "memory= has no room for the ages of so many classes";
    return;
  }
  marks_.for_each([&](std::uint64_t place) {
    const Address object = object_at(place);
    const ClassShape& shape = *shapes_.find(view_.class_of(object));
    ClassAges& row = (*rows)[shape.class_id.valid() ? shape.class_id.value : classes - 1];
    row.add(ages.of(object), references_.object_bytes(object, shape));
    return true;
  });
  out.class_ages = *rows;
  out.age_source = AgeSource::kHeader;
}

// What the VM puts where nothing is, so that its heap can be walked: with classes of their own from 19 on, as arrays of int before.
void PictureReader::leave_fillers_out(UnreachedObjects& found,
                                      std::span<ClassCount> rows) const noexcept {
  const Catalog& catalog = picture_.catalog.heap->catalog;
  for (std::uint32_t c = 0; c < catalog.class_count(); ++c) {
    if (rows[c].instances == 0) continue;
    const std::string_view name = catalog.strings.view(catalog.classes[c].name);
    if (name != "jdk.internal.vm.FillerElement[]" && name != "jdk.internal.vm.FillerObject")
      continue;
    found.objects -= rows[c].instances;
    found.shallow_bytes -= rows[c].shallow_bytes;
    found.buffer_bytes += rows[c].shallow_bytes;
    rows[c] = ClassCount{};
  }
}

void PictureReader::sweep(std::uint64_t until_ns, Capture& out) noexcept {
  // What is less is a row without classes: as HeapStateLimits.
  constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20;
  constexpr std::uint64_t kShareDivisor = 20;
  const std::uint64_t used = picture_.heap_before.used_bytes;
  const std::uint64_t held = trace_counts_.shallow_bytes;
  if (picture_.sweep == nullptr || used < held + std::max(kLeastBytes, used / kShareDivisor))
    return;
  const std::uint64_t began = platforms::monotonic_ns();
  const std::size_t classes = picture_.catalog.heap->catalog.class_count();
  const auto rows = memory_.catalog_arena().make_filled<ClassCount>(classes + 1, ClassCount{});
  if (!rows) return;
  ArenaScope scratch(memory_.work_arena());
  constexpr RootLayout kNoRoots;
  RootReader reader(view_, picture_.root_layout != nullptr ? *picture_.root_layout : kNoRoots);
  FilledParts parts(view_, picture_.places);
  if (!open_parts(parts, reader)) return;
  HeapSweep sweep(view_, shapes_, references_, marks_, parts);
  UnreachedObjects found;
  if (!sweep.run(until_ns, *rows, found)) return;
  leave_fillers_out(found, *rows);
  found.told = true;
  found.classes = *rows;
  found.wall_ns = platforms::monotonic_ns() - began;
  out.unreached = found;
}

Result<std::span<const TrackedObject>> PictureReader::find_tracked(
    std::span<const NumberedObject> objects) noexcept {
  HF_TRY(rows, memory_.work_arena().make<TrackedObject>(objects.size()));
  std::size_t found = 0;
  for (const NumberedObject& known : objects) {
    const ObjectId object = number_of(view_.behind_handle(known.handle));
    if (object.valid())
      rows[found++] = {object, known.number, known.first_sequence, known.first_utc_ms};
  }
  const std::span<TrackedObject> all = rows.first(found);
  std::sort(all.begin(), all.end(), [](const TrackedObject& a, const TrackedObject& b) {
    return a.object.value < b.object.value;
  });
  return std::span<const TrackedObject>(all);
}

Result<void> PictureReader::stream(analysis::SnapshotStream& out) noexcept {
  Arena& arena = memory_.work_arena();
  ArenaScope scratch(arena);
  analysis::GraphWindow window;
  HF_CHECK_OK(window.make(arena, trace_counts_.largest_row));
  Result<void> sent;
  marks_.for_each([&](std::uint64_t place) {
    const Address object = object_at(place);
    const ClassShape& shape = *shapes_.find(view_.class_of(object));
    if (window.full()) sent = window.send(out);
    if (!sent) return false;
    window.begin_object(shape.class_id, references_.object_bytes(object, shape));
    for_each_reference(object, shape, [&](ObjectId number, RefLabel label) {
      if (number.valid()) window.add_reference(number, label);
    });
    return true;
  });
  HF_CHECK_OK(sent);
  return window.send(out);
}

}  // namespace holdfast::jvmti
