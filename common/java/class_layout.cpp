#include "common/java/class_layout.h"

#include <algorithm>

namespace holdfast::java {

namespace {

// Superclass chains are short; the limit guards against a VM that answers with a cycle.
constexpr std::uint32_t kMaxSuperclassSteps = 1u << 12;

template <class Visit>
void for_each_superclass(std::span<const ClassRow> rows, std::uint32_t c, Visit visit) noexcept {
  ClassId at = rows[c].superclass;
  for (std::uint32_t step = 0; at.valid() && step < kMaxSuperclassSteps; ++step) {
    visit(at.value);
    at = rows[at.value].superclass;
  }
}

// The fields of everything that class `c` implements. A class appears in `queue` once, so C places are enough.
class InterfaceClosure {
 public:
  InterfaceClosure(const ClassRelations& relations, LayoutScratch scratch) noexcept
      : relations_(relations), scratch_(scratch) {}

  std::uint32_t field_count(std::uint32_t c, std::span<const ClassRow> rows) noexcept {
    queued_ = 0;
    add_interfaces_of(c, c);
    for_each_superclass(rows, c, [&](std::uint32_t s) { add_interfaces_of(s, c); });
    std::uint32_t fields = 0;
    for (std::uint32_t next = 0; next < queued_; ++next) {
      const std::uint32_t interface = scratch_.queue[next];
      fields += rows[interface].field_count;
      add_interfaces_of(interface, c);
    }
    return fields;
  }

 private:
  void add_interfaces_of(std::uint32_t of, std::uint32_t for_class) noexcept {
    for (std::uint32_t i = relations_.first_interface[of]; i < relations_.first_interface[of + 1];
         ++i) {
      const std::uint32_t interface = relations_.interfaces[i];
      if (interface >= scratch_.seen_for.size() || scratch_.seen_for[interface] == for_class)
        continue;
      scratch_.seen_for[interface] = for_class;
      scratch_.queue[queued_++] = interface;
    }
  }

  const ClassRelations& relations_;
  LayoutScratch scratch_;
  std::uint32_t queued_ = 0;
};

Strength referent_strength(const KnownClasses& known, std::uint32_t c) noexcept {
  if (c == known.soft) return Strength::kSoft;
  if (c == known.weak) return Strength::kWeak;
  if (c == known.final) return Strength::kFinal;
  if (c == known.phantom) return Strength::kPhantom;
  return Strength::kStrong;
}

void mark_ancestor(const KnownClasses& known, std::uint32_t ancestor, ClassRow& row) noexcept {
  if (ancestor == known.class_class) row.flags |= kClassClass;
  if (ancestor == known.class_loader) row.flags |= kClassLoaderKind;
  if (ancestor == known.thread) row.flags |= kClassThread;
  if (const Strength strength = referent_strength(known, ancestor); strength != Strength::kStrong)
    row.referent = strength;
}

}  // namespace

void lay_out_fields(const ClassRelations& relations, std::span<ClassRow> rows,
                    LayoutScratch scratch) noexcept {
  std::fill(scratch.seen_for.begin(), scratch.seen_for.end(), kNoClass);
  InterfaceClosure closure(relations, scratch);
  std::uint32_t first_field = 0;
  for (std::uint32_t c = 0; c < rows.size(); ++c) {
    ClassRow& row = rows[c];
    row.first_field = first_field;
    first_field += row.field_count;
    row.chain_offset = 0;
    for_each_superclass(rows, c, [&](std::uint32_t s) { row.chain_offset += rows[s].field_count; });
    row.interface_field_count =
        relations.prepared[c] != 0 ? closure.field_count(c, rows) : kUnknownFieldCount;
  }
}

void mark_kinds(const KnownClasses& known, std::span<ClassRow> rows) noexcept {
  for (std::uint32_t c = 0; c < rows.size(); ++c) {
    mark_ancestor(known, c, rows[c]);
    for_each_superclass(rows, c, [&](std::uint32_t s) { mark_ancestor(known, s, rows[c]); });
  }
}

void find_referents(const KnownClasses& known, std::span<const ClassRow> rows,
                    std::span<ReferentRule> rules) noexcept {
  for (std::uint32_t c = 0; c < rows.size(); ++c) {
    rules[c] = ReferentRule{};
    if (rows[c].referent == Strength::kStrong || known.referent_ordinal == kNoClass) continue;
    // A class that is not prepared hides its interfaces; its superclass' count is right unless they declare constants.
    std::uint32_t interface_fields = rows[c].interface_field_count;
    for_each_superclass(rows, c, [&](std::uint32_t s) {
      if (interface_fields == kUnknownFieldCount) interface_fields = rows[s].interface_field_count;
    });
    if (interface_fields == kUnknownFieldCount) continue;
    rules[c] =
        ReferentRule{interface_fields + known.referent_ordinal, referent_label(rows[c].referent)};
  }
}

}  // namespace holdfast::java
