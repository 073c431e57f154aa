#include "jvmpi/heap/heap_count.h"

#include <algorithm>

#include "jvmpi/heap/class_catalog.h"
#include "jvmpi/heap/heap_dump_event.h"
#include "platforms/clock.h"

namespace holdfast::jvmpi {

namespace {

void add(ClassCount& to, std::uint64_t bytes) noexcept {
  ++to.instances;
  to.shallow_bytes += bytes;
}

void add(ClassCount& to, const ClassCount& more) noexcept {
  to.instances += more.instances;
  to.shallow_bytes += more.shallow_bytes;
}

}  // namespace

Result<void> HeapCount::count() noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  const Result<void> counted = count_with_gc_off();
  gc_off_ns_ = platforms::monotonic_ns() - began;
  return counted;
}

Result<void> HeapCount::count_with_gc_off() noexcept {
  HF_TRY(book, ClassBook::make(memory_.work_arena()));
  book_ = book;
  const GcOff off(vm_);
  JVMPI_HeapDumpArg level{kDumpIds};
  const Asked asked =
      vm_.ask(kHeapDump, &level, [&](const JVMPI_Event& event) { count_listed(event); });
  if (asked != Asked::kAnswered) return nothing_told(asked);
  HF_CHECK_OK(name_classes());
  HF_CHECK_OK(ask_loaders());
  return name_classes();
}

Result<void> HeapCount::name_classes() noexcept {
  for (std::uint32_t i = 0; i < book_.size(); ++i) classes_.settle(book_.classes()[i]->id);
  if (out_of_room_ || classes_.out_of_room()) return make_error(ErrorCode::kOutOfBudget);
  return {};
}

// What a loader is called follows from its class.
Result<void> HeapCount::ask_loaders() noexcept {
  HF_TRY(loaders, memory_.work_arena().make<Loader>(book_.size()));
  std::size_t used = 0;
  const std::uint32_t classes = book_.size();
  for (std::uint32_t i = 0; i < classes; ++i) {
    const VmId id = book_.classes()[i]->loader;
    loaders_ = loaders.first(used);
    const auto known = [&](const Loader& loader) { return loader.id == id; };
    if (id == 0 || std::any_of(loaders_.begin(), loaders_.end(), known)) continue;
    Loader& made = loaders[used++] = Loader{id, ClassId{}};
    vm_.ask(kObjectAlloc, id, [&](const JVMPI_Event& event) {
      const auto class_id = reinterpret_cast<std::uintptr_t>(event.u.obj_alloc.class_id);
      BookedClass* const of = class_id != 0 ? book_.find_or_add(class_id) : nullptr;
      if (of != nullptr) made.of = number_of_instance(*of);
    });
  }
  loaders_ = loaders.first(used);
  return {};
}

ClassId HeapCount::class_of(VmId loader) const noexcept {
  for (const Loader& known : loaders_)
    if (known.id == loader) return known.of;
  return ClassId{};
}

void HeapCount::count_listed(const JVMPI_Event& event) noexcept {
  if (!for_each_listed(dump_bytes(event), sizeof(void*),
                       [&](std::uint8_t, VmId id) { count_object(id); }))
    ++doubts_.lists_cut;
}

void HeapCount::count_object(VmId id) noexcept {
  if (id == 0) return;
  const Asked asked = vm_.ask(kObjectAlloc, id, [&](const JVMPI_Event& event) {
    const jint bytes = event.u.obj_alloc.size;
    if (ClassCount* const row = row_for(event))
      add(*row, static_cast<std::uint64_t>(bytes > 0 ? bytes : 0));
  });
  if (asked != Asked::kAnswered) ++doubts_.objects_refused;
}

ClassCount* HeapCount::row_for(const JVMPI_Event& event) noexcept {
  const auto& told = event.u.obj_alloc;
  const auto class_id = static_cast<VmId>(reinterpret_cast<std::uintptr_t>(told.class_id));
  const ValueType element = told.is_array > 0 && told.is_array < 256
                                ? value_type_of(static_cast<std::uint8_t>(told.is_array))
                                : ValueType::kUnknown;
  if (is_primitive(element)) return &primitive_[static_cast<std::size_t>(element)];
  if (class_id == 0) return told.is_array == 0 ? &class_objects_ : &unknown_;
  BookedClass* const of = book_.find_or_add(class_id);
  if (of == nullptr) {
    out_of_room_ = true;
    return nullptr;
  }
  if (element != ValueType::kReference) return &of->instances;
  of->holds_arrays = true;
  return &of->arrays;
}

Result<void> HeapCount::tell(Capture& out) noexcept {
  std::uint32_t primitive_arrays = 0;
  for (std::uint32_t t = 0; t < kFirstBookedNumber; ++t)
    if (primitive_[t].instances != 0) primitive_arrays |= 1u << t;
  BookedCatalog made;
  const auto class_of_loader = [](void* self, VmId id) noexcept {
    return static_cast<const HeapCount*>(self)->class_of(id);
  };
  HF_CHECK_OK(make_catalog({book_, primitive_arrays, nullptr, nullptr, this, class_of_loader},
                           memory_.catalog_arena(), memory_.work_arena(), made));
  const std::uint32_t classes = made.catalog.class_count();
  HF_TRY(counts, memory_.catalog_arena().make_filled<ClassCount>(classes + 1, ClassCount{}));
  const auto add_to = [&](ClassId number, const ClassCount& counted) {
    const ClassId row = made.row_of_number[number.value];
    add(counts[row.valid() ? row.value : classes], counted);
  };
  for (const BookedClass* const of : book_.classes()) {
    add_to(number_of_instance(*of), of->instances);
    add_to(number_of_array(*of), of->arrays);
  }
  for (std::uint32_t t = 0; t < kFirstBookedNumber; ++t)
    if (is_primitive(value_type_of(static_cast<std::uint8_t>(t))))
      add_to(ClassId{t}, primitive_[t]);
  add_to(ClassId{kNumberOfClassObjects}, class_objects_);
  add(counts[classes], unknown_);
  out.rung = CaptureRung::kHistogram;
  out.has_graph = false;
  out.histogram = counts;
  out.snapshot = Snapshot{};
  out.snapshot.catalog = made.catalog;
  out.snapshot.losses.objects_unknown_class = counts[classes].instances;
  out.snapshot.losses.names_dropped = made.catalog.strings.dropped();
  return {};
}

}  // namespace holdfast::jvmpi
