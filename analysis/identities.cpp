#include "analysis/identities.h"

#include <algorithm>

namespace holdfast::analysis {

namespace {

WayToObject way_of(const RootPathResult& path) noexcept {
  const bool whole = path.length == path.steps.size();
  return {path.root, path.steps, whole ? 0 : path.left_out_after + 1};
}

// The known ones, then those that are numbered here.
class Numbering {
 public:
  Numbering(const Tracking& tracking, std::span<TrackedObject> room) noexcept
      : tracking_(tracking), room_(room), used_(tracking.known.size()) {
    std::copy(tracking.known.begin(), tracking.known.end(), room_.begin());
  }
  // What the path leads to.
  void name(const RootPathResult& path) noexcept {
    if (path.steps.empty()) return;
    const ObjectId object = path.steps.back().object;
    if (const TrackedObject* known = find(object)) {
      if (known->first_sequence != 0) tracking_.name(tracking_.context, known->number, {});
      return;
    }
    const std::uint32_t number =
        tracking_.next_number + static_cast<std::uint32_t>(used_ - tracking_.known.size());
    room_[used_++] = TrackedObject{object, number};
    tracking_.name(tracking_.context, number, way_of(path));
  }
  std::span<const TrackedObject> by_object() noexcept {
    const std::span<TrackedObject> all = room_.first(used_);
    std::sort(all.begin(), all.end(), [](const TrackedObject& a, const TrackedObject& b) {
      return a.object.value < b.object.value;
    });
    return all;
  }

 private:
  const TrackedObject* find(ObjectId object) const noexcept {
    for (const TrackedObject& row : room_.first(used_))
      if (row.object == object) return &row;
    return nullptr;
  }

  const Tracking& tracking_;
  std::span<TrackedObject> room_;
  std::size_t used_;
};

}  // namespace

Result<Identities> find_identities(const Tracking& tracking,
                                   std::span<const RootPathResult> top_paths,
                                   std::span<const SuspectResult> suspects, Arena& arena) noexcept {
  const std::size_t most = tracking.known.size() + top_paths.size() + suspects.size();
  HF_TRY(room, arena.make_filled<TrackedObject>(most, TrackedObject{}));
  Numbering numbering(tracking, room);
  for (const RootPathResult& path : top_paths) numbering.name(path);
  for (const SuspectResult& suspect : suspects) numbering.name(suspect.path);
  Identities found;
  found.told = true;
  found.began_utc_ms = tracking.began_utc_ms;
  found.known = static_cast<std::uint32_t>(tracking.known.size());
  found.gone = tracking.gone;
  found.unfollowed = tracking.unfollowed;
  found.objects = numbering.by_object();
  return found;
}

}  // namespace holdfast::analysis
