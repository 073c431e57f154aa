#include "analysis/lab/removal_check.h"

#include <algorithm>
#include <array>
#include <bit>

#include "analysis/dominators.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/random.h"
#include "analysis/lab/test_arena.h"

namespace holdfast::analysis::lab {

namespace {

constexpr std::size_t kWorlds = 64;  // bits of a word

// World b is the graph without object b. An object is queued again whenever it becomes reachable in further worlds; most are
// reached in all 64 at once, so a batch costs little more than one marking.
class Worlds {
 public:
  Worlds(const CountedReferences& references, StrengthSet holding)
      : references_(references),
        holding_(holding),
        held_(references.snapshot(), holding),
        reached_(references.snapshot().object_count()),
        news_(references.snapshot().object_count()),
        blocked_(references.snapshot().object_count()) {}

  // Bytes reachable in each world.
  std::array<std::uint64_t, kWorlds> mark(const ObjectId* objects, std::size_t count) {
    std::fill(reached_.begin(), reached_.end(), 0);
    for (std::size_t b = 0; b < count; ++b) blocked_[objects[b].value] |= std::uint64_t{1} << b;
    const std::uint64_t all =
        count == kWorlds ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    for (const RootRecord& root : references_.snapshot().roots)
      if (held_.counts(root)) reach(root.object.value, all);
    while (!queue_.empty()) {
      const std::uint32_t v = queue_.back();
      queue_.pop_back();
      const std::uint64_t worlds = news_[v];
      news_[v] = 0;
      references_.visit_row(v, holding_, [&](std::uint32_t target, Strength) {
        if (held_.counts(v, target)) reach(target, worlds);
      });
    }
    for (std::size_t b = 0; b < count; ++b) blocked_[objects[b].value] = 0;
    return sum_up(all);
  }

 private:
  void reach(std::uint32_t v, std::uint64_t worlds) {
    const std::uint64_t added = worlds & ~blocked_[v] & ~reached_[v];
    if (added == 0) return;
    reached_[v] |= added;
    if (news_[v] == 0) queue_.push_back(v);
    news_[v] |= added;
  }

  std::array<std::uint64_t, kWorlds> sum_up(std::uint64_t all) const {
    std::array<std::uint64_t, kWorlds> missing{};
    std::uint64_t total = 0;
    for (std::uint32_t v = 0; v < reached_.size(); ++v) {
      if (reached_[v] == 0) continue;
      const std::uint64_t bytes = references_.snapshot().shallow_bytes(ObjectId{v});
      total += bytes;
      for (std::uint64_t gone = all & ~reached_[v]; gone != 0; gone &= gone - 1)
        missing[static_cast<std::size_t>(std::countr_zero(gone))] += bytes;
    }
    for (std::uint64_t& bytes : missing) bytes = total - bytes;
    return missing;
  }

  const CountedReferences& references_;
  StrengthSet holding_;
  NaiveHolding held_;
  std::vector<std::uint64_t> reached_, news_, blocked_;
  std::vector<std::uint32_t> queue_;
};

}  // namespace

std::vector<std::uint64_t> removed_bytes(const CountedReferences& references, StrengthSet holding,
                                         std::uint64_t held_bytes,
                                         const std::vector<ObjectId>& objects) {
  Worlds worlds(references, holding);
  std::vector<std::uint64_t> removed;
  for (std::size_t from = 0; from < objects.size(); from += kWorlds) {
    const std::size_t count = std::min(kWorlds, objects.size() - from);
    const auto reachable = worlds.mark(objects.data() + from, count);
    for (std::size_t b = 0; b < count; ++b) removed.push_back(held_bytes - reachable[b]);
  }
  return removed;
}

RemovalCheck check_retained(const CountedReferences& references, const Dominators& dominators,
                            StrengthSet holding, std::uint64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<ObjectId> objects;
  for (std::uint64_t i = 0; i < count && dominators.held_objects != 0; ++i)
    objects.emplace_back(dominators.order[random.below(dominators.held_objects)]);
  const std::vector<std::uint64_t> removed =
      removed_bytes(references, holding, dominators.held_bytes, objects);
  RemovalCheck check;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    ++check.checked;
    const std::uint64_t retained = dominators.retained_bytes[objects[i].value];
    if (retained != removed[i]) check.wrong.push_back({objects[i], retained, removed[i]});
  }
  return check;
}

Result<RemovalCheck> check_retained(const Snapshot& snapshot, StrengthSet holding,
                                    std::uint64_t count, std::uint64_t seed) {
  const std::uint64_t references_at_most = snapshot.reference_count() + snapshot.object_count();
  TestArena memory(2 * dominators_bytes(snapshot.object_count(), references_at_most) +
                   (std::uint64_t{64} << 20));
  const CancelToken cancel;
  HF_TRY(references, CountedReferences::make(snapshot, memory.arena(), cancel));
  HF_TRY(dominators, compute_dominators(references, holding, memory.arena(), cancel));
  return check_retained(references, dominators, holding, count, seed);
}

}  // namespace holdfast::analysis::lab
