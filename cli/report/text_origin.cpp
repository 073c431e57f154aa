// What was lost and noted on the way; where the report comes from; what its words mean.
#include <cstdio>
#include <string>

#include "cli/report/text_sections.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

void write_loss(const TextContext& context, std::uint64_t count, std::string_view singular,
                std::string_view plural) {
  if (count > 0)
    context.page.paragraph(counted(count, singular, plural), Style::kWarning, Page::kIndent);
}

std::string vm_text(const OriginView& origin) {
  std::string text(origin.vm_name);
  text.append(" ").append(origin.vm_version);
  if (!origin.vm_vendor.empty()) text.append(" (").append(origin.vm_vendor).append(")");
  if (!origin.collector.empty()) text.append(", collector ").append(origin.collector);
  return text + ", up for " + human_duration(origin.vm_uptime_ms * 1'000'000);
}

std::string process_text(const OriginView& origin) {
  std::string text(origin.main_name);
  text += " · pid " + std::to_string(origin.pid);
  if (!origin.host.empty()) text.append(" · host ").append(origin.host);
  if (!origin.container.empty()) text.append(" · container ").append(origin.container);
  char hash[32];
  std::snprintf(hash, sizeof hash, "%016llx",
                static_cast<unsigned long long>(origin.command_line_hash));
  return text + " · command line hash " + hash;
}

}  // namespace

void write_losses(const TextContext& context) {
  const ReportView& view = context.view;
  const LossView& losses = view.losses;
  const bool notes_shown = !view.graph;  // on the first screen
  if (notes_shown && !losses.any()) return;
  context.page.heading("NOTES AND LOSSES", losses.heap_complete()
                                               ? "nothing of the heap was dropped"
                                               : "the picture is incomplete");
  write_loss(context, losses.objects_unknown_class, "object of unknown class",
             "objects of unknown class");
  write_loss(context, losses.roots_dropped, "GC root dropped", "GC roots dropped");
  write_loss(context, losses.references_to_unknown, "reference to an unknown object",
             "references to unknown objects");
  write_loss(context, losses.names_dropped, "name dropped by the capture",
             "names dropped by the capture");
  write_loss(context, losses.names_cut, "name shortened in the report",
             "names shortened in the report");
  write_loss(context, losses.passes_left_out, "analysis pass left out (see TIME)",
             "analysis passes left out (see TIME)");
  if (!notes_shown) {
    for (const std::string_view note : view.notes)
      context.page.paragraph(note, Style::kPlain, Page::kIndent);
  }
  write_loss(context, losses.notes_dropped, "more note than there was room for",
             "more notes than there was room for");
}

void write_origin(const TextContext& context) {
  const OriginView& origin = context.view.origin;
  context.page.heading("ORIGIN", "holdfast " + std::string(origin.tool_version) + ", dump " +
                                     std::to_string(origin.sequence) +
                                     " of this process, report of " +
                                     human_bytes(context.view.report_bytes));
  context.page.labelled("process", process_text(origin));
  context.page.labelled("VM", vm_text(origin));
  std::string options;
  for (const OptionView& option : context.view.options) {
    options +=
        (options.empty() ? "" : ", ") + std::string(option.key) + '=' + std::string(option.value);
  }
  if (!options.empty()) context.page.labelled("options", options);
  context.page.blank();
  std::string words = "1 KB = 1,024 bytes. Shallow: an object by itself.";
  if (context.view.graph)
    words +=
        " Retained: what would be freed if it were no longer held. Shares are of all held bytes.";
  context.page.paragraph(words, Style::kDim);
}

}  // namespace holdfast::cli
