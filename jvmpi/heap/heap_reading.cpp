#include "jvmpi/heap/heap_reading.h"

#include <algorithm>

#include "jvmpi/heap/class_catalog.h"
#include "jvmpi/heap/reached_objects.h"
#include "platforms/clock.h"

namespace holdfast::jvmpi {

namespace {

constexpr std::uint32_t kFirstDangling = 1024;

}  // namespace

Result<void> HeapReading::read(const ReadingPlan& plan) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  const Result<void> read = read_with_gc_off(plan);
  gc_off_ns_ = platforms::monotonic_ns() - began;
  return read;
}

// How many objects had been met.
Error HeapReading::out_of_room() const noexcept {
  return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(builder_.object_count()));
}

Result<void> HeapReading::read_with_gc_off(const ReadingPlan& plan) noexcept {
  HF_CHECK_OK(open());
  one_buffer_ = plan.one_buffer;
  set_tail(plan.tail);
  const GcOff off(vm_);
  HF_CHECK_OK(plan.one_buffer ? read_one_buffer() : read_each_object(plan));
  HF_CHECK_OK(follow_dangling(plan.one_buffer ? UINT64_MAX : plan.deadline_ns));
  HF_CHECK_OK(finish());
  // What was refused from then on is not the heap.
  if (vm_.closed()) return make_error(ErrorCode::kVmNotReady);
  return {};
}

Result<void> HeapReading::open() noexcept {
  HF_TRY(book, ClassBook::make(memory_.work_arena()));
  HF_TRY(roots, ToldRoots::make(memory_.work_arena()));
  book_ = book;
  roots_ = roots;
  return {};
}

void HeapReading::set_tail(RecordTail tail) noexcept {
  tail_ = tail;
  classes_.set_tail(tail);
}

// All ids have been added.
Result<void> HeapReading::begin_graph() noexcept {
  ids_.sort();
  doubts_.objects_repeated += ids_.repeated();
  HF_TRY(dangling, DanglingIds::make(memory_.work_arena(), kFirstDangling));
  dangling_ = dangling;
  return builder_.prepare(memory_, ids_.size());
}

Result<void> HeapReading::take_root(const HeapRecord& record,
                                    std::span<const JVMPI_CallTrace> traces) noexcept {
  if (record.object == 0) return {};
  if (!roots_.take(record, traces, writer_.number_of(record.object), builder_))
    return out_of_room();
  return {};
}

Result<void> HeapReading::end_of_write(WriteEnd end) noexcept {
  if (end == WriteEnd::kWritten) reach();
  return end == WriteEnd::kNoRoom ? Result<void>(out_of_room()) : Result<void>{};
}

void HeapReading::reach() noexcept {
  const SizeQuestion& question = writer_.size_question();
  writer_.reach(sizes_.bytes(question));
  if (question.instance_of != nullptr && question.instance_of->is_thread)
    roots_.take_thread(question.object);
  if (is_primitive(question.element))
    primitive_arrays_ |= 1u << static_cast<unsigned>(question.element);
}

// What still has to be asked while ids hold.
Result<void> HeapReading::finish() noexcept {
  for (std::uint32_t i = 0; i < book_.size(); ++i)
    if (BookedClass& of = *book_.classes()[i]; of.holds_arrays) classes_.know(of.id);
  if (classes_.out_of_room()) return out_of_room();
  roots_.name_threads(vm_);
  roots_.name_methods(vm_, classes_, std::as_const(builder_).raw_roots());
  return {};
}

// -- afterwards --

// As [Thesis] (docs/bibliography.md) has it where a VM reports no roots: what nothing refers to.
// Beside reported ones: what it was that referred to it may be missing.
Result<void> HeapReading::guess_roots() noexcept {
  const ArenaScope scratch(memory_.work_arena());
  HF_TRY(referred, memory_.work_arena().make_filled<std::uint8_t>(builder_.object_count(), 0));
  for (const ObjectId to : builder_.rows().target) referred[to.value] = 1;
  for (const RawRoot& root : std::as_const(builder_).raw_roots()) referred[root.object.value] = 1;
  for (std::uint32_t v = 0; v < builder_.object_count(); ++v) {
    if (referred[v] != 0 || !builder_.reached(ObjectId{v})) continue;
    RawRoot root;
    root.object = ObjectId{v};
    if (!builder_.add_root(root)) return out_of_room();
  }
  return {};
}

// Classes of loaders that are never unloaded are roots, as for any other Java VM, if anything leads to them and the VM does not name them
// itself.
Result<void> HeapReading::add_builtin_class_roots(const Catalog& catalog) noexcept {
  const ArenaScope scope(memory_.work_arena());
  HF_TRY(reached, memory_.work_arena().make_filled<std::uint8_t>(builder_.object_count(), 0));
  HF_CHECK_OK(mark_reached(builder_, catalog, memory_.work_arena(), reached));
  for (const RawRoot& root : std::as_const(builder_).raw_roots())
    if (root.kind == RootKind::kSystemClass) reached[root.object.value] = 0;
  for (std::uint32_t c = 0; c < catalog.class_count(); ++c) {
    const ClassRow& row = catalog.classes[c];
    if (!row.mirror.valid() || reached[row.mirror.value] == 0 ||
        !catalog.loaders[row.loader.value].builtin || catalog.is_hidden(ClassId{c}))
      continue;
    RawRoot root;
    root.object = row.mirror;
    root.kind = RootKind::kSystemClass;
    if (!builder_.add_root(root)) return out_of_room();
  }
  return {};
}

Result<void> HeapReading::seal(Snapshot& out) noexcept {
  doubts_.dangling_references += builder_.drop_unreached();
  if (roots_guessed()) HF_CHECK_OK(guess_roots());
  ToldRoots::settle_kinds(book_, builder_);
  const auto object_of = [](void* writer, VmId id) noexcept {
    return static_cast<const GraphWriter*>(writer)->find_reached(id);
  };
  const auto class_of = [](void* writer, VmId id) noexcept {
    return static_cast<const GraphWriter*>(writer)->class_of(id);
  };
  BookedCatalog made;
  HF_CHECK_OK(make_catalog({book_, primitive_arrays_, &roots_, object_of, &writer_, class_of},
                           memory_.catalog_arena(), memory_.work_arena(), made));
  builder_.rename_classes(made.row_of_number);
  HF_CHECK_OK(add_builtin_class_roots(made.catalog));
  HF_CHECK_OK(builder_.seal(made.catalog, &ToldRoots::method_of, &roots_, out));
  return verify(out);
}

}  // namespace holdfast::jvmpi
