#include "clrprofiler/fake_managed_heap.h"

#include <algorithm>
#include <cstdlib>

namespace holdfast::clr {

namespace {

constexpr std::uint32_t kWord = 8;
constexpr std::uint32_t kLeastBytes = 24;
constexpr std::size_t kChunkWords = std::size_t{1} << 17;
constexpr std::size_t kTable = FakeClass::kTable;
constexpr std::uint64_t kHasComponents = 0x80000000u;
constexpr std::uint64_t kHasReferences = 0x01000000u;

}  // namespace

ClassID FakeManagedHeap::add_class(std::string_view description,
                                   const std::vector<std::string_view>& fields) {
  const ClassID id = types_.get(description);
  const auto count = static_cast<std::uint32_t>(fields.size());
  const std::uint32_t bytes = std::max(kLeastBytes, (count + 2) * kWord);
  for (std::uint32_t k = 0; k < count; ++k)
    types_.add_field(id, fields[k], {0x06, ELEMENT_TYPE_OBJECT}, (k + 1) * kWord);
  if (count != 0) types_.lay_out(id, bytes, {{kWord, count}});
  fields_of_[id] = count;
  return id;
}

// One series, as long as the array but for its header, its class and its length.
ClassID FakeManagedHeap::add_array(std::string_view description) {
  const ClassID id = types_.get(description);
  auto& words = types_.class_at(id).words;
  words[kTable] = std::uint64_t{kLeastBytes} << 32u | kHasReferences | kHasComponents | kWord;
  words[kTable - 1] = 1;
  words[kTable - 2] = 2 * std::uint64_t{kWord};
  words[kTable - 3] = 0 - std::uint64_t{kLeastBytes};
  return id;
}

ObjectID FakeManagedHeap::add(ClassID type, std::uint32_t length) {
  const auto own = fields_of_.find(type);
  const std::uint32_t references = own != fields_of_.end() ? own->second : length;
  std::uint64_t* const words = take_words(std::max<std::size_t>(3, references + 3));
  words[0] = type;
  if (own == fields_of_.end()) words[1] = length;
  objects_.push_back({reinterpret_cast<ObjectID>(words), references});
  return objects_.back().id;
}

std::uint64_t* FakeManagedHeap::take_words(std::size_t count) {
  if (count > chunk_left_) {
    chunk_left_ = std::max(count, kChunkWords);
    chunks_.push_back(std::make_unique<std::uint64_t[]>(chunk_left_));
    next_ = chunks_.back().get();
  }
  chunk_left_ -= count;
  return std::exchange(next_, next_ + count);
}

std::uint32_t FakeManagedHeap::first_word(ObjectID object) const {
  return fields_of_.contains(class_of(object)) ? 1 : 2;
}

void FakeManagedHeap::set(ObjectID from, std::uint32_t k, ObjectID to) {
  const auto own = fields_of_.find(class_of(from));
  const std::uint64_t most = own != fields_of_.end() ? own->second : words_of(from)[1];
  if (k >= most) std::abort();
  words_of(from)[first_word(from) + k] = to;
}

std::uint64_t FakeManagedHeap::bytes_of(ObjectID object) const {
  const auto own = fields_of_.find(class_of(object));
  if (own == fields_of_.end()) return kLeastBytes + words_of(object)[1] * kWord;
  return std::max(kLeastBytes, (own->second + 2) * kWord);
}

void FakeManagedHeap::hold_by_static(ClassID owner, std::string_view field, ObjectID object) {
  slots_.push_back(object);
  const auto slot = reinterpret_cast<std::uint64_t>(&slots_.back());
  types_.add_static(owner, field, slot);
  heap_.statics.push_back(
      {slot, object, class_of(object), 0, std::u16string(field.begin(), field.end())});
}

void FakeManagedHeap::hold_by_stack(FunctionID function, ObjectID object) {
  heap_.roots.push_back({object, EventRootKind::kStack, 0, function});
}

void FakeManagedHeap::hold_by_handle(ObjectID object) {
  heap_.roots.push_back({object, EventRootKind::kHandle, 0, 0x4000 + heap_.roots.size() * kWord});
}

FakeClrHeap FakeManagedHeap::told() const {
  FakeClrHeap told = heap_;
  for (const Object& each : objects_) {
    FakeObject& object = told.objects.emplace_back();
    object.address = each.id;
    object.bytes = bytes_of(each.id);
    object.type = class_of(each.id);
    const std::uint64_t* const first = words_of(each.id) + first_word(each.id);
    for (std::uint32_t k = 0; k < each.references; ++k)
      if (first[k] != 0) object.targets.push_back(first[k]);
  }
  return told;
}

}  // namespace holdfast::clr
