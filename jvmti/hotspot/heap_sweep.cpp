#include "jvmti/hotspot/heap_sweep.h"

#include <algorithm>

#include "platforms/clock.h"
#include "platforms/mappings.h"

namespace holdfast::jvmti {

namespace {

constexpr std::uint64_t kStrideBytes =
    64 << 10;                              // memory comes and goes in such pieces or larger ones
constexpr std::uint64_t kSizeBytes = 256;  // what says how large an object is stands in so many
constexpr std::uint32_t kLookEvery = 1u << 14;
constexpr std::uint64_t kMostThreadOffset = 16384;

std::uint32_t offset_of(const VmTables& tables, const char* type, const char* field) noexcept {
  const auto found = tables.field(type, field);
  return found && found->address == nullptr && found->offset < kMostThreadOffset
             ? static_cast<std::uint32_t>(found->offset)
             : 0;
}

// From 11 on two words end a buffer: the first one moves while allocations are sampled, and no table has the other.
void read_buffers(const VmTables& tables, SweepLayout& out) noexcept {
  constexpr const char* kBuffer = "ThreadLocalAllocBuffer";
  constexpr std::uint64_t kLeastReserveBytes = 16;  // a header
  constexpr std::uint64_t kMostReserveWords = 4096;
  out.top = offset_of(tables, kBuffer, "_top");
  out.end = offset_of(tables, kBuffer, "_end");
  const std::uint32_t behind = offset_of(tables, kBuffer, "_desired_size");
  if (out.top == 0 || out.end <= out.top || behind <= out.end || behind - out.end > 16) return;
  out.end = behind - 8;
  out.buffer = offset_of(tables, "Thread", "_tlab");
  out.reserve_bytes = kLeastReserveBytes;
  const auto prefetched = tables.field(kBuffer, "_reserve_for_allocation_prefetch");
  if (!prefetched || prefetched->address == nullptr) return;
  const std::uint64_t words = read_at<std::uint32_t>(prefetched->address);
  if (words <= kMostReserveWords) out.reserve_bytes = std::max(out.reserve_bytes, words * 8);
}

}  // namespace

SweepLayout read_sweep_layout(VmSymbol symbol, std::uint64_t max_heap_bytes) noexcept {
  SweepLayout layout;
  VmTables tables;
  if (!tables.open(symbol)) return layout;
  layout.spaces.open(symbol, max_heap_bytes);
  read_buffers(tables, layout);
  return layout;
}

Result<void> FilledParts::open(const SweepLayout* layout, RootReader& threads,
                               Arena& arena) noexcept {
  regional_ = regional_ && regions_.open(arena)[0] == '\0';
  if (layout == nullptr) return {};
  if (!regional_) read_spaces(layout->spaces);
  return find_buffers(*layout, threads, arena);
}

// All or none: an object of a space that is not known would count as nothing.
void FilledParts::read_spaces(const HeapUse& use) noexcept {
  const HeapLayout& heap = view_.layout();
  bool sound = true;
  use.for_each_space([&](Address start, Address end) {
    sound = sound && space_count_ < kMostSpaces && start >= heap.heap_start && start <= end &&
            end <= heap.heap_end;
    if (sound) spaces_[space_count_++] = {start, end};
  });
  if (!sound) space_count_ = 0;
}

// What lies in a buffer behind its last object.
Result<void> FilledParts::find_buffers(const SweepLayout& layout, RootReader& threads,
                                       Arena& arena) noexcept {
  if (layout.buffer == 0) return {};
  std::size_t count = 0;
  threads.for_each_thread([&](const VmThread&, std::uint32_t) { ++count; });
  HF_TRY(all, arena.make<Part>(count));
  std::size_t used = 0;
  const HeapLayout& heap = view_.layout();
  threads.for_each_thread([&](const VmThread& thread, std::uint32_t) {
    const Address buffer = thread.address + layout.buffer;
    const auto top = threads.read<Address>(buffer + layout.top);
    const auto end = threads.read<Address>(buffer + layout.end);
    if (top == 0 || top > end || top < heap.heap_start || end > heap.heap_end || used == count)
      return;
    all[used++] = {top, view_.aligned(end + layout.reserve_bytes)};
  });
  buffers_ = all.first(used);
  std::sort(buffers_.begin(), buffers_.end(),
            [](const Part& a, const Part& b) { return a.start < b.start; });
  return {};
}

bool FilledParts::holds_nothing(Address object) const noexcept {
  if (regional_ && regions_.holds_nothing(object)) return true;
  const auto has = [object](const Part& part) { return object >= part.start && object < part.end; };
  if (space_count_ != 0 && std::none_of(spaces_, spaces_ + space_count_, has)) return true;
  const auto behind =
      std::upper_bound(buffers_.begin(), buffers_.end(), object,
                       [](Address at, const Part& part) { return at < part.start; });
  return behind != buffers_.begin() && has(*(behind - 1));
}

Result<void> HeapSweep::run(std::uint64_t until_ns, std::span<ClassCount> rows,
                            UnreachedObjects& out) noexcept {
  rows_ = rows;
  out_ = &out;
  until_ns_ = until_ns;
  const HeapLayout& heap = view_.layout();
  bool any = false;
  if (const ObjectAges* regions = parts_.regions(); regions != nullptr) {
    Address done = heap.heap_start;  // a large object fills several regions
    regions->for_each_filled_region([&](Address start, Address end) {
      any = true;
      if (end > done) done = sweep(std::max(start, done), end, heap.heap_end);
    });
  }
  for (const FilledParts::Part& space : parts_.spaces()) {
    any = true;
    reached_ = 0;
    sweep(space.start, space.end, space.end);
  }
  return any ? Result<void>{} : Result<void>{make_error(ErrorCode::kUnsupported)};
}

// From an object's start to `end`; answers where the last object ends. The first one may be larger than this part, up to `most`.
Address HeapSweep::sweep(Address start, Address end, Address most) noexcept {
  Address at = start;
  while (at < end) {
    if (is_late()) {
      out_->unread_bytes += end - at;
      return end;
    }
    if (reached_ < at) reached_ = next_reached(at, most);
    if (at == reached_) {
      at += std::max(bytes_of_reached(at), view_.layout().object_alignment);
      continue;
    }
    const Address buffer = next_buffer(at);
    if (at == buffer) {
      at = behind_buffer(at, end);
      continue;
    }
    const Address limit = std::min({reached_, buffer, at == start ? most : end});
    const std::uint64_t bytes = unreached_bytes(at, limit);
    const Address next = bytes != 0 ? at + bytes : std::min(limit, end);
    if (bytes == 0) out_->unread_bytes += next - at;
    at = next;
  }
  return at;
}

std::uint64_t HeapSweep::bytes_of_reached(Address object) noexcept {
  const ClassShape* shape = shapes_.find(view_.class_of(object));
  return shape != nullptr ? references_.object_bytes(object, *shape) : 0;
}

// From here on. Parts come in no order, so the search may begin anew.
Address HeapSweep::next_buffer(Address at) noexcept {
  if (next_buffer_ > 0 && buffers_[next_buffer_ - 1].start >= at) next_buffer_ = 0;
  while (next_buffer_ < buffers_.size() && buffers_[next_buffer_].start < at) ++next_buffer_;
  return next_buffer_ < buffers_.size() ? buffers_[next_buffer_].start : ~Address{0};
}

// A buffer that a reached object lies in is none: then up to that object is not read.
Address HeapSweep::behind_buffer(Address at, Address end) noexcept {
  const Address behind = std::min(buffers_[next_buffer_].end, end);
  if (reached_ < behind) {
    out_->unread_bytes += reached_ - at;
    return reached_;
  }
  out_->buffer_bytes += behind - at;
  return behind;
}

// Counts what stands here. 0: it does not look like an object that ends at or before `limit`.
std::uint64_t HeapSweep::unreached_bytes(Address at, Address limit) noexcept {
  constexpr std::uint64_t kMoved =
      3;  // the two lowest bits of a mark word, while a collection runs
  const HeapLayout& layout = view_.layout();
  const std::uint64_t least = layout.compact_headers ? 8 : 16;
  if (limit - at < least || !is_there(at, limit)) return 0;
  if ((load<std::uint64_t>(at + layout.mark) & kMoved) == kMoved) return 0;
  const ClassShape* shape = shapes_.find(view_.class_of(at));
  if (shape == nullptr || shape->instance_bytes > limit - at) return 0;
  const std::uint64_t bytes = references_.object_bytes(at, *shape);
  if (bytes < least || bytes > limit - at) return 0;
  const std::size_t row = shape->class_id.valid() ? shape->class_id.value : rows_.size() - 1;
  ++rows_[row].instances;
  rows_[row].shallow_bytes += bytes;
  ++out_->objects;
  out_->shallow_bytes += bytes;
  return bytes;
}

Address HeapSweep::next_reached(Address at, Address end) const noexcept {
  const HeapLayout& layout = view_.layout();
  if (at >= end) return end;
  const std::uint64_t place =
      marks_.next_marked(layout.place_of(at), (end - layout.heap_start) / 8);
  return layout.heap_start + place * GrowingMarkTable::kPlaceBytes;
}

bool HeapSweep::is_there(Address at, Address limit) noexcept {
  const Address last = std::min(at + kSizeBytes, limit) - 1;
  if (at >= checked_from_ && last < checked_until_) return true;
  const Address first = at / kStrideBytes * kStrideBytes;
  for (Address stride = first; stride <= last; stride += kStrideBytes)
    if (!platforms::is_readable(std::max(stride, view_.layout().heap_start))) return false;
  checked_from_ = first;
  checked_until_ = last / kStrideBytes * kStrideBytes + kStrideBytes;
  return true;
}

bool HeapSweep::is_late() noexcept {
  if (late_ || until_look_-- != 0) return late_;
  until_look_ = kLookEvery;
  late_ = platforms::monotonic_ns() > until_ns_;
  return late_;
}

}  // namespace holdfast::jvmti
