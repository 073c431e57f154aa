// The objects that retain most, with their paths; the threads with their frames.
#include <algorithm>

#include "cli/report/path_lines.h"
#include "cli/report/text_sections.h"
#include "cli/report/words.h"
#include "cli/text/class_name.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kFramesShown = 5;            // per thread
constexpr std::size_t kColumnsBesideHolders = 31;  // indent, retained, share, gaps, "held by"

std::string thread_text(const ThreadView& thread) {
  return '"' + std::string(thread.name) + '"' + (thread.daemon ? " (daemon)" : "");
}

std::string holders_text(const PathView& path, std::size_t columns) {
  if (path.steps.size() == 1) return "  GC root: " + shorten_middle(root_brief(path), columns);
  return "  held by " + holders_in_one_line(path, columns);
}

// The frames that retain most, in the order of the stack; a frame that holds next to nothing is not worth a line.
std::vector<const FrameView*> frames_shown(const ThreadView& thread, std::uint64_t whole_bytes) {
  std::vector<const FrameView*> frames;
  for (const FrameView& frame : thread.frames) {
    if (frame.retained_bytes >= whole_bytes / 1000) frames.push_back(&frame);
  }
  const auto most = [](const FrameView* frame) { return frame->retained_bytes; };
  std::ranges::stable_sort(frames, std::ranges::greater{}, most);
  if (frames.size() > kFramesShown) frames.resize(kFramesShown);
  std::ranges::sort(frames);  // rows of one vector: the order of the stack again
  return frames;
}

void add_thread(Table& table, const ThreadView& thread, std::uint64_t whole_bytes) {
  table.row({{human_bytes(thread.retained_bytes)},
             {thousands(thread.local_roots)},
             {thread_text(thread)}});
  const auto frames = frames_shown(thread, whole_bytes);
  for (const FrameView* frame : frames) {
    const std::string where =
        "  in " + std::string(frame->class_name) + '.' + std::string(frame->method) + "()";
    table.row({{human_bytes(frame->retained_bytes), Style::kDim},
               {thousands(frame->locals), Style::kDim},
               {where},
               {frame->largest ? object_text(*frame->largest) : ""}});
  }
  if (frames.empty() || frames.size() == thread.frames.size()) return;
  const std::string more = counted(thread.frames.size() - frames.size(), "more frame");
  table.row({{""}, {""}, {"  " + more, Style::kDim}});
}

// "44 known, 6 new, 2 gone; 1 named by the dump before was not found again; since 2026-11-25 12:01:05 UTC"
std::string tracking_text(const TrackingView& told) {
  std::string text = thousands(told.known) + " known, " + thousands(told.named) + " new, " +
                     thousands(told.gone) + " gone";
  if (told.unfollowed != 0)
    text += "; " + thousands(told.unfollowed) + " named by the dump before not found again";
  return text + "; since " + utc_for_people(told.began_utc_ms);
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
    if (top.path) table.row({{""}, {""}, {holders_text(*top.path, holder_columns), Style::kDim}});
    if (const std::string known = known_text(top.object, view.origin); !known.empty())
      table.row({{""}, {""}, {"  " + known, Style::kDim}});
    if (const std::string more = shared_text(top.object, view.whole_bytes()); !more.empty())
      table.row({{""}, {""}, {"  " + more, Style::kDim}});
  }
  context.page.heading("LARGEST OBJECTS", "by retained size · " + thousands(shown) + " of " +
                                              thousands(view.top_objects.size()) + " listed");
  table.write(context.page);
  if (view.tracking) context.page.labelled("numbers", tracking_text(*view.tracking));
}

namespace {

// Without a graph, or when nobody summed them up: no figure is known, and zeros would look like one.
void write_thread_names(const TextContext& context, const std::vector<const ThreadView*>& threads) {
  Table table({{"thread", ColumnKind::kName, 34}});
  for (const ThreadView* thread : threads) table.row({{thread_text(*thread)}});
  context.page.heading("THREADS", "what they hold is not known · " + thousands(threads.size()) +
                                      " of " + thousands(context.view.threads_total));
  table.write(context.page);
}

}  // namespace

void write_threads(const TextContext& context) {
  const ReportView& view = context.view;
  if (view.threads.empty()) return;
  const auto threads = select_threads(view, context.options.top);
  if (!view.threads_have_retained()) {
    write_thread_names(context, threads);
    return;
  }
  Table table({{"retained"},
               {"locals"},
               {"thread, and frames that hold much", ColumnKind::kName, 34},
               {"largest local", ColumnKind::kName, 12, true}});
  for (const ThreadView* thread : threads) add_thread(table, *thread, view.whole_bytes());
  context.page.heading("THREADS", "what only the thread object and its locals hold · " +
                                      thousands(threads.size()) + " of " +
                                      thousands(view.threads_total));
  table.write(context.page);
}

}  // namespace holdfast::cli
