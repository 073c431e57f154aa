#include "analysis/cuts/cut_choice.h"

#include <algorithm>

#include "analysis/dominator_arrays.h"
#include "analysis/few_of_a_kind.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kMaxOfField = 3;
constexpr std::uint32_t kMaxScan = 4096;  // references of a holder that are searched for a label
constexpr std::uint32_t kRootLabel = 0x10000;  // labels of references have 16 bits

// What counts as the same field. For roots: kind, and the method of a frame or the name of a static field.
struct Field {
  std::uint32_t holder = ObjectId::kNoneValue;
  std::uint32_t label = 0;
  std::uint32_t referent_class = 0;
  friend bool operator==(const Field&, const Field&) noexcept = default;
};

struct Choice {
  std::uint32_t object = 0;
  Field field;
  std::uint64_t freed_bytes = 0;
};

bool is_before(const Choice& a, const Choice& b) noexcept {
  return a.freed_bytes != b.freed_bytes ? a.freed_bytes > b.freed_bytes : a.object < b.object;
}

bool same_kind(const Choice& a, const Choice& b) noexcept { return a.field == b.field; }

// A cut that may be shown, while the pass is below it.
struct Above {
  std::uint32_t end = 0;  // of its subtree
  std::uint64_t freed_bytes = 0;
  Field field;
};

class CutChoice {
 public:
  CutChoice(const ImportantNodesInput& input, std::span<const std::uint32_t> root_of,
            std::span<Choice> rows) noexcept
      : snapshot_(input.references.snapshot()),
        holding_(input.holding),
        d_(input.dominators),
        root_of_(root_of),
        list_(rows, kMaxOfField) {}

  void look_at(std::uint32_t position) noexcept {
    while (nesting_ > 0 && above_[nesting_ - 1].end <= position) --nesting_;
    Choice choice;
    choice.object = d_.order[position];
    choice.freed_bytes = d_.retained_bytes[choice.object];
    if (nesting_ > 0 && above_[nesting_ - 1].freed_bytes * 4 <= choice.freed_bytes * 5) return;
    if (is_inside_structure(choice.object)) return;
    // What is below one that is too small is smaller still, whatever its field.
    const bool may_show = list_.may_take(choice);
    if (may_show) {
      choice.field = field_of(choice.object);
      if (continues(choice.field)) return;
      list_.offer(choice);
    }
    if (nesting_ < kMaxNesting)
      above_[nesting_++] = {position + d_.subtree_objects[position], choice.freed_bytes,
                            choice.field};
  }

  std::span<const Choice> chosen() const noexcept { return list_.rows(); }

  Cut cut_of(const Choice& choice) const noexcept {
    Cut cut;
    cut.referent = ObjectId{choice.object};
    cut.freed_bytes = choice.freed_bytes;
    cut.freed_objects = d_.subtree_objects[d_.position[choice.object]];
    const std::uint32_t holder = d_.idom[choice.object];
    if (holder == Dominators::kRoot) {
      cut.root = root_of_[choice.object];
      return cut;
    }
    cut.referrer = ObjectId{holder};
    for (std::uint32_t i = snapshot_.first_ref[holder]; i < snapshot_.first_ref[holder + 1]; ++i) {
      if (!is_reference_to(i, choice.object)) continue;
      if (cut.references++ == 0) cut.label = snapshot_.label[i];
    }
    return cut;
  }

 private:
  bool is_inside_structure(std::uint32_t object) const noexcept {
    const std::uint32_t holder = d_.idom[object];
    if (holder == Dominators::kRoot) return false;
    const ClassId of = snapshot_.class_of[object];
    return of.valid() && of == snapshot_.class_of[holder];
  }

  bool continues(const Field& field) const noexcept {
    for (std::uint32_t i = 0; i < nesting_; ++i)
      if (above_[i].field == field) return true;
    return false;
  }

  Field field_of(std::uint32_t object) const noexcept {
    const std::uint32_t holder = d_.idom[object];
    const std::uint32_t referent_class = snapshot_.class_of[object].value;
    if (holder == Dominators::kRoot) {
      const RootRecord& root = snapshot_.roots[root_of_[object]];
      return {root.method.value, kRootLabel + static_cast<std::uint32_t>(root.kind),
              referent_class};
    }
    return {snapshot_.class_of[holder].value, label_for_field(holder, object), referent_class};
  }

  // All elements are one field. Arrays are told by their first element: they are not searched.
  std::uint32_t label_for_field(std::uint32_t holder, std::uint32_t object) const noexcept {
    const std::uint32_t first = snapshot_.first_ref[holder];
    const std::uint32_t end = first + std::min(kMaxScan, snapshot_.first_ref[holder + 1] - first);
    if (is_element(snapshot_.label[first])) return RefLabel::kElementBase;
    for (std::uint32_t i = first; i < end; ++i)
      if (is_reference_to(i, object))
        return is_element(snapshot_.label[i]) ? RefLabel::kElementBase : snapshot_.label[i].bits;
    return special(SpecialRef::kOther).bits;
  }
  static bool is_element(RefLabel label) noexcept {
    return label.is_element() || label == special(SpecialRef::kElement);
  }
  bool is_reference_to(std::uint32_t i, std::uint32_t object) const noexcept {
    return snapshot_.target[i].value == object &&
           (holding_ & strength_bit(strength_of(snapshot_.label[i]))) != 0;
  }

  const Snapshot& snapshot_;
  StrengthSet holding_;
  const Dominators& d_;
  std::span<const std::uint32_t> root_of_;
  FewOfAKind<Choice> list_;
  Above above_[kMaxNesting];
  std::uint32_t nesting_ = 0;
};

}  // namespace

Result<std::uint32_t> choose_cuts(const ImportantNodesInput& input,
                                  std::span<const std::uint64_t> candidates,
                                  std::span<const std::uint32_t> root_of, std::span<Cut> cuts,
                                  Arena& arena, const CancelToken& cancel) noexcept {
  const Dominators& d = input.dominators;
  ArenaScope scratch(arena);
  HF_TRY(rows, arena.make_filled<Choice>(cuts.size(), Choice{}));
  CutChoice choice(input, root_of, rows);
  HF_CHECK_OK(forward_in_strides(0, cuts.empty() ? 0 : d.held_objects, cancel,
                                 [&](std::uint32_t from, std::uint32_t to) {
                                   for (std::uint32_t p = from; p < to; ++p) {
                                     const std::uint32_t object = d.order[p];
                                     if ((candidates[object >> 6] >> (object & 63) & 1u) != 0)
                                       choice.look_at(p);
                                   }
                                 }));
  std::uint32_t count = 0;
  for (const Choice& chosen : choice.chosen()) cuts[count++] = choice.cut_of(chosen);
  return count;
}

}  // namespace holdfast::analysis
