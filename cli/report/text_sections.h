// The sections of a text report; each writes itself to the page, or nothing when it has nothing to say.
// Shape:  one function per section, grouped by file text_*.cpp.   Zone: offline.   Errors: none.
#pragma once

#include "cli/report/report_text.h"
#include "cli/text/page.h"

namespace holdfast::cli {

struct TextContext {
  const ReportView& view;
  const TextOptions& options;
  Page& page;

  // A filter left rows out, so what is not there says nothing about the heap.
  bool filtered() const { return options.whole != nullptr && options.whole != &view; }
};

void write_verdict(const TextContext& context);   // text_verdict.cpp
void write_suspects(const TextContext& context);  // text_suspects.cpp
void write_states(const TextContext& context);    // text_states.cpp
void write_classes(const TextContext& context);   // text_classes.cpp
void write_packages(const TextContext& context);
void write_loaders(const TextContext& context);
void write_tree(const TextContext& context);         // text_tree.cpp
void write_top_objects(const TextContext& context);  // text_objects.cpp
void write_threads(const TextContext& context);
void write_reachable(const TextContext& context);    // text_reachable.cpp
void write_cuts(const TextContext& context);         // text_cuts.cpp
void write_holders(const TextContext& context);      // text_holders.cpp
void write_accounts(const TextContext& context);     // text_accounts.cpp
void write_collections(const TextContext& context);  // text_collections.cpp
void write_aging(const TextContext& context);        // text_aging.cpp
void write_ages(const TextContext& context);         // text_ages.cpp
void write_graph(const TextContext& context);        // text_graph.cpp
void write_timing(const TextContext& context);       // text_cost.cpp
void write_memory(const TextContext& context);
void write_losses(const TextContext& context);  // text_origin.cpp
void write_origin(const TextContext& context);

}  // namespace holdfast::cli
