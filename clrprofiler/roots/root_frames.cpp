#include "clrprofiler/roots/root_frames.h"

#include <algorithm>

namespace holdfast::clr {
namespace {

constexpr std::uint32_t kMostRuns = 256;        // of one function in one thread
constexpr std::uint64_t kMostPairs = 1u << 24;  // tried: a quarter of a second
constexpr std::uint32_t kMostLinks = 1u << 18;  // kept
constexpr std::uint32_t kNoLink = 0xFFFFFFFFu;

// Neighbouring frames of one function in one thread.
struct Run {
  std::uint64_t function;
  std::uint32_t stack;
  std::uint32_t depth;  // of the topmost
};

// A group of roots on a run, at the end of a chain.
struct Link {
  std::uint32_t group;  // its first root
  std::uint32_t run;
  std::uint32_t before;  // a link, or kNoLink
};

class Alignment {
 public:
  Alignment(std::span<const std::uint64_t> roots, Arena& scratch) noexcept
      : roots_(roots), scratch_(scratch) {}

  Result<void> find(std::span<const std::uint64_t> functions,
                    std::span<const FrameStretch> stacks) noexcept {
    HF_CHECK_OK(make_runs(functions, stacks));
    HF_CHECK_OK(make_room());
    std::uint64_t pairs = 0;
    for (std::size_t group = 0; group < roots_.size(); group = end_of_group(group)) {
      const std::span<const std::uint32_t> candidates = runs_of(roots_[group]);
      pairs += candidates.size();
      if (pairs > kMostPairs) break;
      for (std::size_t i = candidates.size(); i-- > 0;)
        lengthen(static_cast<std::uint32_t>(group), candidates[i]);
    }
    return {};
  }

  std::uint32_t tell(std::span<RootFrame> found) const noexcept {
    std::uint32_t count = 0;
    for (std::uint32_t at = length_ == 0 ? kNoLink : ends_[length_ - 1]; at != kNoLink;
         at = links_[at].before) {
      const Link& link = links_[at];
      const Run& run = runs_[link.run];
      const std::size_t end = end_of_group(link.group);  // once: a recursion is one group
      for (std::size_t r = link.group; r < end; ++r) found[r] = RootFrame{run.stack, run.depth};
      count += static_cast<std::uint32_t>(end - link.group);
    }
    return count;
  }

 private:
  std::size_t end_of_group(std::size_t first) const noexcept {
    std::size_t end = first + 1;
    while (end < roots_.size() && roots_[end] == roots_[first]) ++end;
    return end;
  }

  Result<void> make_runs(std::span<const std::uint64_t> functions,
                         std::span<const FrameStretch> stacks) noexcept {
    HF_TRY(runs, scratch_.make<Run>(functions.size()));
    std::size_t count = 0;
    for (std::uint32_t s = 0; s < stacks.size(); ++s) {
      const auto frames = functions.subspan(stacks[s].first, stacks[s].count);
      for (std::uint32_t depth = 0; depth < frames.size(); ++depth)
        if (depth == 0 || frames[depth] != frames[depth - 1])
          runs[count++] = Run{frames[depth], s, depth};
    }
    runs_ = runs.first(count);
    HF_TRY(by_function, scratch_.make<std::uint32_t>(count));
    for (std::uint32_t i = 0; i < count; ++i) by_function[i] = i;
    std::sort(by_function.begin(), by_function.end(), [this](std::uint32_t a, std::uint32_t b) {
      return runs_[a].function != runs_[b].function ? runs_[a].function < runs_[b].function : a < b;
    });
    by_function_ = by_function.first(leave_out_deep_recursion(by_function));
    return {};
  }

  std::size_t leave_out_deep_recursion(std::span<std::uint32_t> sorted) const noexcept {
    std::size_t kept = 0;
    std::uint32_t same = 0;
    const Run* before = nullptr;
    for (const std::uint32_t index : sorted) {
      const Run& run = runs_[index];
      const bool again =
          before != nullptr && before->function == run.function && before->stack == run.stack;
      same = again ? same + 1 : 0;
      before = &run;
      if (same < kMostRuns) sorted[kept++] = index;
    }
    return kept;
  }

  // Growing indices into runs_.
  std::span<const std::uint32_t> runs_of(std::uint64_t function) const noexcept {
    const auto first = std::lower_bound(
        by_function_.begin(), by_function_.end(), function,
        [this](std::uint32_t a, std::uint64_t f) { return runs_[a].function < f; });
    const auto last = std::upper_bound(
        first, by_function_.end(), function,
        [this](std::uint64_t f, std::uint32_t a) { return f < runs_[a].function; });
    return {first, last};
  }

  Result<void> make_room() noexcept {
    std::uint64_t pairs = 0;
    std::size_t groups = 0;
    for (std::size_t group = 0; group < roots_.size(); group = end_of_group(group), ++groups)
      pairs += runs_of(roots_[group]).size();
    HF_TRY(links, scratch_.make<Link>(std::min<std::uint64_t>(pairs, kMostLinks)));
    HF_TRY(ends, scratch_.make<std::uint32_t>(groups));
    links_ = links;
    ends_ = ends;
    return {};
  }

  // ends_[k]: the last link of the chain of k + 1 links whose last run is the topmost there can be. Its runs grow with k.
  void lengthen(std::uint32_t group, std::uint32_t run) noexcept {
    const auto chains = ends_.first(length_);
    const auto same = std::lower_bound(
        chains.begin(), chains.end(), run,
        [this](std::uint32_t link, std::uint32_t r) { return links_[link].run < r; });
    if (same != chains.end() && links_[*same].run == run) return;
    const auto k = static_cast<std::size_t>(same - chains.begin());
    const Link link{group, run, k == 0 ? kNoLink : ends_[k - 1]};
    if (k < length_ && links_[ends_[k]].group == group) {  // nothing has been built on that one yet
      links_[ends_[k]] = link;
      return;
    }
    if (used_ == links_.size()) return;
    links_[used_] = link;
    ends_[k] = used_++;
    if (k == length_) ++length_;
  }

  std::span<const std::uint64_t> roots_;
  Arena& scratch_;
  std::span<Run> runs_;                         // in the order of the stacks
  std::span<const std::uint32_t> by_function_;  // runs, by function and position
  std::span<Link> links_;
  std::span<std::uint32_t> ends_;
  std::uint32_t used_ = 0;
  std::size_t length_ = 0;
};

}  // namespace

Result<std::uint32_t> match_root_frames(std::span<const std::uint64_t> functions,
                                        std::span<const FrameStretch> stacks,
                                        std::span<const std::uint64_t> roots,
                                        std::span<RootFrame> found, Arena& scratch) noexcept {
  std::fill(found.begin(), found.end(), RootFrame{});
  const ArenaScope scope(scratch);
  Alignment alignment(roots, scratch);
  HF_CHECK_OK(alignment.find(functions, stacks));
  return alignment.tell(found);
}

}  // namespace holdfast::clr
