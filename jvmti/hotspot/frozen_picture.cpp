#include "jvmti/hotspot/frozen_picture.h"

#include "common/snapshot/snapshot_fill.h"
#include "jvmti/hotspot/heap_trace.h"

namespace holdfast::jvmti {

namespace {

class PictureReader {
 public:
  PictureReader(FrozenPicture& picture, CaptureMemory& memory) noexcept
      : picture_(picture),
        memory_(memory),
        view_(*picture.layout),
        shapes_(view_, picture.catalog, memory.work_arena()),
        references_(view_, picture.catalog, shapes_) {}

  Result<void> read(const MethodNames& methods, const CancelToken& cancel, Capture& out) noexcept {
    HF_CHECK_OK(shapes_.read());
    const HeapLayout& layout = view_.layout();
    HF_TRY(marks, MarkTable::make(memory_.work_arena(), layout.heap_end - layout.heap_start));
    marks_ = marks;
    HeapTrace trace(view_, shapes_, references_, marks_, memory_.work_arena());
    HF_CHECK_OK(add_roots(trace));
    HF_CHECK_OK(trace.run(cancel));
    HF_CHECK_OK(check_sums(trace.counts()));
    HF_TRY(objects, marks_.number());
    if (objects != trace.counts().objects) return contradiction(objects);
    HF_CHECK_OK(add_builtin_class_roots());
    return fill(trace.counts(), objects, methods, out);
  }

 private:
  static Error contradiction(std::uint64_t what) noexcept {
    return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(what));
  }

  // The handles that we hold for this dump would show up as one root a class.
  bool is_own(const RawRoot& root) const noexcept {
    return root.kind == RootKind::kJniLocal && root.thread.valid() &&
           root.thread == picture_.catalog.capture_thread;
  }

  Result<void> add_roots(HeapTrace& trace) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < picture_.roots.size(); ++i) {
      if (is_own(picture_.roots[i])) continue;
      const Address object = view_.current(picture_.addresses[i]);
      picture_.roots[kept] = picture_.roots[i];
      picture_.addresses[kept++] = object;
      HF_CHECK_OK(trace.add_root(object));
    }
    picture_.roots.truncate(kept);
    picture_.addresses.truncate(kept);
    for (const Address handle : picture_.catalog.kept_roots) {
      const Address object = view_.behind_handle(handle);
      if (object == 0) continue;  // the VM let it go
      HF_CHECK_OK(trace.add_root(object));
      HF_CHECK_OK(push_root(object, RootKind::kOther));
    }
    return {};
  }

  Result<void> push_root(Address object, RootKind kind) noexcept {
    RawRoot root;
    root.kind = kind;
    if (!picture_.roots.push(root) || !picture_.addresses.push(object))
      return make_error(ErrorCode::kOutOfBudget);
    return {};
  }

  // More than the VM has committed cannot be alive.
  Result<void> check_sums(const TraceCounts& counts) noexcept {
    const std::uint64_t committed = picture_.heap_before.max_bytes;
    if (committed != 0 && counts.shallow_bytes > committed)
      return contradiction(counts.shallow_bytes);
    return {};
  }

  // Class objects of loaders that are never unloaded: a path shall begin at a static field, not inside a loader's tables.
  Result<void> add_builtin_class_roots() noexcept {
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
          is_marked(mirror))
        HF_CHECK_OK(push_root(mirror, RootKind::kSystemClass));
    }
    return {};
  }

  // The class that a class object stands for; nullptr for any other object. (A primitive type's has none, and is one.)
  const ClassShape* class_behind(Address object) noexcept {
    const ClassShape* shape = shapes_.find(view_.class_of(object));
    if (shape == nullptr || shape->kind != ShapeKind::kClassObject) return nullptr;
    const ClassShape* type = shapes_.find(view_.class_of_mirror(object));
    return type != nullptr ? type : shape;
  }

  bool is_marked(Address object) const noexcept {
    return view_.plausible(object) && marks_.marked(view_.layout().place_of(object));
  }
  ObjectId number_of(Address object) const noexcept {
    return is_marked(object) ? ObjectId{marks_.number_of(view_.layout().place_of(object))}
                             : ObjectId{};
  }

  Result<void> fill(const TraceCounts& counts, std::uint32_t objects, const MethodNames& methods,
                    Capture& out) noexcept {
    SnapshotFill fill;
    HF_CHECK_OK(fill.prepare(memory_, objects, counts.references));
    marks_.for_each([&](std::uint64_t place) {
      fill_object(view_.layout().heap_start + place * MarkTable::kPlaceBytes, fill);
      return true;
    });
    number_catalog();
    // Their names come from the parent, later.
    HF_TRY(rows, memory_.catalog_arena().make_filled<MethodRow>(
                     methods.size(), MethodRow{StringId{0}, StringId{0}}));
    picture_.catalog.heap->catalog.methods = rows;
    return fill.finish(picture_.catalog.heap->catalog, resolve_roots(methods), out.snapshot);
  }

  void fill_object(Address object, SnapshotFill& fill) noexcept {
    const ClassShape& shape = *shapes_.find(view_.class_of(object));
    fill.begin_object(shape.class_id, references_.object_bytes(object, shape));
    const auto add = [&](Address referent, RefLabel label) {
      const ObjectId number = number_of(referent);
      if (number.valid())
        fill.add_reference(number, label);
      else
        ++fill.losses().references_to_unknown;
    };
    references_.for_each(object, shape, add);
    if (shape.kind != ShapeKind::kStackChunk) return;
    references_.for_each_guess(object, shape, [&](Address guess) {
      if (is_marked(guess)) add(guess, special(SpecialRef::kOther));
    });
  }

  void number_catalog() noexcept {
    Catalog& catalog = picture_.catalog.heap->catalog;
    for (std::uint32_t c = 0; c < catalog.class_count(); ++c)
      catalog.classes[c].mirror = number_of(shapes_.of(ClassId{c}).mirror);
    for (std::size_t t = 0; t < catalog.threads.size(); ++t)
      catalog.threads[t].object = number_of(view_.behind_handle(picture_.catalog.threads[t]));
    for (std::size_t l = 0; l < catalog.loaders.size(); ++l)
      catalog.loaders[l].object = number_of(view_.behind_handle(picture_.catalog.loaders[l]));
  }

  // In place, front to back: a record is smaller than what it is made of.
  std::span<RootRecord> resolve_roots(const MethodNames& methods) noexcept {
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
    return {records, picture_.roots.size()};
  }

  FrozenPicture& picture_;
  CaptureMemory& memory_;
  HeapView view_;
  ClassShapes shapes_;
  ObjectReferences references_;
  MarkTable marks_;
};

}  // namespace

Result<void> read_picture(FrozenPicture& picture, const MethodNames& methods, CaptureMemory& memory,
                          const CancelToken& cancel, Capture& out) noexcept {
  ArenaScope scratch(memory.work_arena());
  HF_CHECK_OK(PictureReader(picture, memory).read(methods, cancel, out));
  return verify(out.snapshot);
}

}  // namespace holdfast::jvmti
