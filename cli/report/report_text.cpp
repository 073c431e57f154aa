#include "cli/report/report_text.h"

#include "cli/report/section_list.h"
#include "cli/report/text_sections.h"

namespace holdfast::cli {
namespace {

// Whoever asks for a section by name must not take silence for an answer.
void write_section(const Section& section, const TextContext& context) {
  const std::size_t before = context.page.text().size();
  section.write(context);
  if (context.page.text().size() != before || !context.options.asked_by_name) return;
  context.page.blank();
  std::string text = "This report has nothing to say about " + std::string(section.name) + ".";
  for (const PassView& pass : context.view.passes)
    if (pass.name == section.pass && !pass.left_out.empty())
      text += " The pass was left out: " + std::string(pass.left_out) + ".";
  if (!context.view.graph) text += " It has no object graph: it counts objects.";
  context.page.paragraph(text, Style::kDim);
}

}  // namespace

std::string report_text(const ReportView& view, const TextOptions& options) {
  Page page(options.columns, options.colour);
  if (!options.remark.empty()) page.paragraph(options.remark, Style::kDim);
  const TextContext context{view, options, page};
  const TextContext unfiltered{options.whole != nullptr ? *options.whole : view, options, page};
  for (const Section& section : all_sections()) {
    if (!is_wanted(options.sections, section.name)) continue;
    write_section(section, section.name == "verdict" ? unfiltered : context);
  }
  const std::string& text = page.text();
  return text.starts_with('\n') ? text.substr(1) : text;
}

}  // namespace holdfast::cli
