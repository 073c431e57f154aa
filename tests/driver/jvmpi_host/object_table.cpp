#include "tests/driver/jvmpi_host/object_table.h"

namespace holdfast::jvmpi_host {

namespace {

constexpr bool kNarrow = sizeof(void*) == 4;
constexpr std::uint64_t kFirstId =
    kNarrow ? 0x10000000 : 0x100000000000;  // looks like an address of a heap
constexpr int kTagShift = 32;
// Room of an epoch's ids: 4 GB; with 32 bits 256 MB, and the ids of one epoch are those of the eighth before it.
constexpr int kEpochShift = kNarrow ? 28 : 32;
constexpr std::uint32_t kEpochsApart = kNarrow ? 8 : 1u << 16;
constexpr std::uint64_t kIdAlignment = 8;
constexpr std::uint32_t kIndexMask = (1u << (kNarrow ? 25 : 28)) - 1;
constexpr std::uint32_t kScramble = 0x9E3779B1;  // odd: a bijection of so many bits

constexpr std::uint32_t inverse(std::uint32_t odd) {
  std::uint32_t x = odd;
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;  // Newton: doubles the bits that are right
  return x;
}
static_assert(inverse(kScramble) * kScramble == 1);

}  // namespace

void ObjectTable::begin() {
  ++epoch_;
  entries_.assign(1, ObjectEntry{});
  open_ = true;
  pictured_ = false;
}

void ObjectTable::end(JNIEnv* env) {
  for (const ObjectEntry& entry : entries_)
    if (entry.ref != nullptr) env->DeleteGlobalRef(entry.ref);
  entries_ = {};
  open_ = false;
}

ObjectIndex ObjectTable::append() {
  if (entries_.size() >= kIndexMask) broken("too many objects", 0);
  entries_.emplace_back();
  return size() - 1;
}

jlong ObjectTable::tag(ObjectIndex index) const {
  return static_cast<jlong>(std::uint64_t{epoch_} << kTagShift | index);
}

// Tags of earlier epochs are as good as none.
ObjectIndex ObjectTable::find_tag(jlong tag) const {
  const bool current = static_cast<std::uint64_t>(tag) >> kTagShift == epoch_;
  return current ? static_cast<ObjectIndex>(tag) : 0;
}

ObjectIndex ObjectTable::at_tag(jlong& found) {
  ObjectIndex index = find_tag(found);
  if (index != 0) return index;
  index = append();
  found = tag(index);
  return index;
}

ObjectIndex ObjectTable::tagged(jobject object) {
  jlong found = 0;
  must(vm().jvmti->GetTag(object, &found), "GetTag");
  ObjectIndex index = find_tag(found);
  if (index != 0) return index;
  index = append();
  entries_[index].reached = true;
  must(vm().jvmti->SetTag(object, tag(index)), "SetTag");
  return index;
}

ObjectIndex ObjectTable::index_of(JNIEnv* env, jobject object) {
  if (object == nullptr) return 0;
  const ObjectIndex index = tagged(object);
  if (entries_[index].dormant) return 0;
  if (entries_[index].ref == nullptr) hold(env, index, object);
  return index;
}

ObjectIndex ObjectTable::take(JNIEnv* env, jobject local) {
  const ObjectIndex index = index_of(env, local);
  if (local != nullptr) env->DeleteLocalRef(local);
  return index;
}

void ObjectTable::hold(JNIEnv* env, ObjectIndex index, jobject object) {
  ObjectEntry& entry = entries_[index];
  entry.ref = env->NewGlobalRef(object);
  entry.held_early = !pictured_;
  if (entry.ref == nullptr) broken("no reference", 0);
}

void ObjectTable::leave_out(JNIEnv* env, ObjectIndex index) {
  ObjectEntry& entry = entries_[index];
  env->DeleteGlobalRef(entry.ref);
  entry.ref = nullptr;
  entry.listed = false;
  entry.dormant = true;
}

jobjectID ObjectTable::id(ObjectIndex index) const {
  if (index == 0) return nullptr;
  const std::uint64_t scrambled = (index * kScramble) & kIndexMask;
  const std::uint64_t room = epoch_ % kEpochsApart;
  return reinterpret_cast<jobjectID>(
      static_cast<std::uintptr_t>(kFirstId + (room << kEpochShift) + scrambled * kIdAlignment));
}

DecodedId ObjectTable::decode(jobjectID id) const {
  const std::uint64_t value = reinterpret_cast<std::uintptr_t>(id);
  const std::uint64_t room = (value - kFirstId) >> kEpochShift;
  if (value < kFirstId || room >= kEpochsApart || (epoch_ < kEpochsApart && room > epoch_))
    return {IdIs::kForeign, 0};
  if (room != epoch_ % kEpochsApart || !open_) return {IdIs::kStale, 0};
  const std::uint64_t place = (value - kFirstId) & ((std::uint64_t{1} << kEpochShift) - 1);
  const auto scrambled = static_cast<std::uint32_t>(place / kIdAlignment);
  const ObjectIndex index = (scrambled * inverse(kScramble)) & kIndexMask;
  const bool known =
      place % kIdAlignment == 0 && scrambled <= kIndexMask && index != 0 && index < entries_.size();
  return {known ? IdIs::kCurrent : IdIs::kUnknown, known ? index : 0};
}

}  // namespace holdfast::jvmpi_host
