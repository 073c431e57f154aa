// Indices of a report turned into names, objects and paths, for report_view.cpp.
// Shape:  O(1) per name and object, O(steps) per path.   Zone: offline.   Errors: none, the reader has checked the indices.
#pragma once

#include "analysis/report/report_generated.h"
#include "cli/report/report_view.h"

namespace holdfast::cli {

class ReportNames {
 public:
  explicit ReportNames(const report::Report& report) : report_(report) {}

  std::string_view text(std::uint32_t id) const;
  std::string_view loader(std::uint32_t row) const;
  ObjectView object(std::uint32_t row) const;
  std::optional<ObjectView> maybe_object(std::uint32_t row) const;
  StepView step(const report::PathStep& step) const;
  PathView path(const report::RootPath& path) const;

 private:
  const report::TrackedRow* tracked(std::uint32_t row) const;

  const report::Report& report_;
};

Root root_of(report::RootKind kind);
Firmness firmness_of(report::Strength strength);

}  // namespace holdfast::cli
