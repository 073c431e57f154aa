#include "cli/report/path_lines.h"

#include <algorithm>

#include "cli/report/words.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kDeepestIndent =
    12;  // further steps stay at this depth, or long paths would leave the page
constexpr std::size_t kBytesColumns = 10;
constexpr std::string_view kArrow = " → ";

std::string field_text(const StepView& step, std::string_view unnamed) {
  return std::string(step.field.empty() ? unnamed : step.field);
}

std::string link_text(const StepView& next) {
  switch (next.via) {
    case Via::kStaticField:
      return "." + field_text(next, "(unnamed field)");
    case Via::kInstanceField:
      return " ." + field_text(next, "(unnamed field)");
    case Via::kReferent:
      return " ." + field_text(next, "referent");
    case Via::kElement:
      return " [" + std::to_string(next.index) + (next.index_saturated ? " or later]" : "]");
    default:
      return " (" + std::string(word(next.via)) + ')';
  }
}

PathLine line_of(const StepView& step, const StepView* next) {
  PathLine line{object_text(step.object), "", step.object.retained_bytes};
  if (next == nullptr) return line;
  line.link = link_text(*next);
  if (next->via != Via::kStaticField) return line;
  const std::string_view owner =
      next->declaring_class.empty() ? step.object.class_object_of : next->declaring_class;
  line.object = "static " + std::string(owner);
  return line;
}

PathLine gap_line(std::uint32_t objects) {
  return {"… " + counted(objects, "object") + " left out …", "", std::nullopt, true};
}

// The static field that is the path's GC root.
PathLine static_line(const StepView& held) {
  if (held.declaring_class.empty()) return {"static " + field_text(held, "(unnamed field)"), ""};
  return {"static " + std::string(held.declaring_class), link_text(held)};
}

// `line` without link in `columns`, the link kept as long as there is room for both.
Line spans_of(const PathLine& line, std::size_t columns) {
  const std::string link = shorten_middle(printable(line.link), columns / 2);
  const std::string object = printable(line.object);
  const std::size_t room = columns - display_width(link);
  constexpr std::string_view kStatic = "static ";
  const bool is_static = object.starts_with(kStatic) && room > kStatic.size();
  const std::string name = is_static
                               ? std::string(kStatic) + shorten_name(object.substr(kStatic.size()),
                                                                     room - kStatic.size())
                               : shorten_name(object, room);
  return {{name, line.gap ? Style::kDim : Style::kPlain}, {link, Style::kAccent}};
}

std::string joined(const PathLine& line) { return printable(line.object + line.link); }

std::string fitted(const PathLine& line, std::size_t columns) {
  std::string text;
  for (const Span& span : spans_of(line, columns)) text += span.text;
  return text;
}

std::size_t width_of(const Line& spans) {
  std::size_t width = 0;
  for (const Span& span : spans) width += display_width(span.text);
  return width;
}

}  // namespace

std::vector<PathLine> path_lines(const PathView& path) {
  std::vector<PathLine> lines;
  if (path.in_static_field()) lines.push_back(static_line(path.steps.front()));
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const bool before_gap = path.steps_left_out > 0 && i == path.left_out_after;
    const StepView* next = i + 1 < path.steps.size() && !before_gap ? &path.steps[i + 1] : nullptr;
    lines.push_back(line_of(path.steps[i], next));
    if (before_gap) lines.push_back(gap_line(path.steps_left_out));
  }
  return lines;
}

void write_path(Page& page, const PathView& path) {
  const std::vector<PathLine> lines = path_lines(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t depth = std::min(i, kDeepestIndent);
    std::string margin(Page::kLabelColumns + (depth > 0 ? 2 * (depth - 1) : 0), ' ');
    if (i == 0) margin = "  held by   ";
    if (i > 0) margin += "→ ";
    const std::size_t used = display_width(margin) + kBytesColumns + Page::kIndent;
    const std::size_t room =
        std::max<std::size_t>(page.columns() - std::min(used, page.columns()), 8);
    Line spans = spans_of(lines[i], room);
    const std::string bytes =
        lines[i].retained_bytes ? human_bytes(*lines[i].retained_bytes) : std::string();
    const std::size_t taken = display_width(margin) + width_of(spans) + bytes.size();
    const std::string padding(page.columns() - std::min(taken, page.columns()), ' ');
    spans.insert(spans.begin(), {margin, Style::kDim});
    spans.push_back({padding});
    spans.push_back({bytes});
    page.line(spans);
  }
}

std::string cut_text(const CutView& cut) {
  if (cut.root) return "GC root: " + root_brief(*cut.root);
  if (!cut.referrer) return "GC root";
  const PathLine line = line_of({*cut.referrer, Via::kRoot, {}, {}, 0, false}, &cut.reference);
  const std::string more =
      cut.references > 1 ? ", all " + thousands(cut.references) + " references" : "";
  return line.object + line.link + more;
}

std::string holders_in_one_line(const PathView& path, std::size_t columns) {
  std::vector<PathLine> holders = path_lines(path);
  if (!holders.empty()) holders.pop_back();  // the object itself
  const bool by_class =
      !holders.empty() && path.steps.size() > 1 && path.steps[1].via == Via::kStaticField;
  if (!by_class && !path.in_static_field()) holders.insert(holders.begin(), {root_brief(path), ""});
  std::string whole = joined(holders.front());
  for (std::size_t i = 1; i < holders.size(); ++i) whole.append(kArrow).append(joined(holders[i]));
  if (display_width(whole) <= columns) return whole;
  if (holders.size() == 1) return fitted(holders.front(), columns);
  // The two ends say most: where it starts, and who holds the object itself.
  const std::string gap =
      holders.size() > 2 ? std::string(kArrow) + "…" + std::string(kArrow) : std::string(kArrow);
  const std::size_t room = columns - std::min(columns - 2, display_width(gap));
  const std::size_t wanted_by_end = display_width(joined(holders.back()));
  const std::size_t left_by_end = room - std::min(room, wanted_by_end);
  const std::size_t start =
      std::min(display_width(joined(holders.front())), std::max(room / 2, left_by_end));
  return fitted(holders.front(), start) + gap + fitted(holders.back(), room - start);
}

}  // namespace holdfast::cli
