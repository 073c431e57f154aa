#include "jvmti/hotspot/frozen_picture.h"

#include <algorithm>

#include "analysis/graph_window.h"

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
  HF_CHECK_OK(add_roots(trace));
  HF_CHECK_OK(trace.run(cancel));
  HF_CHECK_OK(add_late_roots(trace));
  HF_CHECK_OK(trace.run(cancel));
  trace_counts_ = trace.counts();
  HF_CHECK_OK(check_sums());
  HF_TRY(objects, marks_.number());
  objects_ = objects;
  if (objects_ != trace_counts_.objects) return picture_contradiction(objects_);
  return add_builtin_class_roots();
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
  HF_CHECK_OK(sift_roots(trace, [this](std::size_t i) { return !is_own(picture_.roots[i]); }));
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

// In place, front to back: a record is smaller than what it is made of.
void PictureReader::resolve_roots(const MethodNames& methods) noexcept {
  static_assert(sizeof(RootRecord) <= sizeof(RawRoot));
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
