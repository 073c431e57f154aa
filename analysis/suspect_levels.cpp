#include "analysis/suspect_levels.h"

#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

// To choose the next class a sample of about this many objects is enough: every k-th member of the first level with all below.
// What is reported is counted exactly, in one last sweep.
constexpr std::uint32_t kSampleObjects = 500'000;

// One sweep: counts the objects of the known levels and sums up the children of the last one by class.
class LevelSweep {
 public:
  LevelSweep(const Snapshot& snapshot, const Dominators& d, std::span<const Strength> strength,
             const GroupStart& start, std::uint32_t every, ClassSums& sums,
             const CancelToken& cancel) noexcept
      : snapshot_(snapshot),
        d_(d),
        strength_(strength),
        start_(start),
        every_(every),
        sums_(sums),
        cancel_(cancel) {}

  // rows[0] is the holder's own row (or kNoRow), rows[1 ..] the levels.
  Result<void> run(std::span<const std::uint32_t> rows, GroupLevels& levels) noexcept {
    std::uint32_t frame_end[kMaxLevels + 1];
    std::size_t level = start_.is_structure ? 1 : 0;
    frame_end[0] = frame_end[level] = subtree_end(d_, start_.position);
    if (start_.is_structure) count(start_.position, levels, 0, true);
    const std::size_t last = rows.size() - 1;
    std::uint32_t steps = 0;
    for (std::uint32_t at = first_child(start_.position); at < frame_end[0];) {
      if (++steps % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      while (at >= frame_end[level]) --level;
      if (level == 0 && !start_.parts.empty()) at = next_part(at, frame_end[0]);
      if (at >= frame_end[0]) break;
      if (level == 0 && below_root() && !sampled()) {
        at = next_child(d_, at);  // unseen: the virtual root may have millions of children
        continue;
      }
      prefetch_ahead(d_, at, snapshot_.class_of, d_.retained_bytes);
      const std::uint32_t row = sums_.row_of(d_.order[at]);
      const bool connected = row == rows[level];
      const bool deeper = !connected && level < last && row == rows[level + 1] && is_small(at) &&
                          (level > 0 || below_root() || sampled());
      if (deeper) frame_end[++level] = subtree_end(d_, at);
      if (deeper || (connected && level > 0)) count(at, levels, level - 1, deeper);
      if (!connected && !deeper && level == last && is_small(at))
        sums_.add(d_.order[at], retained_at(d_, at));
      at = connected || deeper ? at + 1 : next_child(d_, at);
    }
    return {};
  }

 private:
  std::uint32_t next_part(std::uint32_t at, std::uint32_t end) noexcept {
    while (part_ < start_.parts.size() && start_.parts[part_] < at) ++part_;
    return part_ < start_.parts.size() ? start_.parts[part_] : end;
  }
  bool below_root() const noexcept { return start_.position == kRootPosition; }
  bool is_small(std::uint32_t at) const noexcept {
    return retained_at(d_, at) < start_.too_big_bytes;
  }
  bool sampled() noexcept { return ++members_ % every_ == 0; }

  void count(std::uint32_t at, GroupLevels& levels, std::size_t index, bool topmost) noexcept {
    GroupLevelResult& level = levels.level[index];
    const std::uint32_t object = d_.order[at];
    ++level.instances;
    level.shallow_bytes += snapshot_.shallow_bytes(ObjectId{object});
    if (!snapshot_.ages.empty())
      levels.ages[index].add(snapshot_.ages[object], snapshot_.shallow_bytes(ObjectId{object}));
    if (!topmost) return;
    level.retained_bytes += d_.retained_bytes[object];
    if (strength_[object] != Strength::kStrong)
      levels.not_strong_bytes[index] += d_.retained_bytes[object];
  }

  const Snapshot& snapshot_;
  const Dominators& d_;
  const std::span<const Strength> strength_;
  const GroupStart& start_;
  const std::uint32_t
      every_;  // of the first level's members (below the virtual root: of all children), one in so many is seen
  std::uint32_t members_ = 0;
  std::size_t part_ = 0;
  ClassSums& sums_;
  const CancelToken& cancel_;
};

constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

}  // namespace

Result<GroupLevels> find_levels(const Snapshot& snapshot, const Dominators& d,
                                std::span<const Strength> strength, const GroupStart& start,
                                ClassSums& sums, const CancelToken& cancel) noexcept {
  const bool has_own_row = start.position != kRootPosition && !start.is_structure;
  std::uint32_t objects = subtree_end(d, start.position) - first_child(start.position);
  if (!start.parts.empty()) objects = 0;
  for (const std::uint32_t part : start.parts) objects += d.subtree_objects[part];
  std::uint32_t every = objects / kSampleObjects + 1;
  std::uint32_t rows[kMaxLevels + 1];
  rows[0] = has_own_row ? sums.row_of(d.order[start.position]) : kNoRow;
  rows[1] = start.first_row;
  GroupLevels found;
  for (std::size_t count = 1;;) {
    found = GroupLevels{};
    sums.clear();
    LevelSweep sweep(snapshot, d, strength, start, every, sums, cancel);
    HF_CHECK_OK(sweep.run(std::span<const std::uint32_t>(rows, count + 1), found));
    found.count = count;
    std::uint32_t next = 0;
    const bool goes_on =
        count < kMaxLevels && sums.largest(next) &&
        sums[next].retained_bytes >= found.level[0].retained_bytes / kLevelShareDivisor;
    if (goes_on)
      rows[++count] = next;
    else if (every == 1)
      break;
    else
      every = 1;
  }
  for (std::size_t i = 0; i < found.count; ++i)
    found.level[i].class_id = sums.class_of_row(rows[i + 1]);
  return found;
}

}  // namespace holdfast::analysis
