// What the collector did until the dump, as plain values, and how a report and the commands that talk to a process tell it.
// Shape:  what is not known is kUnknownCount in the values, null in JSON, and left out of text.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>

#include "common/collection_figures.h"

namespace holdfast::report {
struct CollectionFacts;
}

namespace holdfast::cli {

struct CollectionsView {
  CollectionFigures now;
  std::uint64_t last_report_utc_ms = 0;  // 0: this report is the first
  CollectionFigures since;               // since the report before: counts, pause, reclaimed bytes
};

CollectionsView collections_view(const report::CollectionFacts& from);

// "41 young, 2 full, 3 beside the application"; empty: none is known.
std::string collection_counts_text(const CollectionFigures& figures);
// "80.0 MB became 30.0 MB, 50.0 MB reclaimed"; empty: not known.
std::string last_collection_text(const HeardCollections& heard);

}  // namespace holdfast::cli
