#include "clrprofiler/coreclr/object_starts.h"

#include <algorithm>
#include <bit>

namespace holdfast::clr {

Result<void> ObjectStarts::make() noexcept {
  HF_TRY(bits, arena_.make_filled<Bits>(heap_.segments().size(), Bits{}));
  bits_ = bits;
  return {};
}

const ObjectStarts::Bits* ObjectStarts::walked(const HeapSegment& segment) noexcept {
  Bits& bits = bits_[static_cast<std::size_t>(&segment - heap_.segments().data())];
  if (!bits.empty()) return &bits;
  const std::uint64_t places = (segment.objects.end - segment.objects.start) / kObjectAlignment;
  const auto made = arena_.make_filled<std::uint64_t>(places / 64 + 1, 0);
  failed_ = failed_ || !made;
  if (!made) return nullptr;
  bits = *made;
  walk(segment, bits);
  return &bits;
}

void ObjectStarts::walk(const HeapSegment& segment, Bits bits) noexcept {
  auto gap =
      std::lower_bound(gaps_.begin(), gaps_.end(), segment.objects.start,
                       [](const AddressRange& one, Address start) { return one.start < start; });
  Address at = segment.objects.start;
  while (at < segment.objects.end) {
    while (gap != gaps_.end() && gap->start < at) ++gap;
    if (gap != gaps_.end() && gap->start == at) {
      at = gap->end;
      continue;
    }
    const Address type = class_of(layout_, at);
    if (type != layout_.free_class && classes_.find(type) == KnownClasses::kNone) return;
    const std::uint64_t room = room_of(bytes_of(layout_, at, type));
    if (room > segment.objects.end - at) return;
    if (type != layout_.free_class) {
      const std::uint64_t place = (at - segment.objects.start) / kObjectAlignment;
      bits[place / 64] |= std::uint64_t{1} << (place % 64);
    }
    at += room;
  }
}

bool ObjectStarts::is_object(Address at) noexcept {
  if (!heap_.may_begin_at(at)) return false;
  const HeapSegment& segment = *heap_.segment_of(at);
  const Bits* bits = walked(segment);
  return bits != nullptr && has(*bits, (at - segment.objects.start) / kObjectAlignment);
}

Address ObjectStarts::containing(Address at) noexcept {
  const HeapSegment* segment = heap_.segment_of(at);
  const Bits* bits = segment != nullptr ? walked(*segment) : nullptr;
  if (bits == nullptr) return 0;
  const std::uint64_t place = (at - segment->objects.start) / kObjectAlignment;
  std::uint64_t word = place / 64;
  // The bits at and below the place.
  std::uint64_t below = (*bits)[word] & (~std::uint64_t{0} >> (63 - place % 64));
  while (below == 0 && word > 0) below = (*bits)[--word];
  if (below == 0) return 0;
  const std::uint64_t found = word * 64 + 63 - static_cast<unsigned>(std::countl_zero(below));
  const Address object = segment->objects.start + found * kObjectAlignment;
  const std::uint64_t bytes = bytes_of(layout_, object, class_of(layout_, object));
  return at < object + bytes ? object : 0;
}

}  // namespace holdfast::clr
