#include "cli/report/report_text.h"

#include "cli/report/text_sections.h"

namespace holdfast::cli {

std::string report_text(const ReportView& view, const TextOptions& options) {
  Page page(options.columns, options.colour);
  const TextContext context{view, options, page};
  write_verdict(context);
  write_suspects(context);
  write_classes(context);
  write_tree(context);
  write_top_objects(context);
  write_threads(context);
  write_packages(context);
  write_loaders(context);
  write_graph(context);
  write_timing(context);
  write_memory(context);
  write_losses(context);
  write_origin(context);
  return page.text();
}

}  // namespace holdfast::cli
