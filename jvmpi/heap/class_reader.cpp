#include "jvmpi/heap/class_reader.h"

#include <algorithm>

#include "jvmpi/heap/shown_bytes.h"

namespace holdfast::jvmpi {

namespace {

// Deeper than any; a VM that answers with a cycle is left after that many.
constexpr int kMostSuperclasses = 1 << 12;
constexpr ClassShape kNoFields{};

struct ReferenceClass {
  std::string_view name;
  Strength strength;
};
constexpr ReferenceClass kReferenceClasses[] = {
    {"java.lang.ref.SoftReference", Strength::kSoft},
    {"java.lang.ref.WeakReference", Strength::kWeak},
    {"java.lang.ref.FinalReference", Strength::kFinal},
    {"java.lang.ref.PhantomReference", Strength::kPhantom},
};

Strength referent_of(std::string_view name, Strength inherited) noexcept {
  for (const ReferenceClass& known : kReferenceClasses)
    if (name == known.name) return known.strength;
  return inherited;
}

void measure_values(BookedClass& of) noexcept {
  const auto& own = of.shape.instances;
  std::uint64_t bytes = of.super != nullptr ? of.super->value_bytes : 0;
  for (const ValueType type : own) bytes += value_bytes(type, sizeof(void*));
  of.value_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
  const bool in_super = of.super != nullptr && of.super->value_bytes != 0;
  of.last_value = in_super ? of.super->last_value : own.empty() ? ValueType::kUnknown : own.back();
}

void settle_one(BookedClass& of) noexcept {
  const BookedClass* const super = of.super;
  of.cut = of.loaded != Told::kTold || of.recorded != Told::kTold ||
           (super != nullptr ? super->cut : of.super_id != 0);
  of.first_slot = super != nullptr ? super->first_slot + super->field_count() : 0;
  of.is_thread = of.name == "java.lang.Thread" || (super != nullptr && super->is_thread);
  of.referent = referent_of(of.name, super != nullptr ? super->referent : Strength::kStrong);
  measure_values(of);
  of.settled = true;
}

}  // namespace

BookedClass* ClassReader::know(VmId id) noexcept {
  BookedClass* const known = book_.find_or_add(id);
  if (known == nullptr) out_of_room_ = true;
  if (known == nullptr || known->loaded != Told::kUnasked) return known;
  known->loaded = Told::kRefused;
  if (id == 0 || vm_.primitives().has(id)) return known;
  vm_.ask(kClassLoad, id, [&](const JVMPI_Event& event) {
    if (book_.tell(event, *known)) known->loaded = Told::kTold;
  });
  if (known->loaded == Told::kRefused) ++doubts_.classes_refused;
  return known;
}

const ClassShape* ClassReader::known_shape(VmId id) noexcept {
  if (vm_.primitives().has(id)) return &kNoFields;
  const BookedClass* const known = book_.find(id);
  return known != nullptr && known->loaded == Told::kTold ? &known->shape : nullptr;
}

const ClassShape* ClassReader::shape_of(VmId id) noexcept {
  if (vm_.primitives().has(id)) return &kNoFields;
  const BookedClass* const known = know(id);
  return known != nullptr && known->loaded == Told::kTold ? &known->shape : nullptr;
}

void ClassReader::take_record(VmId id, const ClassRecord& record) noexcept {
  BookedClass* const of = book_.find(id);
  if (of == nullptr || of->recorded == Told::kTold) return;
  of->recorded = Told::kTold;
  of->super_id = record.super;
  of->loader = record.loader;
}

ReadEnd ClassReader::read_record(BookedClass& of, std::span<std::byte> copy) noexcept {
  ReadEnd end = ReadEnd::kNone;  // nothing is shown
  vm_.ask(kObjectDump, of.id, [&](const JVMPI_Event& event) {
    RecordReader reader(shown_bytes(event, copy), sizeof(void*), DumpValues::kAll, tail_);
    HeapRecord record;
    reader.next([&](VmId id) { return id == of.id ? &of.shape : nullptr; }, record);
    if (record.object == of.id && record.of_class.has_links) take_record(of.id, record.of_class);
    end = reader.end();
  });
  return end;
}

void ClassReader::ask_record(BookedClass& of) noexcept {
  const ReadEnd end = read_record(of, {});
  const bool nothing = end == ReadEnd::kCut || end == ReadEnd::kEnd;
  if (nothing && of.recorded == Told::kUnasked) {
    const ArenaScope scope(scratch_);
    if (auto copy = scratch_.make<std::byte>(kClassRecordBytes)) read_record(of, *copy);
  }
  if (of.recorded == Told::kUnasked) of.recorded = Told::kRefused;
}

void ClassReader::find_superclasses(BookedClass& from) noexcept {
  BookedClass* at = &from;
  for (int step = 0; at != nullptr && !at->settled; ++step, at = at->super) {
    if (step == kMostSuperclasses) {  // a cycle: cut where it was found
      at->super = nullptr;
      return;
    }
    if (at->loaded != Told::kTold) return;
    if (at->recorded == Told::kUnasked) ask_record(*at);
    if (at->recorded == Told::kTold && at->super_id != 0) at->super = know(at->super_id);
  }
}

BookedClass* ClassReader::settle(VmId id) noexcept {
  BookedClass* const wanted = know(id);
  if (wanted == nullptr || wanted->settled) return wanted;
  find_superclasses(*wanted);
  while (!wanted->settled) {
    BookedClass* top = wanted;
    while (top->super != nullptr && !top->super->settled) top = top->super;
    settle_one(*top);
  }
  return wanted;
}

}  // namespace holdfast::jvmpi
