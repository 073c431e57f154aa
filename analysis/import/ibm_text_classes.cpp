#include "analysis/import/ibm_text_classes.h"

#include "analysis/import/hprof_classes.h"  // source_class_name

namespace holdfast::analysis {

std::string ibm_class_name(std::string_view kind) {
  constexpr std::string_view kArrayOf = "array of ";
  if (!kind.starts_with(kArrayOf)) return source_class_name(kind);
  return source_class_name(kind.substr(kArrayOf.size())) + "[]";
}

ClassId IbmTextClasses::of(const IbmObjectLine& line) {
  if (line.class_object) {
    if (!class_class_.valid()) class_class_ = of_kind("java/lang/Class");
    return class_class_;
  }
  if (last_class_.valid() && line.kind == last_kind_) return last_class_;
  last_class_ = of_kind(line.kind);
  last_kind_ = line.kind;
  return last_class_;
}

ClassId IbmTextClasses::of_kind(std::string_view kind) {
  if (const auto known = by_kind_.find(kind); known != by_kind_.end()) return known->second;
  constexpr std::uint64_t kEntryCost = 100;
  names_.charge(kEntryCost + kind.size());
  const ClassId id = names_.named(ibm_class_name(kind));
  by_kind_.emplace(kind, id);
  return id;
}

}  // namespace holdfast::analysis
