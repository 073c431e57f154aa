#include "analysis/reachable/reachable_findings.h"

#include <algorithm>

#include "analysis/dominator_arrays.h"
#include "analysis/reachable/hidden_objects.h"
#include "analysis/reachable/size_differences.h"

namespace holdfast::analysis {

namespace {

void add_to(std::uint64_t& sum, std::uint64_t bytes) noexcept {
  sum = bytes > UINT64_MAX - sum ? UINT64_MAX : sum + bytes;
}

class Summary {
 public:
  Summary(const ReachableQuestion& question, const ReachableSizes& sizes, const ReachableRoom& room,
          ReachableFindings& found) noexcept
      : q_(question), sizes_(sizes), room_(room), found_(found) {}

  Result<void> add_objects(const CancelToken& cancel) noexcept {
    std::fill(room_.classes.begin(), room_.classes.end(), ClassReach{});
    HF_CHECK_OK(forward_in_strides(0, q_.snapshot.object_count(), cancel,
                                   [this](std::uint32_t from, std::uint32_t to) {
                                     for (std::uint32_t v = from; v < to; ++v)
                                       if (q_.dominators.position[v] != ObjectId::kNoneValue)
                                         add(ObjectId{v});
                                   }));
    found_.classes = room_.classes;
    return {};
  }

  void list_objects() noexcept {
    for (const ObjectId object : q_.top_objects) list(object);
    for (const SuspectResult& suspect : q_.suspects)
      if (suspect.holder.valid()) list(suspect.holder);
    for (const ObjectId object : found_.hidden) list(object);
    const auto listed = room_.objects.first(count_);
    const auto by_object = [](const ReachableFigure& a, const ReachableFigure& b) {
      return a.object < b.object;
    };
    const auto equal = [](const ReachableFigure& a, const ReachableFigure& b) {
      return a.object == b.object;
    };
    std::sort(listed.begin(), listed.end(), by_object);
    const auto end = std::unique(listed.begin(), listed.end(), equal);
    found_.objects = listed.first(static_cast<std::size_t>(end - listed.begin()));
  }

 private:
  void add(ObjectId object) noexcept {
    const std::uint64_t reached = sizes_.of(object);
    const std::uint64_t retained = q_.dominators.retained_bytes[object.value];
    ++found_.differences[size_difference_group(reached, retained)];
    add_to(found_.reachable_sum, reached);
    add_to(found_.retained_sum, retained);
    ClassReach& row = room_.classes[std::min<std::size_t>(q_.snapshot.class_of[object.value].value,
                                                          room_.classes.size() - 1)];
    row.largest_bytes = std::max(row.largest_bytes, reached);
    row.estimated = row.estimated || sizes_.is_estimate(object);
  }

  void list(ObjectId object) noexcept {
    if (count_ < room_.objects.size())
      room_.objects[count_++] = {object, sizes_.of(object), sizes_.is_estimate(object)};
  }

  const ReachableQuestion& q_;
  const ReachableSizes& sizes_;
  const ReachableRoom& room_;
  ReachableFindings& found_;
  std::size_t count_ = 0;
};

}  // namespace

Result<ReachableRoom> ReachableRoom::make(const ReachableQuestion& question,
                                          Arena& arena) noexcept {
  ReachableRoom room;
  HF_TRY(objects, arena.make<ReachableFigure>(question.top_objects.size() +
                                              question.suspects.size() + kMaxHiddenObjects));
  HF_TRY(classes, arena.make<ClassReach>(question.snapshot.catalog.classes.size() + 1));
  HF_TRY(hidden, arena.make<ObjectId>(kMaxHiddenObjects));
  room.objects = objects;
  room.classes = classes;
  room.hidden = hidden;
  return room;
}

Result<ReachableFindings> find_reachable(const ReachableQuestion& question,
                                         const Condensation& condensation,
                                         const ReachableLimits& limits, const ReachableRoom& room,
                                         Arena& arena, const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  ReachableFindings found;
  HF_TRY(sizes, reachable_sizes(condensation, limits, arena, cancel));
  found.components = condensation.count();
  found.shared = sizes.work.shared;
  found.estimated_objects = sizes.estimated_objects;
  found.reason = sizes.reason;
  found.standard_error = sizes.standard_error;
  Summary summary(question, sizes, room, found);
  HF_CHECK_OK(summary.add_objects(cancel));
  HF_TRY(hidden, find_hidden_objects(question.snapshot, question.dominators, sizes, room.hidden,
                                     arena, cancel));
  found.hidden = room.hidden.first(hidden);
  summary.list_objects();
  return found;
}

}  // namespace holdfast::analysis
