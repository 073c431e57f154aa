// How values become JSON, for the files report_json*.cpp.
// Why ordered: people read the output too, and it should diff.
// Shape:  times in ms with at most three decimals; names as they are.   Zone: offline.   Errors: none.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/report/report_json.h"

namespace holdfast::cli {

using Json = nlohmann::ordered_json;

Json report_document(const ReportView& view,
                     const JsonOptions& options);  // as report_json() prints it
Json milliseconds(std::uint64_t duration_ns);
Json optional_text(std::string_view text);  // null when empty
Json object_json(const ObjectView& object);
Json amount_json(const AmountView& amount);  // of an account, json_accounts.cpp
Json step_json(const StepView& step);
Json path_json(const PathView& path);

// The parts of the document, json_findings.cpp, json_cuts.cpp, json_accounts.cpp and json_tables.cpp.
// `whole`: with the suspects that a filter left out, for the rivals.
Json suspects_json(const ReportView& view, const ReportView& whole, std::size_t top);
Json tree_json(const ReportView& view, std::size_t top);
Json top_objects_json(const ReportView& view, std::size_t top);
Json graph_json(const ReportView& view);
Json reachable_json(const ReportView& view, std::size_t top);  // json_cuts.cpp
Json cuts_json(const ReportView& view, std::size_t top);
Json holder_class_json(const HolderClassView& row);  // json_holders.cpp
Json states_json(const ReportView& view, std::size_t top);
Json holders_json(const ReportView& view, std::size_t top);
Json accounts_json(const ReportView& view, std::size_t top);  // json_accounts.cpp
Json aging_json(const ReportView& view, std::size_t top);     // json_aging.cpp
Json tracking_json(const ReportView& view);                   // json_findings.cpp; null: not told
Json collections_json(const ReportView& view);                // json_collections.cpp
Json collection_counts_json(const CollectionFigures& figures);
Json heard_collections_json(const HeardCollections& heard);  // null: none was heard
Json ages_json(const ReportView& view, std::size_t top);     // json_ages.cpp
void add_tables_json(Json& document, const ReportView& view, const JsonOptions& options);

}  // namespace holdfast::cli
