#include "analysis/reachability.h"

#include "analysis/filtered_references.h"
#include "common/cancel.h"
#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kQueueAhead = 12;  // objects of the queue between a prefetch and its use

// An object with references that later levels have to follow, and its distance from the roots.
struct Waiting {
  std::uint32_t object;
  std::uint32_t depth;
};

template <class References>
class LevelSearch {
 public:
  LevelSearch(const References& references, Reachability& found, const CancelToken& cancel) noexcept
      : references_(references), snapshot_(references.snapshot()), found_(found), cancel_(cancel) {}

  Result<void> run(Arena& arena) noexcept {
    const std::uint32_t n = snapshot_.object_count();
    HF_TRY(queue, arena.make<std::uint32_t>(n));
    HF_TRY(waiting, arena.make<Waiting>(count_mixed_objects()));
    queue_ = queue;
    waiting_ = waiting;
    // What lasts shorter explains only what nothing else holds, however far away that is.
    for (const Lifespan lifespan : kLifespans) {
      for (const RootKind kind : kRootPreference) reach_roots(kind, lifespan);
      HF_CHECK_OK(run_level(Strength::kStrong));
    }
    for (std::size_t level = 0; level < static_cast<std::size_t>(Strength::kUnreachable); ++level)
      HF_CHECK_OK(run_level(static_cast<Strength>(level)));
    return {};
  }

 private:
  std::size_t count_mixed_objects() const noexcept {
    std::size_t count = 0;
    for (std::uint32_t v = 0; v < snapshot_.object_count(); ++v)
      count += references_.of(v).mixed ? 1 : 0;
    return count;
  }

  void reach_roots(RootKind kind, Lifespan lifespan) noexcept {
    for (const RootRecord& root : snapshot_.roots)
      if (root.kind == kind && snapshot_.lifespan(root) == lifespan)
        reach(root.object.value, Reachability::kRoot, Strength::kStrong);
  }

  void reach(std::uint32_t object, std::uint32_t parent, Strength level) noexcept {
    if (found_.strength[object] != Strength::kUnreachable) return;
    found_.strength[object] = level;
    found_.parent[object] = parent;
    queue_[tail_++] = object;
  }

  // References no weaker than the level; what is weaker waits for its own level.
  void scan(std::uint32_t object, Strength level, std::uint32_t depth) noexcept {
    const StrengthSet up_to_level = (strength_bit(level) << 1) - 1;
    references_.visit_row(object, up_to_level,
                          [&](std::uint32_t target, Strength) { reach(target, object, level); });
    if (references_.of(object).mixed) waiting_[waiting_count_++] = {object, depth};
  }

  void scan_waiting(std::uint32_t object, Strength level) noexcept {
    references_.visit_row(object, strength_bit(level),
                          [&](std::uint32_t target, Strength strength) {
                            if (strength == level) reach(target, object, level);
                          });
  }

  // The waiting objects' distances and the queue's layers are merged, so that distances stay the shortest.
  Result<void> run_level(Strength level) noexcept {
    const auto seeds =
        level == Strength::kStrong ? std::span<Waiting>{} : waiting_.first(waiting_count_);
    std::sort(seeds.begin(), seeds.end(), [](const Waiting& a, const Waiting& b) {
      return a.depth != b.depth ? a.depth < b.depth : a.object < b.object;
    });
    std::size_t next_seed = 0;
    std::uint32_t depth = 0;
    while (head_ < tail_ || next_seed < seeds.size()) {
      if (head_ == tail_) depth = seeds[next_seed].depth;
      const std::uint32_t layer_end = tail_;
      for (; next_seed < seeds.size() && seeds[next_seed].depth == depth; ++next_seed) {
        HF_CHECK_OK(look_at_token());
        scan_waiting(seeds[next_seed].object, level);
      }
      for (; head_ < layer_end; ++head_) {
        HF_CHECK_OK(look_at_token());
        prefetch_ahead();
        scan(queue_[head_], level, depth);
      }
      ++depth;
    }
    return {};
  }

  // The queue says what is scanned next: first where its row starts, then the row itself.
  void prefetch_ahead() const noexcept {
    if (head_ + 2 * kQueueAhead >= tail_) return;
    const std::uint32_t far = queue_[head_ + 2 * kQueueAhead];
    prefetch(&snapshot_.first_ref[far]);
    prefetch(&snapshot_.class_of[far]);
    prefetch(snapshot_.target.data() + snapshot_.first_ref[queue_[head_ + kQueueAhead]]);
  }

  Result<void> look_at_token() noexcept {
    if (++steps_ % kCancelStride != 0) return {};
    return cancel_.check();
  }

  const References& references_;
  const Snapshot& snapshot_;
  Reachability& found_;
  const CancelToken& cancel_;
  std::span<std::uint32_t>
      queue_;  // [n] objects in the order in which they were reached; [head, tail) are still to be scanned
  std::span<Waiting> waiting_;
  std::size_t waiting_count_ = 0;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t steps_ = 0;
};

void sum_up(const Snapshot& snapshot, Reachability& found) noexcept {
  for (std::uint32_t v = 0; v < snapshot.object_count(); ++v) {
    const auto level = static_cast<std::size_t>(found.strength[v]);
    ++found.objects[level];
    found.shallow_bytes[level] += snapshot.shallow_bytes(ObjectId{v});
  }
}

template <class References>
Result<Reachability> search_levels(const References& references, Arena& arena,
                                   const CancelToken& cancel) noexcept {
  const std::uint32_t n = references.snapshot().object_count();
  Reachability found;
  HF_TRY(strength, arena.make_filled<Strength>(n, Strength::kUnreachable));
  HF_TRY(parent, arena.make_filled<std::uint32_t>(n, ObjectId::kNoneValue));
  found.strength = strength;
  found.parent = parent;
  {
    ArenaScope scratch(arena);
    LevelSearch search(references, found, cancel);
    HF_CHECK_OK(search.run(arena));
  }
  sum_up(references.snapshot(), found);
  return found;
}

}  // namespace

Result<Reachability> find_reachability(const CountedReferences& references, Arena& arena,
                                       const CancelToken& cancel) noexcept {
  return search_levels(references, arena, cancel);
}

Result<Reachability> find_reachability(const FilteredReferences& references, Arena& arena,
                                       const CancelToken& cancel) noexcept {
  return search_levels(references, arena, cancel);
}

}  // namespace holdfast::analysis
