// The parts of a report, each written by one function (facts_part.cpp, sets_part.cpp, …) in the order of this list.
// Why the order: loaders and threads first, because rows refer to them; then what talks about objects; then the objects; then
//      accounts, which take at most half of what room is left, ages, half of what is left after them, and classes, which take the rest; last the strings, which all of them have added to.
// Zone:   worker.   Errors: kOutOfBudget.
#pragma once

#include "analysis/report/report_job.h"

namespace holdfast::analysis {

struct FactsPart {
  Offset<report::Origin> origin;
  Offset<RowList<report::Option>> options;
  Offset<report::CaptureFacts> capture;
  Offset<report::MemoryFacts> memory;
  Offset<RowList<report::PassRow>> passes;
  Offset<IndexList> notes;
};
Result<FactsPart> write_facts(ReportJob& job) noexcept;
Result<Offset<RowList<report::Option>>> write_options(ReportJob& job) noexcept;

// None where the VM tells none.
Offset<report::CollectionFacts> write_collections(ReportJob& job) noexcept;
Result<Offset<report::TrackFacts>> write_tracking(ReportJob& job) noexcept;

struct SetsPart {
  Offset<RowList<report::LoaderRow>> loaders;
  Offset<report::LoaderRow> rest_of_loaders;
  Offset<RowList<report::PackageRow>> packages;
  Offset<report::PackageRow> rest_of_packages;
};
Result<SetsPart> write_sets(ReportJob& job) noexcept;

Result<void> select_threads(ReportJob& job) noexcept;
Result<Offset<RowList<report::ThreadRow>>> write_threads(ReportJob& job) noexcept;

struct FindingsPart {
  Offset<report::GraphFacts> graph;
  Offset<RowList<report::TreeNode>> tree;
  Offset<IndexList> top_objects;
  Offset<RowList<report::RootPath>> top_paths;
  Offset<RowList<report::Suspect>> suspects;
  Offset<report::ReachableFacts> reachable;  // none where the pass was left out
  Offset<report::CutFacts> cuts;
};
Result<Offset<report::GraphFacts>> write_graph_facts(ReportJob& job) noexcept;
Result<Offset<RowList<report::TreeNode>>> write_tree(ReportJob& job) noexcept;
Result<Offset<report::RootPath>> write_path(ReportJob& job, const RootPathResult& path) noexcept;
Result<Offset<RowList<report::Suspect>>> write_suspects(ReportJob& job) noexcept;
struct StepName {
  report::StepKind kind = report::StepKind::Other;
  std::string_view name{};
  ClassId declaring_class{};  // of a static field
  std::uint32_t index = 0;
  bool saturated = false;
};
// `owner`: the referrer's class, of a static field the class whose class object refers; invalid: the field's name is not known.
StepName step_name(const ReportJob& job, ClassId owner, RefLabel label) noexcept;
// Step `i` of the path alone.
Offset<report::PathStep> write_step(ReportJob& job, const RootPathResult& path,
                                    std::size_t i) noexcept;
Result<Offset<report::ReachableFacts>> write_reachable(ReportJob& job) noexcept;
Result<Offset<report::CutFacts>> write_cuts(ReportJob& job) noexcept;
Result<Offset<IndexList>> write_evidence(ReportJob& job,
                                         std::span<const Evidence> evidence) noexcept;
Result<FindingsPart> write_findings(ReportJob& job) noexcept;

// The static field, or else the frame, that is last on the way to the path's end; names only.
struct PathHolder {
  std::uint32_t class_name = 0;
  std::uint32_t field = 0;
};
PathHolder path_holder(ReportJob& job, const RootPathResult& path) noexcept;

Result<Offset<RowList<report::ObjectRow>>> write_objects(ReportJob& job) noexcept;

// None where accounting is off.
Result<Offset<report::AccountFacts>> write_accounts(ReportJob& job) noexcept;

// None where ages are off. Before accounts, which are told to fit what is left.
Result<Offset<report::AgingFacts>> write_aging(ReportJob& job) noexcept;

// None where they are not told.
Result<Offset<report::AgeFacts>> write_ages(ReportJob& job) noexcept;

// None where the pass was left out. Of a backlog's thread names alone, so after threads.
Result<Offset<report::StateFacts>> write_states(ReportJob& job) noexcept;

// None where the pass was left out.
Result<Offset<report::HolderFacts>> write_holders(ReportJob& job) noexcept;

struct ClassesPart {
  Offset<RowList<report::ClassRow>> classes;
  Offset<report::ClassRow> rest;
};
Result<ClassesPart> write_classes(ReportJob& job) noexcept;

Result<Offset<RowList<flatbuffers::String>>> write_strings(ReportJob& job) noexcept;

}  // namespace holdfast::analysis
