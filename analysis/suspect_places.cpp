#include "analysis/suspect_places.h"

#include <algorithm>

#include "analysis/dominator_tree.h"

namespace holdfast::analysis {

namespace {

constexpr std::string_view kJavaEntryName = "java.lang.ThreadLocal$ThreadLocalMap$Entry";
constexpr std::string_view kClrVariableName = "System.Threading.ThreadLocal<";
constexpr std::string_view kClrSlotName = ">.LinkedSlot";
constexpr std::string_view kClrTableName = "object[]";
constexpr std::string_view kClrStringName = "string";
constexpr std::uint32_t kCancelStride = 8192;
// So many objects above parts may be visited: a part may lie at the end of a list of a million.
constexpr std::uint64_t kMostSteps = 1 << 24;

enum class PartRole : std::uint8_t {
  kNone,
  kJavaEntry,
  kClrVariable,
  kClrSlot,
  kClrTable,
  kClrString
};

PartRole role_of(std::string_view class_name) noexcept {
  if (class_name == kJavaEntryName) return PartRole::kJavaEntry;
  if (class_name == kClrTableName) return PartRole::kClrTable;
  if (class_name == kClrStringName) return PartRole::kClrString;
  if (!class_name.starts_with(kClrVariableName)) return PartRole::kNone;
  if (class_name.ends_with(kClrSlotName)) return PartRole::kClrSlot;
  return class_name.ends_with('>') ? PartRole::kClrVariable : PartRole::kNone;
}

struct Candidate {
  std::uint64_t key;  // an object, or a field behind all objects
  std::uint32_t position;
  std::uint32_t row;
};
constexpr std::uint64_t kFieldKeys = std::uint64_t{1} << 32;
constexpr std::uint64_t kInternedStrings = std::uint64_t{2} << 32;

class PlaceSearch {
 public:
  PlaceSearch(const Snapshot& snapshot, const Dominators& d, const ClassSums& sums, Arena& arena,
              const CancelToken& cancel) noexcept
      : s_(snapshot), d_(d), sums_(sums), arena_(arena), cancel_(cancel) {}

  Result<SuspectPlaces> run(std::uint64_t threshold_bytes, TakenParts& taken) noexcept {
    SuspectPlaces found;
    HF_TRY(most, count_candidates());
    if (most == 0) return found;
    HF_TRY(positions, arena_.make<std::uint32_t>(most));
    HF_CHECK_OK(taken.prepare(most));
    ArenaScope scratch(arena_);
    HF_CHECK_OK(collect(most));
    const auto all = candidates_.first(count_);
    std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
      if (a.key != b.key) return a.key < b.key;
      return a.row != b.row ? a.row < b.row : a.position < b.position;
    });
    HF_TRY(groups, arena_.make<Group>(kMaxPlaces + 1));
    const std::size_t kept = largest_groups(all, threshold_bytes, groups);
    for (const Group& group : groups.first(kept))
      take(all.subspan(group.first, group.count), positions, taken, found);
    return found;
  }

 private:
  struct Group {
    std::size_t first, count;
    std::uint64_t bytes;
  };

  static bool is_of_thread(const RootRecord& root) noexcept {
    return root.kind == RootKind::kStaticField && root.thread.valid() && root.object.valid();
  }

  Result<std::size_t> count_candidates() noexcept {
    const Catalog& catalog = s_.catalog;
    HF_TRY(roles, arena_.make_filled<PartRole>(catalog.class_count() + 1, PartRole::kNone));
    for (std::uint32_t c = 0; c < catalog.class_count(); ++c) {
      roles[c] = role_of(catalog.class_name(ClassId{c}));
      any_role_ = any_role_ || is_of_variable(roles[c]);
    }
    roles_ = roles;
    std::size_t most = 0;
    for (const RootRecord& root : s_.roots) most += is_of_thread(root) || is_table(root) ? 1 : 0;
    for (std::uint32_t v = 0; any_role_ && v < s_.object_count(); ++v) {
      if (v % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      most += is_of_variable(role_of_object(v)) ? 1 : 0;
    }
    return most;
  }

  Result<void> collect(std::size_t most) noexcept {
    HF_TRY(candidates, arena_.make<Candidate>(most));
    candidates_ = candidates;
    for (const RootRecord& root : s_.roots)
      if (is_of_thread(root))
        add_value_of_field(root);
      else if (is_table(root) && holds_strings(root.object.value))
        add(kInternedStrings, root.object.value);
    for (std::uint32_t v = 0; any_role_ && v < s_.object_count(); ++v) {
      if (v % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      if (role_of_object(v) == PartRole::kJavaEntry) add_entry(v);
      if (role_of_object(v) == PartRole::kClrVariable) add_slots(v);
    }
    return {};
  }

  static bool is_of_variable(PartRole role) noexcept {
    return role != PartRole::kNone && role < PartRole::kClrTable;
  }
  bool is_table(const RootRecord& root) const noexcept {
    return root.kind == RootKind::kHandle && root.object.valid() &&
           role_of_object(root.object.value) == PartRole::kClrTable;
  }
  // Nine in ten of the elements are.
  bool holds_strings(std::uint32_t table) const noexcept {
    const std::uint32_t first = s_.first_ref[table];
    const std::uint64_t all = s_.first_ref[table + 1] - first;
    const auto elements = s_.target.subspan(first, static_cast<std::size_t>(all));
    const auto strings = std::count_if(elements.begin(), elements.end(), [this](ObjectId element) {
      return role_of_object(element.value) == PartRole::kClrString;
    });
    return all > 0 && static_cast<std::uint64_t>(strings) >= all - all / 10;
  }

  PartRole role_of_object(std::uint32_t object) const noexcept {
    return roles_[std::min<std::size_t>(s_.class_of[object].value, roles_.size() - 1)];
  }

  void add(std::uint64_t key, std::uint32_t object) noexcept {
    const std::uint32_t position = d_.position[object];
    if (position == ObjectId::kNoneValue || count_ == candidates_.size()) return;
    candidates_[count_++] = {key, position, sums_.row_of(object)};
  }

  // What something else holds as well is not the field's alone.
  void add_value_of_field(const RootRecord& root) noexcept {
    if (d_.idom[root.object.value] == Dominators::kRoot)
      add(kFieldKeys + root.method.value, root.object.value);
  }

  void add_entry(std::uint32_t entry) noexcept {
    for (std::uint32_t r = s_.first_ref[entry]; r < s_.first_ref[entry + 1]; ++r)
      if (strength_of(s_.label[r]) == Strength::kWeak) return add(s_.target[r].value, entry);
  }

  // Each slot refers to the next one and to the one before it.
  void add_slots(std::uint32_t variable) noexcept {
    std::uint32_t before = variable;
    std::uint32_t slot = slot_after(variable, before);
    for (std::uint32_t at = 0; slot != ObjectId::kNoneValue && at < s_.object_count(); ++at) {
      if (before != variable) add(variable, slot);
      const std::uint32_t next = slot_after(slot, before);
      before = slot;
      slot = next;
    }
  }
  std::uint32_t slot_after(std::uint32_t object, std::uint32_t before) const noexcept {
    for (std::uint32_t r = s_.first_ref[object]; r < s_.first_ref[object + 1]; ++r) {
      const std::uint32_t to = s_.target[r].value;
      if (to != before && to != object && role_of_object(to) == PartRole::kClrSlot) return to;
    }
    return ObjectId::kNoneValue;
  }

  // Of each key the class that has most; `groups` has room for one more than are kept.
  std::size_t largest_groups(std::span<const Candidate> all, std::uint64_t threshold,
                             std::span<Group> groups) const noexcept {
    std::size_t kept = 0;
    for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
      Group group{first, 0, 0};
      for (end = first;
           end < all.size() && all[end].key == all[first].key && all[end].row == all[first].row;
           ++end)
        if (end == first || all[end].position != all[end - 1].position)
          group.bytes += retained_at(d_, all[end].position);
      group.count = end - first;
      const bool one_is_enough = all[first].key == kInternedStrings;
      if ((group.count < 2 && !one_is_enough) || group.bytes < threshold) continue;
      std::size_t at = kept;
      for (; at > 0 && groups[at - 1].bytes < group.bytes; --at) groups[at] = groups[at - 1];
      groups[at] = group;
      kept = std::min(kept + 1, groups.size() - 1);
    }
    return kept;
  }

  void take(std::span<const Candidate> of, std::span<std::uint32_t> positions, TakenParts& taken,
            SuspectPlaces& found) noexcept {
    SuspectPlace place;
    std::size_t count = 0;
    const auto room = positions.subspan(used_);
    for (const Candidate& candidate : of) {
      const std::uint64_t bytes = taken.take(candidate.position);
      if (bytes == 0) continue;
      room[count++] = candidate.position;
      place.bytes += bytes;
      place.largest_bytes = std::max(place.largest_bytes, bytes);
    }
    if (count == 0) return;
    used_ += count;
    place.parts = room.first(count);
    place.row = of.front().row;
    place.of_threads = of.front().key != kInternedStrings;
    if (of.front().key < kFieldKeys)
      place.variable = ObjectId{static_cast<std::uint32_t>(of.front().key)};
    found.place[found.count++] = place;
  }

  const Snapshot& s_;
  const Dominators& d_;
  const ClassSums& sums_;
  Arena& arena_;
  const CancelToken& cancel_;
  std::span<const PartRole> roles_;  // by class
  std::span<Candidate> candidates_;
  std::size_t count_ = 0;
  std::size_t used_ = 0;
  bool any_role_ = false;
};

}  // namespace

Result<void> TakenParts::prepare(std::size_t parts) noexcept {
  HF_TRY(taken, arena_.make<Taken>(parts));
  taken_ = taken;
  return {};
}

std::uint64_t TakenParts::take(std::uint32_t position) noexcept {
  const std::uint32_t object = d_.order[position];
  const std::uint64_t bytes = d_.retained_bytes[object];
  if (bytes == 0 || count_ == taken_.size()) return 0;
  for (std::uint32_t at = object; at != Dominators::kRoot; at = d_.idom[at])
    if (d_.retained_bytes[at] < bytes || ++steps_ > kMostSteps) return 0;
  add_above(object, std::uint64_t{0} - bytes);
  taken_[count_++] = {object, bytes};
  return bytes;
}

void TakenParts::give_back() noexcept {
  for (; count_ > 0; --count_) add_above(taken_[count_ - 1].object, taken_[count_ - 1].bytes);
}

void TakenParts::add_above(std::uint32_t object, std::uint64_t bytes) noexcept {
  for (std::uint32_t at = object; at != Dominators::kRoot; at = d_.idom[at])
    d_.retained_bytes[at] += bytes;
}

Result<SuspectPlaces> find_places(const Snapshot& snapshot, const Dominators& dominators,
                                  std::uint64_t threshold_bytes, const ClassSums& sums,
                                  TakenParts& taken, Arena& arena,
                                  const CancelToken& cancel) noexcept {
  return PlaceSearch(snapshot, dominators, sums, arena, cancel).run(threshold_bytes, taken);
}

}  // namespace holdfast::analysis
