#include "analysis/suspects.h"

#include <algorithm>
#include <array>

#include "analysis/other_paths.h"
#include "analysis/root_paths.h"
#include "analysis/suspect_evidence.h"
#include "analysis/suspect_places.h"
#include "analysis/suspect_search.h"
#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

// An object that is spread over many classes is worth naming from here on: it is where a person would look next.
constexpr std::uint64_t kSpreadShareTenths = 3;
// Few shards of the application's own class are not what piles up when many objects of another one lie below them,
constexpr std::uint64_t kPiledInstances = 100;
// and have most of the bytes: thirteen compilations are not their symbols.
constexpr std::uint64_t kPiledTenths = 6;

bool is_platform(const Catalog& catalog, ClassId id) noexcept {
  return id.value >= catalog.classes.size() ||
         (catalog.classes[id.value].flags & kClassPlatform) != 0;
}

// What piles up: the first level that is not of the platform and has many objects and most of the bytes, else the first not of
// the platform, else the first of all.
std::size_t named_level(const Catalog& catalog, const GroupLevels& levels) noexcept {
  std::size_t own = levels.count;
  for (std::size_t i = 0; i < levels.count; ++i) {
    if (is_platform(catalog, levels.level[i].class_id)) continue;
    if (levels.level[i].instances >= kPiledInstances &&
        levels.level[i].retained_bytes >= levels.level[0].retained_bytes / 10 * kPiledTenths)
      return i;
    own = std::min(own, i);
  }
  return own < levels.count ? own : 0;
}

// The few largest of many objects, the first of equals first.
class LargestMembers {
 public:
  void add(ObjectId object, std::uint64_t bytes) noexcept {
    if (count_ == kMost && bytes <= bytes_[count_ - 1]) return;
    if (count_ < kMost) ++count_;
    std::size_t at = count_ - 1;
    for (; at > 0 && bytes_[at - 1] < bytes; --at) {
      bytes_[at] = bytes_[at - 1];
      objects_[at] = objects_[at - 1];
    }
    bytes_[at] = bytes;
    objects_[at] = object;
  }
  // The largest that no root refers to, or where each has one, the largest of all.
  ObjectId choose(std::span<const RootRecord> roots) const noexcept {
    bool rooted[kMost] = {};
    for (const RootRecord& root : roots)
      for (std::size_t i = 0; i < count_; ++i) rooted[i] = rooted[i] || objects_[i] == root.object;
    for (std::size_t i = 0; i < count_; ++i)
      if (!rooted[i]) return objects_[i];
    return count_ != 0 ? objects_[0] : ObjectId{};
  }

 private:
  static constexpr std::size_t kMost = 16;
  ObjectId objects_[kMost];
  std::uint64_t bytes_[kMost] = {};
  std::size_t count_ = 0;
};

class SuspectReport {
 public:
  SuspectReport(const SuspectInput& input, Arena& arena, const CancelToken& cancel) noexcept
      : input_(input),
        snapshot_(input.references.snapshot()),
        d_(input.dominators),
        arena_(arena),
        cancel_(cancel) {}

  Result<SuspectResult> make(const SuspectFinding& finding, ClassSums& sums) noexcept {
    SuspectResult result;
    GroupLevels levels;
    std::size_t named = 0;
    result.group = finding.kind != FindingKind::kSingle && finding.kind != FindingKind::kSpread;
    result.retained_bytes = finding.bytes;
    if (finding.holder != kRootPosition) result.holder = ObjectId{d_.order[finding.holder]};
    if (result.group) {
      HF_TRY(found, find_levels(snapshot_, d_, input_.reachability.strength, finding.start, sums,
                                cancel_));
      levels = found;
      levels.level[0].retained_bytes = finding.bytes;  // without what other suspects have
      named = named_level(snapshot_.catalog, levels);
      const bool tables = finding.kind == FindingKind::kPlace && !finding.of_threads;
      if (tables && levels.count > 1) named = 1;  // the strings in them
      HF_CHECK_OK(copy_levels(levels, result));
      name_group(levels.level[named], result);
      HF_TRY(below, count_below(finding, sums, result.class_id));
      result.instances_below = below;
    } else {
      result.class_id = snapshot_.class_of[result.holder.value];
      result.instances = 1;
      result.shallow_bytes = snapshot_.shallow_bytes(result.holder);
    }
    if (!input_.of_state) {
      HF_TRY(path,
             root_path(input_.references, input_.reachability, path_end(finding, sums), arena_));
      result.path = path;
    }
    if (finding.of_threads) result.threads = static_cast<std::uint32_t>(finding.start.parts.size());
    if (finding.variable.valid()) {
      HF_TRY(variable, root_path(input_.references, input_.reachability, finding.variable, arena_));
      if (variable.length <= kMaxOtherSteps) result.variable = variable;
    }
    HF_TRY(joint, joint_holders(finding, sums));
    const SuspectCase c{finding, levels, named, result, joint};
    result.confidence_percent = static_cast<std::uint32_t>(confidence_of(input_, c));
    HF_TRY(evidence, evidence_of(input_, c, arena_));
    result.evidence = evidence;
    return result;
  }

 private:
  // A sentence of many: without memory for it, the suspect is there all the same.
  Result<JointHolders> joint_holders(const SuspectFinding& finding,
                                     const ClassSums& sums) noexcept {
    auto found = find_joint_holders(input_, finding, sums, arena_, cancel_);
    if (!found && found.error().code == ErrorCode::kOutOfBudget) return JointHolders{};
    return found;
  }

  Result<void> copy_levels(const GroupLevels& levels, SuspectResult& result) noexcept {
    HF_TRY(copy, arena_.make<GroupLevelResult>(levels.count));
    std::copy_n(levels.level, levels.count, copy.begin());
    result.levels = copy;
    return {};
  }

  static void name_group(const GroupLevelResult& level, SuspectResult& result) noexcept {
    result.class_id = level.class_id;
    result.instances = level.instances;
    result.shallow_bytes = level.shallow_bytes;
  }

  // Members of the class may hang below members: they are no other place.
  Result<std::uint64_t> count_below(const SuspectFinding& finding, const ClassSums& sums,
                                    ClassId named) const noexcept {
    if (!finding.start.parts.empty()) return count_in_parts(finding.start.parts, sums, named);
    const std::uint32_t end = subtree_end(d_, finding.start.position);
    const bool below_root = finding.start.position == kRootPosition;
    std::uint64_t count = 0;
    std::uint32_t steps = 0;
    std::uint32_t at = first_child(finding.start.position);
    for (std::uint32_t member_end = at; at < end;) {
      if (++steps % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      const std::uint32_t row = sums.row_of(d_.order[at]);
      if (below_root && at >= member_end) {
        member_end = next_child(d_, at);
        if (row != finding.start.first_row) {
          at = member_end;
          continue;
        }
      }
      count += sums.class_of_row(row) == named ? 1 : 0;
      ++at;
    }
    if (finding.start.is_structure && sums.class_of_row(finding.start.first_row) == named) ++count;
    return count;
  }

  Result<std::uint64_t> count_in_parts(std::span<const std::uint32_t> parts, const ClassSums& sums,
                                       ClassId named) const noexcept {
    std::uint64_t count = 0;
    std::uint32_t steps = 0;
    for (const std::uint32_t part : parts)
      for (std::uint32_t at = part; at < subtree_end(d_, part); ++at) {
        if (++steps % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
        count += sums.class_of_row(sums.row_of(d_.order[at])) == named ? 1 : 0;
      }
    return count;
  }

  bool is_class_object(ObjectId object) const noexcept {
    const ClassId id = snapshot_.class_of[object.value];
    return id.valid() && (snapshot_.catalog.classes[id.value].flags & kClassClass) != 0;
  }

  // The largest member that is a GC root of the kind that most of them are: one odd member says nothing about the others. Invalid where
  // most members are no roots.
  template <class IsMember>
  ObjectId largest_of_most_roots(IsMember is_member) const noexcept {
    std::array<std::uint32_t, kRootKindCount> members{};
    std::array<ObjectId, kRootKindCount> largest{};
    std::uint32_t others = 0;
    for (const RootRecord& root : snapshot_.roots) {
      const auto kind = static_cast<std::size_t>(root.kind);
      if (!is_member(root.object.value)) continue;
      ++members[kind];
      if (!largest[kind].valid() ||
          d_.retained_bytes[root.object.value] > d_.retained_bytes[largest[kind].value])
        largest[kind] = root.object;
    }
    for (std::uint32_t c = 0; c < d_.held_objects; c = next_child(d_, c))
      others += is_member(d_.order[c]) ? 1 : 0;
    const auto most = std::max_element(members.begin(), members.end());
    return *most * 2 > others ? largest[static_cast<std::size_t>(most - members.begin())]
                              : ObjectId{};
  }

  // The holder, or the largest member of a group without a holder, rather one that no GC root refers to: a member that is just
  // being used is not held as the others are. Where a class holds a list it is the list's first object,
  // one step further: that step names the static field.
  ObjectId path_end(const SuspectFinding& finding, const ClassSums& sums) const noexcept {
    if (finding.holder != kRootPosition) {
      const ObjectId holder{d_.order[finding.holder]};
      const bool one_further = finding.kind == FindingKind::kStructure && is_class_object(holder);
      return one_further ? ObjectId{d_.order[finding.start.position]} : holder;
    }
    if (!finding.start.parts.empty()) {
      const auto parts = finding.start.parts;
      return ObjectId{d_.order[*std::max_element(parts.begin(), parts.end(),
                                                 [&](std::uint32_t a, std::uint32_t b) {
                                                   return retained_at(d_, a) < retained_at(d_, b);
                                                 })]};
    }
    const auto is_member = [&](std::uint32_t object) {
      return d_.idom[object] == Dominators::kRoot &&
             sums.row_of(object) == finding.start.first_row &&
             d_.retained_bytes[object] < finding.start.too_big_bytes;
    };
    if (const ObjectId root = largest_of_most_roots(is_member); root.valid()) return root;
    LargestMembers largest;
    for (std::uint32_t c = 0; c < d_.held_objects; c = next_child(d_, c)) {
      const std::uint32_t object = d_.order[c];
      if (is_member(object)) largest.add(ObjectId{object}, d_.retained_bytes[object]);
    }
    return largest.choose(snapshot_.roots);
  }

  const SuspectInput& input_;
  const Snapshot& snapshot_;
  const Dominators& d_;
  Arena& arena_;
  const CancelToken& cancel_;
};

std::uint64_t weight(const SuspectResult& s) noexcept {
  return s.retained_bytes / 100 * s.confidence_percent;
}

// Without memory for it each thread is looked at by itself.
Result<void> add_places(const SuspectInput& input, std::uint64_t threshold_bytes,
                        const ClassSums& sums, TakenParts& taken, SuspectFindings& found,
                        Arena& arena, const CancelToken& cancel) noexcept {
  if (input.of_state) return {};
  auto places = find_places(input.references.snapshot(), input.dominators, threshold_bytes, sums,
                            taken, arena, cancel);
  if (!places && places.error().code == ErrorCode::kOutOfBudget) return {};
  if (!places) return places.error();
  for (const SuspectPlace& place : std::span(places->place).first(places->count)) {
    SuspectFinding finding;
    finding.kind = FindingKind::kPlace;
    finding.start.first_row = place.row;
    finding.start.parts = place.parts;
    finding.bytes = place.bytes;
    finding.largest_child_bytes = place.largest_bytes;
    finding.variable = place.variable;
    finding.of_threads = place.of_threads;
    found.item[found.count++] = finding;
  }
  return {};
}

}  // namespace

Result<std::span<const SuspectResult>> find_suspects(const SuspectInput& input, Arena& arena,
                                                     const CancelToken& cancel,
                                                     const SuspectLimits& limits) noexcept {
  const Snapshot& snapshot = input.references.snapshot();
  HF_TRY(suspects, arena.make_filled<SuspectResult>(kMaxFindings, SuspectResult{}));
  HF_TRY(sums, ClassSums::make(snapshot, arena));
  HF_TRY(found, arena.make_filled<SuspectFindings>(1, SuspectFindings{}));
  SearchLimits search;
  search.threshold_bytes =
      std::max(limits.smallest_bytes, input.dominators.held_bytes / limits.share_divisor);
  search.threshold_bytes = std::max<std::uint64_t>(search.threshold_bytes, 1);
  search.spread_bytes =
      std::max(search.threshold_bytes, input.dominators.held_bytes / 10 * kSpreadShareTenths);
  {
    TakenParts taken(input.dominators, arena);
    HF_CHECK_OK(add_places(input, search.threshold_bytes, sums, taken, found[0], arena, cancel));
    HF_CHECK_OK(search_suspects(snapshot, input.dominators, search, sums, found[0], arena, cancel));
  }
  SuspectReport report(input, arena, cancel);
  for (std::size_t i = 0; i < found[0].count; ++i) {
    HF_TRY(suspect, report.make(found[0].item[i], sums));
    suspects[i] = suspect;
  }
  const auto ranked = suspects.first(found[0].count);
  std::sort(ranked.begin(), ranked.end(), [](const SuspectResult& a, const SuspectResult& b) {
    if (weight(a) != weight(b)) return weight(a) > weight(b);
    return a.holder != b.holder ? a.holder < b.holder : a.class_id < b.class_id;
  });
  const auto listed = ranked.first(std::min<std::size_t>(ranked.size(), kMaxSuspects));
  HF_CHECK_OK(find_other_paths(
      input, listed.first(std::min<std::size_t>(listed.size(), kMaxWithOthers)), arena, cancel));
  return std::span<const SuspectResult>(listed);
}

}  // namespace holdfast::analysis
