#include "analysis/suspect_levels.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kCancelStride = 8192;

// One sweep: counts the objects of the known levels and sums up the children of the last one by class.
class LevelSweep {
 public:
  LevelSweep(const Snapshot& snapshot, const Dominators& d, std::span<const Strength> strength, const GroupStart& start,
             ClassSums& sums, const CancelToken& cancel) noexcept
      : snapshot_(snapshot), d_(d), strength_(strength), start_(start), sums_(sums), cancel_(cancel) {}

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
      const std::uint32_t row = sums_.row_of(d_.order[at]);
      if (row == rows[level]) {  // connected: the same level
        if (level > 0) count(at, levels, level - 1, false);
        ++at;
      } else if (level < last && row == rows[level + 1] && retained_at(d_, at) < start_.too_big_bytes) {
        frame_end[++level] = subtree_end(d_, at);
        count(at, levels, level - 1, true);
        ++at;
      } else {
        if (level == last && retained_at(d_, at) < start_.too_big_bytes) sums_.add(d_.order[at], retained_at(d_, at));
        at = next_child(d_, at);
      }
    }
    return {};
  }

 private:
  void count(std::uint32_t at, GroupLevels& levels, std::size_t index, bool topmost) noexcept {
    GroupLevelResult& level = levels.level[index];
    const std::uint32_t object = d_.order[at];
    ++level.instances;
    level.shallow_bytes += snapshot_.shallow_bytes(ObjectId{object});
    if (!topmost) return;
    level.retained_bytes += d_.retained_bytes[object];
    if (strength_[object] != Strength::kStrong) levels.not_strong_bytes[index] += d_.retained_bytes[object];
  }

  const Snapshot& snapshot_;
  const Dominators& d_;
  const std::span<const Strength> strength_;
  const GroupStart& start_;
  ClassSums& sums_;
  const CancelToken& cancel_;
};

constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

}  // namespace

Result<GroupLevels> find_levels(const Snapshot& snapshot, const Dominators& d, std::span<const Strength> strength,
                                const GroupStart& start, ClassSums& sums, const CancelToken& cancel) noexcept {
  const bool has_own_row = start.position != kRootPosition && !start.is_structure;
  std::uint32_t rows[kMaxLevels + 1];
  rows[0] = has_own_row ? sums.row_of(d.order[start.position]) : kNoRow;
  rows[1] = start.first_row;
  GroupLevels found;
  for (std::size_t count = 1; count <= kMaxLevels; ++count) {
    GroupLevels now;
    sums.clear();
    LevelSweep sweep(snapshot, d, strength, start, sums, cancel);
    HF_CHECK_OK(sweep.run(std::span<const std::uint32_t>(rows, count + 1), now));
    for (std::size_t i = 0; i < count; ++i) now.level[i].class_id = sums.class_of_row(rows[i + 1]);
    now.count = count;
    found = now;
    std::uint32_t next = 0;
    if (!sums.largest(next)) break;
    if (sums[next].retained_bytes < found.level[0].retained_bytes / kLevelShareDivisor) break;
    if (count < kMaxLevels) rows[count + 1] = next;
  }
  return found;
}

}  // namespace holdfast::analysis
