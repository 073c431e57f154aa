#include "clrprofiler/coreclr/allocation_gaps.h"

#include <algorithm>

#include "clrprofiler/coreclr/managed_threads.h"
#include "clrprofiler/coreclr/object_header.h"

namespace holdfast::clr {

namespace {

// Kept free behind the limit, so that the room can be closed with an object.

// Empty for a thread that has none. A context at its limit has room still: what is kept free behind it.
AddressRange gap_of(const RuntimeLayout& layout, Address thread) noexcept {
  const Address locals = load<Address>(thread + layout.thread_locals);
  if (locals == 0) return {};
  const Address start = load<Address>(locals + layout.allocation_pointer);
  if (start == 0) return {};
  return {start, load<Address>(locals + layout.allocation_limit) + kLeastObjectBytes};
}

}  // namespace

Result<std::span<const AddressRange>> read_allocation_gaps(const RuntimeLayout& layout,
                                                           Arena& arena) noexcept {
  std::size_t threads = 0;
  HF_CHECK_OK(for_each_thread(layout, [&](Address) { ++threads; }));
  HF_TRY(gaps, arena.make<AddressRange>(threads));
  std::size_t count = 0;
  HF_CHECK_OK(for_each_thread(layout, [&](Address thread) {
    const AddressRange gap = gap_of(layout, thread);
    if (gap.start != 0 && count < gaps.size()) gaps[count++] = gap;
  }));
  const auto found = gaps.first(count);
  for (const AddressRange& gap : found)
    if (gap.end < gap.start + kLeastObjectBytes)
      return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(gap.start));
  std::sort(found.begin(), found.end(),
            [](const AddressRange& a, const AddressRange& b) { return a.start < b.start; });
  return std::span<const AddressRange>(found);
}

}  // namespace holdfast::clr
