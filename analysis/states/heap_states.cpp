#include "analysis/states/heap_states.h"

#include <algorithm>
#include <numeric>

#include "analysis/class_figures.h"
#include "analysis/dominators.h"
#include "analysis/root_paths.h"
#include "analysis/states/state_graph.h"
#include "analysis/suspect_levels.h"
#include "analysis/suspects.h"

namespace holdfast::analysis {

namespace {

constexpr std::size_t index_of(HeapState state) noexcept { return static_cast<std::size_t>(state); }
constexpr std::size_t kFinalIndex = index_of(HeapState::kFinal);

// Where the findings of one state go: made before the state's graph, which is given back.
struct StateRoom {
  std::span<StateClass> classes;
  std::span<SuspectResult> groups;
  std::span<GroupLevelResult> levels;
  std::span<Evidence> evidence;

  static Result<StateRoom> make(const HeapStateLimits& limits, Arena& arena) noexcept {
    StateRoom room;
    HF_TRY(classes, arena.make_filled<StateClass>(limits.classes, StateClass{}));
    HF_TRY(groups, arena.make_filled<SuspectResult>(limits.groups, SuspectResult{}));
    HF_TRY(levels, arena.make_filled<GroupLevelResult>(std::uint64_t{limits.groups} * kMaxLevels,
                                                       GroupLevelResult{}));
    HF_TRY(evidence, arena.make_filled<Evidence>(
                         std::uint64_t{limits.groups} * Evidence::kMaxSentences, Evidence{}));
    room.classes = classes;
    room.groups = groups;
    room.levels = levels;
    room.evidence = evidence;
    return room;
  }
};

// The largest `most` of those that have instances stand in front; answers how many these are.
template <class Row>
std::size_t by_shallow_bytes(std::span<Row> rows, std::span<std::uint32_t> order, std::size_t most,
                             std::uint32_t& total) noexcept {
  std::iota(order.begin(), order.end(), 0u);
  const auto none = std::partition(order.begin(), order.end(),
                                   [&](std::uint32_t c) { return rows[c].instances != 0; });
  total = static_cast<std::uint32_t>(none - order.begin());
  const std::size_t kept = std::min<std::size_t>(total, most);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), none,
                    [&](std::uint32_t a, std::uint32_t b) {
                      const auto x = rows[a].shallow_bytes, y = rows[b].shallow_bytes;
                      return x != y ? x > y : a < b;
                    });
  return kept;
}

void keep_classes(std::span<const ClassFigures> rows, std::span<std::uint32_t> order,
                  const StateRoom& room, HeapStateFigures& figures) noexcept {
  const std::size_t kept =
      by_shallow_bytes(rows, order, room.classes.size(), figures.classes_total);
  for (std::size_t i = 0; i < kept; ++i) {
    const ClassFigures& row = rows[order[i]];
    const bool known = order[i] + 1 < rows.size();
    room.classes[i] = {known ? ClassId{order[i]} : ClassId{}, row.instances, row.shallow_bytes,
                       row.retained_bytes};
  }
  figures.classes = room.classes.first(kept);
}

void keep_groups(std::span<const SuspectResult> found, std::span<const std::uint32_t> object,
                 const StateRoom& room, HeapStateFigures& figures) noexcept {
  const std::size_t kept = std::min(found.size(), room.groups.size());
  for (std::size_t i = 0; i < kept; ++i) {
    SuspectResult& group = room.groups[i];
    group = found[i];
    if (group.holder.valid()) group.holder = ObjectId{object[group.holder.value]};
    const auto levels = room.levels.subspan(i * kMaxLevels, group.levels.size());
    std::copy(group.levels.begin(), group.levels.end(), levels.begin());
    group.levels = levels;
    const auto evidence = room.evidence.subspan(i * Evidence::kMaxSentences, group.evidence.size());
    std::copy(group.evidence.begin(), group.evidence.end(), evidence.begin());
    group.evidence = evidence;
  }
  figures.groups = room.groups.first(kept);
}

class StateSearch {
 public:
  StateSearch(const HeapStateQuestion& question, const HeapStateLimits& limits, Arena& arena,
              const CancelToken& cancel) noexcept
      : q_(question),
        limits_(limits),
        snapshot_(question.references.snapshot()),
        arena_(arena),
        cancel_(cancel) {}

  Result<HeapStateFindings> run() noexcept {
    found_.told = true;
    found_.held = q_.holding;
    for (std::size_t s = 0; s < kStrengthCount; ++s) {
      found_.states[s].objects = q_.reachability.objects[s];
      found_.states[s].shallow_bytes = q_.reachability.shallow_bytes[s];
      graph_bytes_ += q_.reachability.shallow_bytes[s];
    }
    HF_TRY(room, make_rooms());
    move_possible();
    HF_TRY(backlogs,
           find_backlogs({q_.references, q_.reachability, q_.dominators}, arena_, cancel_));
    found_.backlogs = backlogs;
    HF_CHECK_OK(count_unreached());
    ArenaScope scratch(arena_);
    HF_TRY(states, StateOfObjects::make(q_.references, q_.reachability, q_.dominators, q_.holding,
                                        finalizer_queue_matters(), arena_, cancel_));
    if (states.finalizers_told()) move_waiting(states);
    for (std::size_t s = 0; s < kHeapStateCount; ++s)
      if (matters(s)) HF_CHECK_OK(look_into_or_not(static_cast<HeapState>(s), states, room[s]));
    return found_;
  }

 private:
  // By the figures that are there before finalizer queues and possible slots are told apart, so rather too much room than none.
  Result<std::array<StateRoom, kHeapStateCount>> make_rooms() noexcept {
    std::array<StateRoom, kHeapStateCount> rooms;
    for (std::size_t s = 1; s < kHeapStateCount; ++s) {
      HF_TRY(room, StateRoom::make(limits_, arena_));
      rooms[s] = room;
    }
    return rooms;
  }

  Result<void> count_unreached() noexcept {
    if (q_.unreached == nullptr || !q_.unreached->told) return {};
    const UnreachedObjects& all = *q_.unreached;
    UnreachedFigures& figures = found_.unreached;
    figures.told = true;
    figures.objects = all.objects;
    figures.shallow_bytes = all.shallow_bytes;
    figures.buffer_bytes = all.buffer_bytes;
    figures.unread_bytes = all.unread_bytes;
    HF_TRY(kept, arena_.make_filled<StateClass>(limits_.classes, StateClass{}));
    ArenaScope scratch(arena_);
    HF_TRY(order, arena_.make<std::uint32_t>(all.classes.size()));
    const std::size_t shown =
        by_shallow_bytes(all.classes, order, kept.size(), figures.classes_total);
    for (std::size_t i = 0; i < shown; ++i) {
      const ClassCount& row = all.classes[order[i]];
      const bool known = order[i] + 1 < all.classes.size();
      kept[i] = {known ? ClassId{order[i]} : ClassId{}, row.instances, row.shallow_bytes, 0};
    }
    figures.classes = kept.first(shown);
    return {};
  }

  bool is_large(std::uint64_t bytes) const noexcept {
    return bytes >= limits_.smallest_bytes && bytes >= graph_bytes_ / limits_.share_divisor;
  }
  bool matters(std::size_t state) const noexcept {
    return state != index_of(HeapState::kStrong) && is_large(found_.states[state].shallow_bytes) &&
           !q_.dominators.position.empty();
  }

  // At least so much: what several of its objects share is not among it.
  bool finalizer_queue_matters() const noexcept {
    std::uint64_t bytes = 0;
    for (const Backlog& backlog : found_.backlogs)
      if (!backlog.queue.valid()) bytes += backlog.retained_bytes;
    return is_large(bytes);
  }

  void move(std::uint32_t object, HeapState to) noexcept {
    const std::uint64_t bytes = snapshot_.shallow_bytes(ObjectId{object});
    HeapStateFigures& from =
        found_.states[static_cast<std::size_t>(q_.reachability.strength[object])];
    --from.objects;
    from.shallow_bytes -= bytes;
    ++found_.states[index_of(to)].objects;
    found_.states[index_of(to)].shallow_bytes += bytes;
  }

  void move_possible() noexcept {
    const Dominators& d = q_.dominators;
    for (std::uint32_t p = d.held_for_sure(); p < d.held_objects; ++p)
      move(d.order[p], HeapState::kPossibleSlot);
    if (d.held_objects > d.held_for_sure()) found_.held |= 1u << index_of(HeapState::kPossibleSlot);
  }

  void move_waiting(const StateOfObjects& states) noexcept {
    for (std::uint32_t v = 0; v < snapshot_.object_count(); ++v)
      if (states(v) == HeapState::kFinal && q_.reachability.strength[v] != Strength::kFinal)
        move(v, HeapState::kFinal);
    found_.held |= 1u << kFinalIndex;
  }

  // Where there is no memory for the lists, the figures stay.
  Result<void> look_into_or_not(HeapState state, const StateOfObjects& states,
                                const StateRoom& room) noexcept {
    const Result<void> looked = look_into(state, states, room);
    if (looked || cancel_.cancelled()) return looked;
    found_.lists_left_out = true;
    return {};
  }

  Result<void> look_into(HeapState state, const StateOfObjects& states,
                         const StateRoom& room) noexcept {
    ArenaScope scratch(arena_);
    HF_TRY(graph,
           state_graph(q_.references, q_.reachability, states, state, q_.holding, arena_, cancel_));
    HF_TRY(references, CountedReferences::make(graph.snapshot, arena_, cancel_));
    HF_TRY(dominators, compute_dominators(references, q_.holding, arena_, cancel_));
    HF_TRY(classes, class_figures(graph.snapshot, dominators, arena_, cancel_));
    HeapStateFigures& figures = found_.states[index_of(state)];
    HF_TRY(order, arena_.make<std::uint32_t>(classes.size()));
    keep_classes(classes, order, room, figures);
    Reachability all_alike;
    HF_TRY(strength, arena_.make_filled<Strength>(graph.object.size(), Strength::kStrong));
    all_alike.strength = strength;
    SuspectLimits limits;
    limits.smallest_bytes = std::max(limits_.smallest_bytes, graph_bytes_ / limits_.share_divisor);
    HF_TRY(groups, find_suspects(SuspectInput{.references = references,
                                              .reachability = all_alike,
                                              .dominators = dominators,
                                              .classes = classes,
                                              .of_state = true},
                                 arena_, cancel_, limits));
    keep_groups(groups, graph.object, room, figures);
    return {};
  }

  const HeapStateQuestion& q_;
  const HeapStateLimits& limits_;
  const Snapshot& snapshot_;
  Arena& arena_;
  const CancelToken& cancel_;
  HeapStateFindings found_;
  std::uint64_t graph_bytes_ = 0;
};

}  // namespace

Result<HeapStateFindings> find_heap_states(const HeapStateQuestion& question,
                                           const HeapStateLimits& limits, Arena& arena,
                                           const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  auto found = StateSearch(question, limits, arena, cancel).run();
  if (!found) arena.rewind(before);
  return found;
}

namespace {

const Backlog* finalizer_backlog(const HeapStateFindings& states) noexcept {
  const auto at = std::find_if(states.backlogs.begin(), states.backlogs.end(),
                               [](const Backlog& one) { return one.finalizers; });
  return at == states.backlogs.end() ? nullptr : &*at;
}

std::uint64_t weight(const SuspectResult& s) noexcept {
  return s.retained_bytes / 100 * s.confidence_percent;
}

}  // namespace

Result<std::span<const SuspectResult>> with_waiting(std::span<const SuspectResult> suspects,
                                                    const HeapStateFindings& states,
                                                    const CountedReferences& references,
                                                    const Reachability& reachability,
                                                    Arena& arena) noexcept {
  const Backlog* const backlog = finalizer_backlog(states);
  const Snapshot& s = references.snapshot();
  const auto groups = states.states[kFinalIndex].groups;
  if (backlog == nullptr || suspects.size() + groups.size() == 0) return suspects;
  HF_TRY(all, arena.make_filled<SuspectResult>(suspects.size() + groups.size(), SuspectResult{}));
  std::size_t count = 0;
  for (const SuspectResult& one : suspects) {
    all[count] = one;
    all[count++].waits_for_finalizer =
        one.path.length != 0 && s.roots[one.path.root].kind == RootKind::kFinalizer;
  }
  for (const SuspectResult& one : groups) {
    if (!backlog->queue.valid() || backlog->waiting < one.instances / 2) continue;
    const ObjectId end = one.holder.valid() ? one.holder : backlog->first_referent;
    HF_TRY(path, root_path(references, reachability, end, arena));
    all[count] = one;
    all[count].path = path;
    all[count++].waits_for_finalizer = true;
  }
  const auto ranked = all.first(count);
  std::sort(ranked.begin(), ranked.end(), [](const SuspectResult& a, const SuspectResult& b) {
    if (weight(a) != weight(b)) return weight(a) > weight(b);
    return a.holder != b.holder ? a.holder < b.holder : a.class_id < b.class_id;
  });
  return std::span<const SuspectResult>(ranked.first(std::min<std::size_t>(count, kMaxSuspects)));
}

Result<std::span<const RootRecord>> with_unreachable_roots(const CountedReferences& references,
                                                           StrengthSet holding, Arena& arena,
                                                           const CancelToken& cancel) noexcept {
  const Snapshot& s = references.snapshot();
  HF_TRY(bits, arena.make_filled<std::uint64_t>(s.object_count() / 64 + 1, 0));
  HF_CHECK_OK(mark_from_roots(references, holding, true, bits, arena, cancel));
  HF_TRY(rest, roots_of_rest(references, holding, bits, arena, cancel));
  HF_TRY(all, arena.make_filled<RootRecord>(s.roots.size() + rest.size(), RootRecord{}));
  std::copy(s.roots.begin(), s.roots.end(), all.begin());
  for (std::size_t i = 0; i < rest.size(); ++i) all[s.roots.size() + i].object = ObjectId{rest[i]};
  return std::span<const RootRecord>(all);
}

}  // namespace holdfast::analysis
