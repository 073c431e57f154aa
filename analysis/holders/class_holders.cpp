#include "analysis/holders/class_holders.h"

#include <algorithm>

#include "analysis/holders/holder_table.h"
#include "analysis/report/ranking.h"
#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kNoPlaceRow = 0xFFFFFFFFu;
constexpr std::uint32_t kCancelStep = 4096;  // objects between two looks at the cancel token
constexpr std::size_t kAhead = 64;           // references whose referent is fetched ahead
// A class has so many places as a rule, far more the few that all others use.
constexpr std::uint64_t kPlacesOfChosen = 32;
constexpr std::uint64_t kPlacesOfAny = 8;

// What stays; made before all scratch.
struct Room {
  std::span<ClassHolders> classes;
  std::span<HolderPlace> places;  // so many a class
};

std::size_t most_chosen(const HolderQuestion& q, const HolderLimits& limits) noexcept {
  const std::size_t most = std::min<std::size_t>(limits.classes, q.classes.size());
  return std::min<std::size_t>(most + q.suspects.size(), HolderKey::kMostRows - 1);
}

// The classes that are told: those that a report lists first, then those of suspects; and of each object its class and size in short.
// Why in short: referents come in no order, and two bytes of each, on large pages, are what caches can hold.
class ChosenClasses {
 public:
  static Result<ChosenClasses> make(const HolderQuestion& q, const HolderLimits& limits,
                                    std::span<ClassHolders> room, Arena& arena) noexcept {
    ChosenClasses made;
    made.snapshot_ = &q.snapshot;
    made.room_ = room;
    const std::uint32_t classes = q.snapshot.catalog.class_count();
    HF_TRY(objects, arena.make<Short>(q.snapshot.object_count()));
    HF_TRY(rows, arena.make_filled<std::uint32_t>(std::size_t{classes} + 1, kNoPlaceRow));
    made.objects_ = objects;
    made.rows_ = rows;
    const std::size_t known = std::min<std::size_t>(classes, q.classes.size());
    HF_TRY(order, rank_largest(
                      arena, known, limits.classes,
                      [&q](std::uint32_t c) { return worth_listing(q.classes[c]); },
                      [&q](std::uint32_t c) { return class_weight(q.classes[c]); }));
    for (const std::uint32_t c : order) made.choose(c);
    for (const SuspectResult& suspect : q.suspects) made.choose(suspect.class_id.value);
    return made;
  }

  // Before the first question about an object.
  Result<void> read_objects(const CancelToken& cancel) noexcept {
    for (std::uint32_t v = 0; v < snapshot_->object_count(); ++v) {
      if (v % kCancelStep == 0) HF_CHECK_OK(cancel.check());
      const std::uint32_t row = row_of_class(snapshot_->class_of[v]);
      const std::uint32_t code = row == kNoPlaceRow ? kNotChosen : std::min(row, kFarRow);
      objects_[v] = {static_cast<std::uint8_t>(code),
                     static_cast<std::uint8_t>(std::min(snapshot_->shallow_units[v], kLarge))};
    }
    return {};
  }

  std::uint32_t count() const noexcept { return count_; }
  void fetch(ObjectId object) const noexcept { prefetch(&objects_[object.value]); }
  std::uint32_t row_of(ObjectId object) const noexcept {
    const std::uint8_t code = objects_[object.value].row;
    if (code < kFarRow) return code;
    return code == kNotChosen ? kNoPlaceRow : row_of_class(snapshot_->class_of[object.value]);
  }
  std::uint64_t shallow_bytes(ObjectId object) const noexcept {
    const std::uint32_t units = objects_[object.value].units;
    return (units < kLarge ? units : snapshot_->shallow_units[object.value]) *
           snapshot_->shallow_unit_bytes;
  }

 private:
  struct Short {
    std::uint8_t row;
    std::uint8_t units;
  };
  static constexpr std::uint32_t kFarRow = 254;  // or one above it: the class says which
  static constexpr std::uint32_t kNotChosen = 255;
  static constexpr std::uint32_t kLarge = 255;  // or larger

  std::uint32_t row_of_class(ClassId id) const noexcept {
    return rows_[std::min<std::size_t>(id.value, rows_.size() - 1)];
  }
  void choose(std::uint32_t c) noexcept {
    if (c + std::size_t{1} >= rows_.size() || rows_[c] != kNoPlaceRow || count_ == room_.size())
      return;
    rows_[c] = count_;
    room_[count_] = ClassHolders{};
    room_[count_++].class_id = ClassId{c};
  }

  const Snapshot* snapshot_ = nullptr;
  std::span<ClassHolders> room_;
  std::span<Short> objects_;       // [n]
  std::span<std::uint32_t> rows_;  // [class count + 1]
  std::uint32_t count_ = 0;
};

// Which class a class object stands for. Asked for static fields alone, one class object after the other.
class ClassesBehind {
 public:
  static Result<ClassesBehind> make(const Catalog& catalog, Arena& arena) noexcept {
    HF_TRY(ids, arena.make<std::uint32_t>(catalog.classes.size()));
    std::size_t count = 0;
    for (std::uint32_t c = 0; c < catalog.class_count(); ++c)
      if (catalog.classes[c].mirror.valid()) ids[count++] = c;
    ClassesBehind made;
    made.classes_ = catalog.classes;
    made.ids_ = ids.first(count);
    std::sort(made.ids_.begin(), made.ids_.end(), [&catalog](std::uint32_t a, std::uint32_t b) {
      const ObjectId first = catalog.classes[a].mirror, second = catalog.classes[b].mirror;
      return first != second ? first < second : a < b;
    });
    return made;
  }
  ClassId of(ObjectId class_object) noexcept {
    if (class_object == last_object_) return last_;
    const auto at = std::lower_bound(
        ids_.begin(), ids_.end(), class_object,
        [this](std::uint32_t c, ObjectId wanted) { return classes_[c].mirror < wanted; });
    const bool found = at != ids_.end() && classes_[*at].mirror == class_object;
    last_object_ = class_object;
    last_ = found ? ClassId{*at} : ClassId{};
    return last_;
  }

 private:
  std::span<const ClassRow> classes_;
  std::span<std::uint32_t> ids_;  // by class object
  ObjectId last_object_;
  ClassId last_;
};

class Counting {
 public:
  Counting(const HolderQuestion& q, const ChosenClasses& chosen, std::span<ClassHolders> told,
           HolderTable& table, ClassesBehind& behind) noexcept
      : q_(q), s_(q.snapshot), chosen_(chosen), told_(told), table_(table), behind_(behind) {}

  Result<void> references(const CancelToken& cancel) noexcept {
    for (std::uint32_t v = 0; v < s_.object_count(); ++v) {
      if (v % kCancelStep == 0) HF_CHECK_OK(cancel.check());
      if (is_held(v)) count_row(v);
    }
    return {};
  }

  void roots() noexcept {
    for (const RootRecord& root : s_.roots) {
      const std::uint32_t row = chosen_.row_of(root.object);
      if (row == kNoPlaceRow || !is_held(root.object.value)) continue;
      const bool field = root.kind == RootKind::kStaticField && root.method.valid();
      const HolderKey key{
          row, static_cast<std::uint8_t>(field ? PlaceKind::kStaticRoot : PlaceKind::kRoot),
          static_cast<std::uint16_t>(root.kind), field ? root.method.value : 0};
      count(key.packed(), row, ObjectId::kNoneValue, root.object);
    }
  }

 private:
  bool is_held(std::uint32_t v) const noexcept {
    if (!q_.dominators.position.empty()) return q_.dominators.position[v] != ObjectId::kNoneValue;
    return (q_.holding & strength_bit(q_.reachability.strength[v])) != 0;
  }

  void count_row(std::uint32_t v) noexcept {
    const std::size_t end = s_.first_ref[v + 1], last = s_.target.size() - 1;
    const std::uint32_t owner = s_.class_of[v].value;
    for (std::size_t i = s_.first_ref[v]; i < end; ++i) {
      chosen_.fetch(s_.target[std::min(i + kAhead, last)]);
      const ObjectId to = s_.target[i];
      const std::uint32_t row = chosen_.row_of(to);
      if (row != kNoPlaceRow) count(key_of(v, owner, s_.label[i], row), row, v, to);
    }
  }

  std::uint64_t key_of(std::uint32_t v, std::uint32_t owner, RefLabel label,
                       std::uint32_t row) noexcept {
    if (label.is_element()) label = special(SpecialRef::kElement);
    if (!label.is_static_field())
      return HolderKey{row, static_cast<std::uint8_t>(PlaceKind::kReference), label.bits, owner}
          .packed();
    return HolderKey{row, static_cast<std::uint8_t>(PlaceKind::kStaticField), label.bits,
                     behind_.of(ObjectId{v}).value}
        .packed();
  }

  void count(std::uint64_t key, std::uint32_t row, std::uint32_t referrer, ObjectId to) noexcept {
    const std::uint64_t bytes = chosen_.shallow_bytes(to);
    if (table_.add(key, referrer, bytes)) return;
    ++told_[row].unplaced_references;
    told_[row].unplaced_bytes += bytes;
  }

  const HolderQuestion& q_;
  const Snapshot& s_;
  const ChosenClasses& chosen_;
  std::span<ClassHolders> told_;
  HolderTable& table_;
  ClassesBehind& behind_;
};

HolderPlace place_of(const HolderSlot& slot) noexcept {
  const HolderKey key = HolderKey::of(slot.key);
  HolderPlace place;
  place.kind = static_cast<PlaceKind>(key.kind);
  const bool root = place.kind == PlaceKind::kRoot || place.kind == PlaceKind::kStaticRoot;
  if (root)
    place.root_kind = static_cast<RootKind>(key.label);
  else
    place.label = RefLabel{key.label};
  if (place.kind == PlaceKind::kStaticRoot) place.field = MethodId{key.owner};
  if (!root) place.referrer = ClassId{key.owner};
  place.references = slot.references;
  place.referrers = root ? 0 : slot.referrers;
  place.bytes = slot.bytes;
  return place;
}

// Equal heaps give equal reports, whatever the order of slots.
bool is_before(const HolderPlace& a, const HolderPlace& b) noexcept {
  if (a.references != b.references) return a.references > b.references;
  if (a.bytes != b.bytes) return a.bytes > b.bytes;
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.referrer != b.referrer) return a.referrer < b.referrer;
  if (a.field != b.field) return a.field < b.field;
  return a.label.bits != b.label.bits ? a.label.bits < b.label.bits : a.root_kind < b.root_kind;
}

// `kept` of `room` are there, the best first; answers how many are then.
std::size_t offer(std::span<HolderPlace> room, std::size_t kept,
                  const HolderPlace& place) noexcept {
  std::size_t at = kept;
  while (at > 0 && is_before(place, room[at - 1])) --at;
  if (at == room.size()) return kept;
  const std::size_t now = std::min(kept + 1, room.size());
  for (std::size_t i = now - 1; i > at; --i) room[i] = room[i - 1];
  room[at] = place;
  return now;
}

void choose_places(const HolderTable& table, const Room& room, std::size_t most) noexcept {
  for (const HolderSlot& slot : table.slots()) {
    if (slot.key == 0) continue;
    const std::uint32_t row = HolderKey::of(slot.key).row;
    ClassHolders& of = room.classes[row];
    ++of.places_total;
    of.references += slot.references;
    of.bytes += slot.bytes;
    const auto mine = room.places.subspan(row * most, most);
    of.places = mine.first(offer(mine, of.places.size(), place_of(slot)));
  }
  for (ClassHolders& of : room.classes) {
    of.references += of.unplaced_references;
    of.bytes += of.unplaced_bytes;
  }
}

std::size_t slots_for(const HolderQuestion& q, std::uint64_t chosen, std::size_t most) noexcept {
  const std::uint64_t found = q.snapshot.reference_count() + q.snapshot.roots.size();
  const std::uint64_t expected =
      kPlacesOfChosen * chosen + kPlacesOfAny * q.snapshot.catalog.class_count();
  const std::uint64_t places = std::min(found, expected);
  return std::bit_ceil(static_cast<std::size_t>(std::clamp<std::uint64_t>(
      places + places / 3, HolderTable::kLeastSlots,
      std::max<std::uint64_t>(std::bit_floor(most), HolderTable::kLeastSlots))));
}

// All scratch goes back.
Result<std::uint32_t> fill(const HolderQuestion& q, const HolderLimits& limits, const Room& room,
                           Arena& arena, const CancelToken& cancel) noexcept {
  const ArenaScope scratch(arena);
  HF_TRY(chosen, ChosenClasses::make(q, limits, room.classes, arena));
  HF_CHECK_OK(chosen.read_objects(cancel));
  HF_TRY(behind, ClassesBehind::make(q.snapshot.catalog, arena));
  HF_TRY(table, HolderTable::make(slots_for(q, chosen.count(), limits.slots), arena));
  Counting counting(q, chosen, room.classes, table, behind);
  HF_CHECK_OK(counting.references(cancel));
  counting.roots();
  choose_places(table, {room.classes.first(chosen.count()), room.places}, limits.places);
  return chosen.count();
}

}  // namespace

Result<HolderFindings> find_holders(const HolderQuestion& question, const HolderLimits& limits,
                                    Arena& arena, const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  const std::size_t most = most_chosen(question, limits);
  Room room;
  HF_TRY(classes, arena.make<ClassHolders>(most));
  room.classes = classes;
  auto places = arena.make<HolderPlace>(most * limits.places);
  if (places) room.places = *places;
  const auto told =
      places ? fill(question, limits, room, arena, cancel) : Result<std::uint32_t>(places.error());
  if (!told) {
    arena.rewind(before);
    return told.error();
  }
  HolderFindings found;
  found.told = true;
  found.classes = room.classes.first(*told);
  return found;
}

}  // namespace holdfast::analysis
