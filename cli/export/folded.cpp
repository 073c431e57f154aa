#include "cli/export/folded.h"

#include <algorithm>

#include "cli/text/class_name.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

std::string frame_text(const std::string& name) {
  std::string text = shorten_name(printable(name), kMaxNameColumns);
  std::ranges::replace(text, ';', ':');
  std::ranges::replace(text, ' ', '_');
  return text.empty() ? "?" : text;
}

}  // namespace

void write_folded(const ReportView& view, StackKind kind, const Sink& sink) {
  const TreeStacks stacks = stacks_of(view, kind);
  std::vector<std::string> names;
  std::ranges::transform(stacks.names, std::back_inserter(names), frame_text);
  for (const StackSample& sample : stacks.samples) {
    if (sample.bytes == 0) continue;
    std::string line;
    for (std::size_t i = sample.frames.size(); i-- > 0;)
      line.append(line.empty() ? "" : ";").append(names[sample.frames[i]]);
    sink(line.append(" ").append(std::to_string(sample.bytes)).append("\n"));
  }
}

}  // namespace holdfast::cli
