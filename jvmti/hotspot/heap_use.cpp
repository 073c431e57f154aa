#include "jvmti/hotspot/heap_use.h"

#include <span>

#include "jvmti/hotspot/vm_flags.h"
#include "platforms/mappings.h"

namespace holdfast::jvmti {

namespace {

constexpr std::uint64_t kMostUseOffset = 1u << 16;  // of a field in the VM's largest structures

struct UseSpelling {
  const char* type = nullptr;
  const char* field = nullptr;
};

bool is_on(const VmTables& tables, std::string_view flag) noexcept {
  const std::byte* value = find_vm_flag(tables, flag);
  return value != nullptr && read_at<std::uint8_t>(value) != 0;
}

}  // namespace

struct SpaceSearch {
  const VmTables& tables;
  HeapUse& found;

  // Where the field is: in `owner`, or where the VM has it once. nullptr: the VM does not tell.
  const std::byte* place(const std::byte* owner,
                         std::span<const UseSpelling> spellings) const noexcept {
    for (const UseSpelling& spelling : spellings) {
      const auto field = tables.field(spelling.type, spelling.field);
      if (!field) continue;
      if (field->address != nullptr) return field->address;
      if (owner != nullptr && field->offset < kMostUseOffset) return owner + field->offset;
    }
    return nullptr;
  }
  const std::byte* follow(const std::byte* owner,
                          std::span<const UseSpelling> spellings) const noexcept {
    const std::byte* at = place(owner, spellings);
    return is_word(at) ? read_at<const std::byte*>(at) : nullptr;
  }
  // A wrong table is refused, not followed.
  static bool is_word(const std::byte* at) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    return at != nullptr && address % alignof(std::uint64_t) == 0 &&
           platforms::is_readable(address);
  }
  bool ends_are_words() const noexcept {
    for (std::size_t i = 0; i < found.space_count_; ++i)
      if (!is_word(found.spaces_[i] + found.bottom_) || !is_word(found.spaces_[i] + found.top_))
        return false;
    return true;
  }
  bool offset(std::span<const UseSpelling> spellings, std::uint64_t& out) const noexcept {
    for (const UseSpelling& spelling : spellings) {
      const auto field = tables.field(spelling.type, spelling.field);
      if (!field || field->address != nullptr || field->offset >= kMostUseOffset) continue;
      out = field->offset;
      return true;
    }
    return false;
  }
  bool add(const std::byte* owner, std::span<const UseSpelling> spellings) const noexcept {
    const std::byte* space = follow(owner, spellings);
    if (space == nullptr || found.space_count_ == HeapUse::kMostSpaces) return false;
    found.spaces_[found.space_count_++] = space;
    return true;
  }

  bool g1(const std::byte* heap) const noexcept {
    constexpr UseSpelling kUsed[] = {{"G1CollectedHeap", "_summary_bytes_used"}};
    found.total_ = place(heap, kUsed);
    return is_word(found.total_);
  }
  bool parallel() const noexcept {
    constexpr UseSpelling kYoung[] = {{"ParallelScavengeHeap", "_young_gen"}};
    constexpr UseSpelling kOld[] = {{"ParallelScavengeHeap", "_old_gen"}};
    constexpr UseSpelling kEden[] = {{"PSYoungGen", "_eden_space"}};
    constexpr UseSpelling kFrom[] = {{"PSYoungGen", "_from_space"}};
    constexpr UseSpelling kTo[] = {{"PSYoungGen", "_to_space"}};
    constexpr UseSpelling kSpace[] = {{"PSOldGen", "_object_space"}};
    constexpr UseSpelling kBottom[] = {{"MutableSpace", "_bottom"}, {"ImmutableSpace", "_bottom"}};
    constexpr UseSpelling kTop[] = {{"MutableSpace", "_top"}};
    const std::byte* young = follow(nullptr, kYoung);
    const std::byte* old = follow(nullptr, kOld);
    return young != nullptr && old != nullptr && add(young, kEden) && add(young, kFrom) &&
           add(young, kTo) && add(old, kSpace) && offset(kBottom, found.bottom_) &&
           offset(kTop, found.top_) && ends_are_words();
  }
  bool serial(const std::byte* heap) const noexcept {
    constexpr UseSpelling kYoung[] = {{"SerialHeap", "_young_gen"},
                                      {"GenCollectedHeap", "_young_gen"}};
    constexpr UseSpelling kOld[] = {{"SerialHeap", "_old_gen"}, {"GenCollectedHeap", "_old_gen"}};
    constexpr UseSpelling kEden[] = {{"DefNewGeneration", "_eden_space"}};
    constexpr UseSpelling kFrom[] = {{"DefNewGeneration", "_from_space"}};
    constexpr UseSpelling kTo[] = {{"DefNewGeneration", "_to_space"}};
    constexpr UseSpelling kSpace[] = {{"TenuredGeneration", "_the_space"}};
    constexpr UseSpelling kBottom[] = {{"ContiguousSpace", "_bottom"}, {"Space", "_bottom"}};
    constexpr UseSpelling kTop[] = {{"ContiguousSpace", "_top"}};
    const std::byte* young = follow(heap, kYoung);
    const std::byte* old = follow(heap, kOld);
    return young != nullptr && old != nullptr && add(young, kEden) && add(young, kFrom) &&
           add(young, kTo) && add(old, kSpace) && offset(kBottom, found.bottom_) &&
           offset(kTop, found.top_) && ends_are_words();
  }
};

bool HeapUse::open(VmSymbol symbol, std::uint64_t max_heap_bytes) noexcept {
  *this = HeapUse{};
  VmTables tables;
  if (max_heap_bytes == 0 || !tables.open(symbol)) return false;
  max_bytes_ = max_heap_bytes;
  constexpr UseSpelling kHeap[] = {{"Universe", "_collectedHeap"}};
  const SpaceSearch search{tables, *this};
  const std::byte* heap = search.follow(nullptr, kHeap);
  bool told = false;
  if (heap != nullptr && is_on(tables, "UseG1GC")) told = search.g1(heap);
  if (is_on(tables, "UseParallelGC")) told = search.parallel();
  if (heap != nullptr && is_on(tables, "UseSerialGC")) told = search.serial(heap);
  if (!told || used_bytes() == kUnknownCount) *this = HeapUse{};
  return is_open();
}

std::uint64_t HeapUse::used_bytes() const noexcept {
  if (!is_open()) return kUnknownCount;
  std::uint64_t used = total_ != nullptr ? word_at(total_) : 0;
  for (const std::byte* space : std::span(spaces_).first(space_count_)) {
    const std::uint64_t bottom = word_at(space + bottom_);
    const std::uint64_t top = word_at(space + top_);
    if (top < bottom || top - bottom > max_bytes_) return kUnknownCount;
    used += top - bottom;
  }
  return used <= max_bytes_ ? used : kUnknownCount;
}

}  // namespace holdfast::jvmti
