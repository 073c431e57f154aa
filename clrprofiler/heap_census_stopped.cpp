#include "clrprofiler/heap_census_stopped.h"

#include <cstring>

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kObjectAlignment = 8;
constexpr std::uint64_t kLeastObjectBytes = 24;
constexpr std::uint32_t kHasComponents = 0x80000000u;
constexpr std::uintptr_t kMarkBits = 7;  // a collector's own, in the first word

template <class T>
T word_at(std::uintptr_t address) noexcept {
  T word;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  return word;
}

// As the runtime tells sizes: not rounded up to where the next object may begin, but never below the least.
std::uint64_t size_by_words(const SizeRule& rule, ObjectID object) noexcept {
  const std::uint64_t count =
      rule.component_bytes != 0 ? word_at<std::uint32_t>(object + sizeof(void*)) : 0;
  const std::uint64_t bytes = rule.base_bytes + count * rule.component_bytes;
  return bytes > kLeastObjectBytes ? bytes : kLeastObjectBytes;
}

std::uint64_t size_by_api(HeapCensus& census, ObjectID object) noexcept {
  SIZE_T bytes = 0;
  return succeeded(census.info->GetObjectSize2(object, &bytes)) ? bytes : 0;
}

// The first object of a class: what the words say of it has to be what the API says.
void examine(HeapCensus& census, SizeRule& rule, std::uint64_t table, ObjectID object) noexcept {
  rule.examined = true;
  if (!census.words_hold || sizeof(void*) != 8 || table == 0) return;
  const auto flags = word_at<std::uint32_t>(table);
  rule.base_bytes = word_at<std::uint32_t>(table + 4);
  rule.component_bytes = (flags & kHasComponents) != 0 ? static_cast<std::uint16_t>(flags) : 0;
  rule.proven = size_by_words(rule, object) == size_by_api(census, object);
  census.words_hold = rule.proven;
}

std::uint32_t index_of(HeapCensus& census, std::uint64_t class_id) noexcept {
  bool fresh = false;
  return census.classes->index_of(class_id, fresh);
}

std::uint64_t class_of(HeapCensus& census, ObjectID object) noexcept {
  ClassID id = 0;
  return succeeded(census.info->GetClassFromObject(object, &id)) ? id : 0;
}

// By the object's first word where words hold: the API is asked when a class is met for the first time.
std::uint32_t class_index(HeapCensus& census, ObjectID object) noexcept {
  if (!census.words_hold) return index_of(census, class_of(census, object));
  const std::uint64_t table = word_at<std::uintptr_t>(object) & ~kMarkBits;
  const std::uint32_t index = index_of(census, table);
  if (census.rules[index].examined || class_of(census, object) == table) return index;
  census.words_hold = false;
  return index_of(census, class_of(census, object));
}

}  // namespace

BOOL HF_COM count_object_stopped(ObjectID object, void* context) noexcept {
  auto& census = *static_cast<HeapCensus*>(context);
  const std::uint32_t index = class_index(census, object);
  CountedType& row = census.classes->row(index);
  SizeRule& rule = census.rules[index];
  if (!rule.examined) examine(census, rule, row.type, object);
  const std::uint64_t bytes =
      rule.proven ? size_by_words(rule, object) : size_by_api(census, object);
  const std::uint64_t whole = (bytes + kObjectAlignment - 1) / kObjectAlignment * kObjectAlignment;
  ++row.instances;
  row.shallow_bytes += whole;
  if (census.ages != nullptr) census.ages->add(index, object, whole);
  return 1;  // TRUE; only the low byte counts
}

}  // namespace holdfast::clr
