// The objects that retain most, with their paths; the threads with their frames.
#include <algorithm>

#include "cli/number_text.h"
#include "cli/path_lines.h"
#include "cli/table.h"
#include "cli/text_sections.h"
#include "cli/words.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kFramesShown = 5;  // per thread
constexpr std::size_t kColumnsBesideHolders = 31;  // indent, retained, share, gaps, "held by"

std::string thread_text(const ThreadView& thread) {
  return '"' + std::string(thread.name) + '"' + (thread.daemon ? " (daemon)" : "");
}

std::string frame_text(const FrameView& frame) {
  std::string text =
      "  in " + std::string(frame.class_name) + '.' + std::string(frame.method) + "()";
  if (frame.largest) text += ", largest: " + object_text(*frame.largest);
  return text;
}

void add_thread(Table& table, const ThreadView& thread) {
  table.row({{human_bytes(thread.retained_bytes)},
             {thousands(thread.local_roots)},
             {thread_text(thread)}});
  const std::size_t shown = std::min(thread.frames.size(), kFramesShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const FrameView& frame = thread.frames[i];
    table.row({{human_bytes(frame.retained_bytes), Style::kDim},
               {thousands(frame.locals), Style::kDim},
               {frame_text(frame)}});
  }
  if (shown < thread.frames.size()) {
    table.row(
        {{""}, {""}, {"  " + counted(thread.frames.size() - shown, "more frame"), Style::kDim}});
  }
}

}  // namespace

void write_top_objects(const TextContext& context) {
  const ReportView& view = context.view;
  if (view.top_objects.empty()) return;
  const std::size_t shown = std::min(view.top_objects.size(), context.options.top);
  const std::size_t columns = context.page.columns();
  const std::size_t holder_columns =
      columns > kColumnsBesideHolders + 16 ? columns - kColumnsBesideHolders : 16;
  Table table({{"retained"}, {"share"}, {"object, and what holds it", ColumnKind::kName, 20}});
  for (std::size_t i = 0; i < shown; ++i) {
    const TopObjectView& top = view.top_objects[i];
    table.row({{human_bytes(top.object.retained_bytes)},
               {percent(top.object.retained_bytes, view.whole_bytes())},
               {object_text(top.object)}});
    if (!top.path) continue;
    const std::string holders = holders_in_one_line(*top.path, holder_columns);
    table.row({{""}, {""}, {"  held by " + holders, Style::kDim}});
  }
  context.page.heading("LARGEST OBJECTS", "by retained size · " + thousands(shown) + " of " +
                                              thousands(view.top_objects.size()) + " listed");
  table.write(context.page);
}

void write_threads(const TextContext& context) {
  const ReportView& view = context.view;
  if (view.threads.empty()) return;
  const auto threads = select_threads(view, context.options.top);
  Table table({{"retained"},
               {"locals"},
               {"thread, and the frames whose locals hold something", ColumnKind::kText, 20}});
  for (const ThreadView* thread : threads) add_thread(table, *thread);
  context.page.heading("THREADS", "what only the thread object and its locals hold · " +
                                      thousands(threads.size()) + " of " +
                                      thousands(view.threads_total));
  table.write(context.page);
}

}  // namespace holdfast::cli
