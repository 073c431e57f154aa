#include "clrprofiler/roots/static_tables.h"

#include <algorithm>

#include "clrprofiler/heap/heap_events.h"
#include "clrprofiler/heap/recording_reader.h"

namespace holdfast::clr {
namespace {

using Addresses = std::span<const std::uint64_t>;

bool any_within(Addresses sorted, std::uint64_t start, std::uint64_t end) noexcept {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), start);
  return at != sorted.end() && *at < end;
}

// What handles hold without pinning it.
Result<Addresses> sorted_handles(HeapRecording& recording, Arena& scratch) noexcept {
  HF_TRY(held, scratch.make<std::uint64_t>(recording.roots.size()));
  std::size_t count = 0;
  for (const RecordedRoot& root : recording.roots.span())
    if (root.kind == static_cast<std::uint32_t>(EventRootKind::kHandle) && root.flags == 0)
      held[count++] = root.object;
  std::sort(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(count));
  return Addresses(held.first(count));
}

Result<Addresses> sorted_copy(std::span<const StaticSlot> told, std::uint64_t StaticSlot::*field,
                              Arena& scratch) noexcept {
  HF_TRY(copy, scratch.make<std::uint64_t>(told.size()));
  for (std::size_t i = 0; i < told.size(); ++i) copy[i] = told[i].*field;
  std::sort(copy.begin(), copy.end());
  return Addresses(copy);
}

class TableSearch {
 public:
  TableSearch(HeapRecording& recording, const RecordedRoot& root) noexcept
      : recording_(recording), root_(root) {}

  Result<void> open(std::span<const StaticSlot> told, Arena& scratch) noexcept {
    HF_TRY(slots, sorted_copy(told, &StaticSlot::slot, scratch));
    HF_TRY(values, sorted_copy(told, &StaticSlot::object, scratch));
    HF_TRY(handles, sorted_handles(recording_, scratch));
    handles_ = handles;
    slots_ = slots;
    values_ = values;
    return {};
  }

  void search(const RecordedRun& run) noexcept {
    if (!any_within(slots_, run.start, run.end)) return;
    RecordingReader reader(recording_, run);
    RecordedNode node;
    while (reader.next(node)) {
      if (!is_table(node))
        reader.skip_edges(node.edges);
      else
        reader.for_each_edge(node.edges, [this](std::uint64_t value) { take(value); });
    }
  }

  std::uint32_t added() const noexcept { return added_; }

 private:
  bool is_table(const RecordedNode& node) const noexcept {
    return any_within(slots_, node.address, node.address + node.units * kUnitBytes) ||
           std::binary_search(handles_.begin(), handles_.end(), node.address);
  }
  void take(std::uint64_t value) noexcept {
    if (std::binary_search(values_.begin(), values_.end(), value)) return;
    RecordedRoot root = root_;
    root.object = value;
    if (recording_.roots.push(root)) ++added_;
  }

  HeapRecording& recording_;
  RecordedRoot root_;
  Addresses slots_, values_, handles_;  // sorted
  std::uint32_t added_ = 0;
};

}  // namespace

Result<std::uint32_t> add_untold_statics(HeapRecording& recording, std::span<const StaticSlot> told,
                                         const RecordedRoot& root, Arena& scratch) noexcept {
  const ArenaScope scope(scratch);
  TableSearch search(recording, root);
  HF_CHECK_OK(search.open(told, scratch));
  for (std::size_t i = 0; i < recording.runs.size(); ++i) search.search(recording.runs[i]);
  return search.added();
}

}  // namespace holdfast::clr
