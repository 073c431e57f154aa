// Threads, and the frames of theirs that hold something.
#include "analysis/report/ranking.h"
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

bool is_local(const RootRecord& root) noexcept { return is_local_root(root.kind); }

void want_thread(ReportJob& job, const RootPathResult& path,
                 std::span<std::uint8_t> wanted) noexcept {
  if (path.root >= job.snapshot.roots.size()) return;
  const ThreadId thread = job.snapshot.roots[path.root].thread;
  if (thread.value < wanted.size()) wanted[thread.value] = 1;
}

ThreadFigures figures_of(const ReportJob& job, std::size_t thread) noexcept {
  return thread < job.findings.threads.size() ? job.findings.threads[thread] : ThreadFigures{};
}

// Locals of listed threads, ordered by thread row, depth and object: so frames are runs, and so are equal objects.
Result<std::span<std::uint32_t>> sorted_locals(ReportJob& job) noexcept {
  const auto roots = job.snapshot.roots;
  std::size_t count = 0;
  for (const RootRecord& root : roots)
    count += is_local(root) && job.thread_row_of(root.thread) != kNoRow ? 1 : 0;
  HF_TRY(locals, job.arena.make<std::uint32_t>(count));
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < roots.size(); ++i) {
    if (is_local(roots[i]) && job.thread_row_of(roots[i].thread) != kNoRow) locals[size++] = i;
  }
  std::sort(locals.begin(), locals.end(), [&job, roots](std::uint32_t a, std::uint32_t b) {
    const RootRecord& x = roots[a];
    const RootRecord& y = roots[b];
    const std::uint32_t row_x = job.thread_row_of(x.thread);
    const std::uint32_t row_y = job.thread_row_of(y.thread);
    if (row_x != row_y) return row_x < row_y;
    if (x.depth != y.depth) return x.depth < y.depth;
    return x.object != y.object ? x.object < y.object : a < b;
  });
  return locals;
}

// One run of locals with the same thread and depth.
struct Frame {
  std::uint32_t thread_row;
  std::uint32_t first;
  std::uint32_t count;
};

Result<std::span<Frame>> frames_of(ReportJob& job, std::span<const std::uint32_t> locals) noexcept {
  const auto roots = job.snapshot.roots;
  HF_TRY(frames, job.arena.make<Frame>(job.counts.frames));
  std::size_t size = 0;
  std::uint32_t of_this_thread = 0;
  for (std::uint32_t first = 0, end = 0; first < locals.size() && size < frames.size();
       first = end) {
    const RootRecord& top = roots[locals[first]];
    while (end < locals.size() && roots[locals[end]].thread == top.thread &&
           roots[locals[end]].depth == top.depth)
      ++end;
    const std::uint32_t row = job.thread_row_of(top.thread);
    of_this_thread = size != 0 && frames[size - 1].thread_row == row ? of_this_thread + 1 : 1;
    if (of_this_thread <= kMaxReportFramesPerThread)
      frames[size++] = Frame{row, first, end - first};
  }
  return frames.first(size);
}

Offset<report::FrameRow> write_frame(ReportJob& job, const Frame& frame,
                                     std::span<const std::uint32_t> locals) noexcept {
  std::uint64_t retained = 0;
  std::uint64_t most = 0;
  ObjectId largest;
  ObjectId before;
  MethodId method;
  std::uint16_t depth = 0;
  for (const std::uint32_t i : locals.subspan(frame.first, frame.count)) {
    const RootRecord& root = job.snapshot.roots[i];
    depth = root.depth;
    if (root.method.valid()) method = root.method;
    if (root.object == before) continue;  // the same object in two slots
    before = root.object;
    const std::uint64_t bytes = job.retained_bytes(root);
    retained += bytes;
    if (bytes > most) largest = root.object;
    most = std::max(most, bytes);
  }
  const MethodRow names =
      method.value < job.catalog.methods.size() ? job.catalog.methods[method.value] : MethodRow{};
  return report::CreateFrameRow(job.builder(), job.text(names.class_name), job.text(names.name),
                                depth, frame.count, retained, job.object(largest));
}

Result<Offset<report::ThreadRow>> write_thread(ReportJob& job, std::uint32_t row,
                                               std::span<const Frame> frames,
                                               std::span<const std::uint32_t> locals) noexcept {
  const auto by_row = [](const Frame& frame, std::uint32_t wanted) {
    return frame.thread_row < wanted;
  };
  const auto first = std::lower_bound(frames.begin(), frames.end(), row, by_row);
  const auto end = std::lower_bound(first, frames.end(), row + 1, by_row);
  HF_TRY(frame_rows,
         write_rows<report::FrameRow>(
             job, static_cast<std::size_t>(end - first), kFrameRowBytes, [&](std::size_t i) {
               return write_frame(job, first[static_cast<std::ptrdiff_t>(i)], locals);
             }));
  const std::uint32_t thread = job.thread_order[row];
  const ThreadFigures figures = figures_of(job, thread);
  return report::CreateThreadRow(job.builder(), job.text(job.catalog.threads[thread].name),
                                 job.catalog.threads[thread].daemon, figures.retained_bytes,
                                 figures.local_roots, frame_rows);
}

}  // namespace

// Threads that a path starts at come first, then the largest.
Result<void> select_threads(ReportJob& job) noexcept {
  HF_TRY(wanted, job.arena.make_filled<std::uint8_t>(job.catalog.threads.size(), 0));
  const auto tops =
      job.findings.top_paths.first(std::min(job.counts.top_objects, job.findings.top_paths.size()));
  for (const RootPathResult& path : tops) want_thread(job, path, wanted);
  for (const SuspectResult& suspect : job.findings.suspects.first(job.counts.suspects))
    want_thread(job, suspect.path, wanted);
  HF_TRY(order,
         rank_largest(
             job.arena, wanted.size(), job.counts.threads, [](std::uint32_t) { return true; },
             [&](std::uint32_t i) {
               constexpr std::uint64_t kFirst = std::uint64_t{1} << 63;
               return figures_of(job, i).retained_bytes | (wanted[i] != 0 ? kFirst : 0);
             }));
  job.thread_order = order;
  for (std::uint32_t row = 0; row < order.size(); ++row) job.thread_rows[order[row]] = row;
  return {};
}

Result<Offset<RowList<report::ThreadRow>>> write_threads(ReportJob& job) noexcept {
  HF_TRY(locals, sorted_locals(job));
  HF_TRY(frames, frames_of(job, locals));
  return write_rows<report::ThreadRow>(
      job, job.thread_order.size(), kThreadRowBytes + kListBytes, [&](std::size_t i) {
        return write_thread(job, static_cast<std::uint32_t>(i), frames, locals);
      });
}

}  // namespace holdfast::analysis
