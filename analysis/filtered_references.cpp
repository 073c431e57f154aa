#include "analysis/filtered_references.h"

#include "analysis/name_pattern.h"
#include "analysis/object_sets.h"

namespace holdfast::analysis {

namespace {

// As catalog.cpp: only a guard against a cycle in a forged catalog.
constexpr std::uint32_t kMaxSuperclassSteps = 1u << 16;
constexpr std::size_t kMaxFilterFields = 256;   // patterns; each is compared with every class
constexpr std::uint32_t kCancelClasses = 1024;  // classes between two looks at the cancel token

struct FieldPattern {
  std::string_view class_name;
  std::string_view field_name;
  std::span<const bool> classes;  // that match, subclasses included
};

FieldPattern split(std::string_view text) noexcept {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return {text, {}, {}};
  return {text.substr(0, dot), text.substr(dot + 1), {}};
}

// visit(label) for each reference of objects of the class that one of its fields named so stands for.
template <class Visit>
void visit_labels(const Catalog& catalog, std::uint32_t class_row, std::string_view field,
                  Visit visit) noexcept {
  const ClassRow& own = catalog.classes[class_row];
  ClassId at{class_row};
  for (std::uint32_t step = 0; at.value < catalog.classes.size() && step < kMaxSuperclassSteps;
       ++step) {
    const ClassRow& row = catalog.classes[at.value];
    for (std::uint32_t i = 0; i < row.field_count; ++i) {
      if (!name_matches(field, catalog.strings.view(catalog.fields[row.first_field + i]))) continue;
      const RefLabel label =
          RefLabel::instance_field(own.interface_field_count + row.chain_offset + i);
      if (!label.saturated()) visit(label);  // one that many slots share names none of them
    }
    at = row.superclass;
  }
  if (own.referent == Strength::kStrong || !name_matches(field, "referent")) return;
  for (const SpecialRef referent : {SpecialRef::kReferentSoft, SpecialRef::kReferentWeak,
                                    SpecialRef::kReferentFinal, SpecialRef::kReferentPhantom})
    visit(special(referent));
}

template <class Visit>
void visit_labels(const Catalog& catalog, std::span<const FieldPattern> patterns,
                  std::uint32_t class_row, Visit visit) noexcept {
  for (const FieldPattern& pattern : patterns)
    if (pattern.classes[class_row]) visit_labels(catalog, class_row, pattern.field_name, visit);
}

Result<std::span<FieldPattern>> match_classes(const Catalog& catalog,
                                              std::span<const std::string_view> fields,
                                              Arena& arena, const CancelToken& cancel) noexcept {
  if (fields.size() > kMaxFilterFields)
    return make_error(ErrorCode::kTooMany, static_cast<std::int64_t>(kMaxFilterFields));
  HF_TRY(patterns, arena.make<FieldPattern>(fields.size()));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    patterns[i] = split(fields[i]);
    ObjectQuery query{SelectBy::kClassName, patterns[i].class_name};
    query.subclasses = true;
    HF_TRY(classes, select_classes(catalog, query, arena, cancel));
    patterns[i].classes = classes;
  }
  return patterns;
}

}  // namespace

Result<void> FilteredReferences::lay_out(std::span<const std::string_view> fields, Arena& arena,
                                         const CancelToken& cancel) noexcept {
  const Catalog& catalog = snapshot().catalog;
  HF_TRY(first, arena.make_filled<std::uint32_t>(std::size_t{class_count()} + 2, 0));
  first_ = first;
  HF_TRY(patterns, match_classes(catalog, fields, arena, cancel));
  std::uint64_t total = 0;
  for (std::uint32_t c = 0; c < class_count(); ++c) {
    if (c % kCancelClasses == 0) HF_CHECK_OK(cancel.check());
    visit_labels(catalog, patterns, c, [&](RefLabel) { ++total; });
    first[c + 1] = static_cast<std::uint32_t>(total);
  }
  if (total > UINT32_MAX) return make_error(ErrorCode::kTooMany, UINT32_MAX);
  first[class_count() + 1] = first[class_count()];
  HF_TRY(labels, arena.make<std::uint16_t>(total));
  labels_ = labels;
  for (std::uint32_t c = 0; c < class_count(); ++c) {
    if (c % kCancelClasses == 0) HF_CHECK_OK(cancel.check());
    std::uint32_t next = first[c];
    visit_labels(catalog, patterns, c, [&](RefLabel label) { labels[next++] = label.bits; });
    std::sort(labels.begin() + first[c], labels.begin() + next);
  }
  return {};
}

Result<FilteredReferences> FilteredReferences::make(const CountedReferences& references,
                                                    const ReferenceFilter& filter, Arena& arena,
                                                    const CancelToken& cancel) noexcept {
  FilteredReferences made;
  made.references_ = &references;
  made.without_ = filter.without & ~kStrongOnly;
  HF_TRY(class_objects, ClassObjects::make(references.snapshot(), arena));
  made.class_objects_ = class_objects;
  HF_CHECK_OK(made.lay_out(filter.fields, arena, cancel));
  return made;
}

}  // namespace holdfast::analysis
