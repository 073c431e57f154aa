#include "analysis/root_figures.h"

#include <algorithm>

#include "analysis/dominator_tree.h"
#include "analysis/set_sweep.h"

namespace holdfast::analysis {

namespace {

void sort_by_position(std::span<SetMember> members) noexcept {
  std::sort(members.begin(), members.end(), [](const SetMember& a, const SetMember& b) {
    return a.position != b.position ? a.position < b.position : a.set < b.set;
  });
}

// Roots and thread objects as members of their threads' sets.
std::size_t list_thread_members(const Snapshot& snapshot, const Dominators& d,
                                std::span<SetMember> members) noexcept {
  std::size_t count = 0;
  const auto add = [&](ObjectId object, std::uint32_t thread) {
    if (object.value < d.position.size() && d.position[object.value] != ObjectId::kNoneValue)
      members[count++] = {d.position[object.value], thread};
  };
  const auto threads = snapshot.catalog.threads;
  for (const RootRecord& root : snapshot.roots)
    if (is_local_root(root.kind) && root.thread.value < threads.size() &&
        root_counts(snapshot, d, root))
      add(root.object, root.thread.value);
  for (std::uint32_t t = 0; t < threads.size(); ++t) add(threads[t].object, t);
  return count;
}

Lifespan kind_lifespan(const Snapshot& snapshot, std::uint32_t kind) noexcept {
  RootRecord root;
  root.kind = static_cast<RootKind>(kind);
  return snapshot.lifespan(root);
}

Result<void> add_root_kinds(const Snapshot& snapshot, const Dominators& d, Arena& arena,
                            GraphStatistics& found) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(members, arena.make<SetMember>(snapshot.roots.size()));
  for (std::size_t i = 0; i < members.size(); ++i) {
    const RootRecord& root = snapshot.roots[i];
    // Without a tree the object itself tells roots apart.
    const std::uint32_t place =
        d.position.empty() ? root.object.value : d.position[root.object.value];
    members[i] = {place, static_cast<std::uint32_t>(root.kind)};
    ++found.root_kinds[members[i].set].roots;
  }
  sort_by_position(members);
  HF_TRY(sweep, SetSweep::make(d, kRootKindCount, arena));
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0 && members[i].position == members[i - 1].position &&
        members[i].set == members[i - 1].set)
      continue;
    ++found.root_kinds[members[i].set].objects;
    const bool holds = !d.position.empty() && kind_lifespan(snapshot, members[i].set) <=
                                                  lifespan_at(d, members[i].position);
    if (holds) sweep.add(members[i].set, members[i].position);
  }
  for (std::size_t k = 0; k < kRootKindCount; ++k)
    found.root_kinds[k].retained_bytes = sweep.retained_bytes(k);
  return {};
}

}  // namespace

Result<std::span<const ThreadFigures>> thread_figures(const Snapshot& snapshot, const Dominators& d,
                                                      Arena& arena) noexcept {
  const std::size_t threads = snapshot.catalog.threads.size();
  HF_TRY(rows, arena.make_filled<ThreadFigures>(threads, ThreadFigures{}));
  for (const RootRecord& root : snapshot.roots)
    if (is_local_root(root.kind) && root.thread.value < threads)
      ++rows[root.thread.value].local_roots;
  ArenaScope scratch(arena);
  HF_TRY(members, arena.make<SetMember>(snapshot.roots.size() + threads));
  const auto listed = members.first(list_thread_members(snapshot, d, members));
  sort_by_position(listed);
  HF_TRY(sweep, SetSweep::make(d, threads, arena));
  for (const SetMember& member : listed) sweep.add(member.set, member.position);
  for (std::size_t t = 0; t < threads; ++t) rows[t].retained_bytes = sweep.retained_bytes(t);
  return std::span<const ThreadFigures>(rows);
}

Result<GraphStatistics> graph_statistics(const Snapshot& snapshot, const Dominators& d,
                                         Arena& arena, const CancelToken& cancel) noexcept {
  GraphStatistics found;
  HF_CHECK_OK(add_root_kinds(snapshot, d, arena, found));
  HF_CHECK_OK(forward_in_strides(
      0, snapshot.object_count(), cancel, [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t v = from; v < to; ++v) {
          const std::uint32_t degree = snapshot.first_ref[v + 1] - snapshot.first_ref[v];
          if (degree <= found.max_out_degree) continue;
          found.max_out_degree = degree;
          found.max_out_degree_object = ObjectId{v};
        }
      }));
  return found;
}

}  // namespace holdfast::analysis
