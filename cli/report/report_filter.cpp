#include "cli/report/report_filter.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "analysis/name_pattern.h"
#include "cli/output_file.h"
#include "cli/report/account_choice.h"
#include "cli/report/nearest_name.h"
#include "cli/report/selection.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

using Patterns = std::vector<std::string_view>;

bool matches(const Patterns& patterns, std::string_view name) {
  return !name.empty() && analysis::name_matches_any(patterns, name);
}
bool matches(const Patterns& patterns, const ObjectView& object) {
  return matches(patterns, object.class_name) || matches(patterns, object.class_object_of);
}
bool matches(const Patterns& patterns, const TreeNodeView& node) {
  return node.object ? matches(patterns, *node.object) : matches(patterns, node.group_class);
}
bool matches(const Patterns& patterns, const FrameView& frame) {
  return matches(patterns, frame.class_name) ||
         (frame.largest && matches(patterns, *frame.largest));
}
// To be skipped is a class object for what it stands for: it is the class's own statics, not java.lang.Class, that hold.
bool skipped(const Patterns& patterns, const ObjectView& object) {
  return matches(patterns, object.is_class_object() ? object.class_object_of : object.class_name);
}
bool skipped(const Patterns& patterns, const TreeNodeView& node) {
  return node.object ? skipped(patterns, *node.object) : matches(patterns, node.group_class);
}
// A suspect has to do with a class that it names anywhere.
bool matches(const Patterns& patterns, const SuspectView& suspect) {
  const auto step = [&](const StepView& s) {
    return matches(patterns, s.object) || matches(patterns, s.declaring_class);
  };
  const auto level = [&](const LevelView& l) { return matches(patterns, l.class_name); };
  return matches(patterns, suspect.class_name) || matches(patterns, suspect.holder_class) ||
         std::ranges::any_of(suspect.levels, level) ||
         std::ranges::any_of(suspect.path.steps, step);
}

bool matches(const Patterns& patterns, const CutView& cut) {
  return matches(patterns, cut.reference.object) ||
         matches(patterns, cut.reference.declaring_class) ||
         (cut.referrer && matches(patterns, *cut.referrer));
}

class Filter {
 public:
  Filter(ReportView& view, const ReportFilter& filter)
      : view_(view),
        filter_(filter),
        only_(filter.classes.begin(), filter.classes.end()),
        skip_(filter.skip.begin(), filter.skip.end()) {}

  void apply() {
    refuse_no_match();
    if (filter_.by_name()) {
      keep_classes();
      std::erase_if(view_.suspects, [&](const SuspectView& suspect) {
        return !kept(suspect) || matches(skip_, suspect.class_name);
      });
      std::erase_if(view_.top_objects, [&](const TopObjectView& top) {
        return !kept(top.object) || skipped(skip_, top.object);
      });
      keep_ages();
      keep_aging();
      keep_frames();
      keep_cuts();
      keep_holders();
      keep_states();
    }
    if (!filter_.under.empty()) keep_below();
    if (!skip_.empty()) pass_over();
    if (!only_.empty()) keep_matching_nodes();
    if (filter_.depth > 0) keep_levels();
  }

 private:
  template <class Row>
  bool kept(const Row& row) const {
    return only_.empty() || matches(only_, row);
  }

  void keep_classes() {
    const auto goes = [&](const ClassView& row) {
      const bool gone = !kept(row.name) || matches(skip_, row.name);
      if (gone) add_to_rest(view_.rest_of_classes, row);
      return gone;
    };
    std::erase_if(view_.classes, goes);
  }
  void keep_aging() {
    if (!view_.aging) return;
    const auto gone = [&](const auto& row) {
      return !kept(row.class_name) || matches(skip_, row.class_name);
    };
    std::erase_if(view_.aging->suspects, gone);
    std::erase_if(view_.aging->classes, gone);
  }

  void keep_ages() {
    if (!view_.ages) return;
    std::erase_if(view_.ages->classes, [&](const AgeClassView& row) {
      const bool gone = !kept(row.class_name) || matches(skip_, row.class_name);
      if (gone) add_to_rest(view_.ages->rest_of_classes, row);
      return gone;
    });
  }
  void keep_frames() {
    for (ThreadView& thread : view_.threads)
      std::erase_if(thread.frames, [&](const FrameView& frame) {
        return !kept(frame) || matches(skip_, frame.class_name);
      });
    if (only_.empty()) return;
    std::erase_if(view_.threads, [](const ThreadView& thread) { return thread.frames.empty(); });
  }

  void keep_cuts() {
    const auto goes = [&](const ObjectView& object) {
      return !kept(object) || skipped(skip_, object);
    };
    if (view_.reachable) std::erase_if(view_.reachable->hidden, goes);
    if (!view_.cuts) return;
    const auto important = [&](const ImportantView& row) { return goes(row.object); };
    std::erase_if(view_.cuts->most_references, important);
    std::erase_if(view_.cuts->most_referrers, important);
    std::erase_if(view_.cuts->cuts, [&](const CutView& cut) {
      return !kept(cut) || skipped(skip_, cut.reference.object);
    });
  }

  // Rows of the classes that are held, whoever holds them.
  void keep_holders() {
    if (!view_.holders) return;
    std::erase_if(view_.holders->classes, [&](const HolderClassView& row) {
      return !kept(row.class_name) || matches(skip_, row.class_name);
    });
  }

  void keep_states() {
    if (!view_.states) return;
    const auto gone = [&](const auto& row) {
      return !kept(row.class_name) || matches(skip_, row.class_name);
    };
    for (StateView& state : view_.states->states) {
      std::erase_if(state.classes, gone);
      std::erase_if(state.groups, gone);
    }
  }

  // The nodes that --under names: of a pattern the topmost that match.
  std::vector<bool> tops() const {
    std::vector<bool> found(view_.tree.size());
    if (const auto number = node_number()) {
      if (*number >= found.size())
        throw Stop{ExitCode::kWrongUsage,
                   "--under " + filter_.under + ": " +
                       (found.empty() ? "this report has no dominator tree"
                                      : "the dominator tree of this report has nodes 0 to " +
                                            std::to_string(found.size() - 1))};
      found[*number] = true;
      return found;
    }
    const Patterns pattern{filter_.under};
    std::vector<bool> inside(found.size());
    for (const TreeNodeView& node : view_.tree) {  // parents come first
      const bool below = node.parent != kNoRow && inside[node.parent];
      inside[node.id] = below || matches(pattern, node);
      found[node.id] = inside[node.id] && !below;
    }
    if (std::ranges::find(found, true) == found.end())
      throw Stop{ExitCode::kWrongUsage,
                 "--under: no node of this report's dominator tree matches '" + filter_.under +
                     "'" + nearest_text(filter_.under)};
    return found;
  }
  std::optional<std::size_t> node_number() const {
    const std::string_view text =
        std::string_view(filter_.under).substr(filter_.under.starts_with('#') ? 1 : 0);
    std::size_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec == std::errc::result_out_of_range) return SIZE_MAX;
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return number;
  }

  void keep_below() {
    const std::vector<bool> top = tops();
    std::vector<bool> inside(top.size());
    for (TreeNodeView& node : view_.tree) {
      inside[node.id] = top[node.id] || (node.parent != kNoRow && inside[node.parent]);
      if (top[node.id]) node.parent = kNoRow;
      if (!inside[node.id]) node.shown = false;
    }
  }
  void pass_over() {
    for (TreeNodeView& node : view_.tree) {
      // Its parent was looked at before, so the parent's parent is one that stays.
      if (node.parent != kNoRow && skipped(skip_, view_.tree[node.parent]))
        node.parent = view_.tree[node.parent].parent;
      if (skipped(skip_, node)) node.shown = false;
    }
    for (TreeNodeView& node :
         view_.tree)  // nobody's child any more: what hangs below it does so elsewhere
      if (skipped(skip_, node)) node.parent = kNoRow;
  }
  void keep_matching_nodes() {
    std::vector<bool> wanted(view_.tree.size());
    for (std::size_t i = view_.tree.size(); i-- > 0;) {
      const TreeNodeView& node = view_.tree[i];
      wanted[i] = wanted[i] || (node.shown && matches(only_, node));
      if (wanted[i] && node.parent != kNoRow) wanted[node.parent] = true;
    }
    for (TreeNodeView& node : view_.tree)
      if (!wanted[node.id]) node.shown = false;
  }
  void keep_levels() {
    std::vector<std::uint32_t> level(view_.tree.size());
    for (TreeNodeView& node : view_.tree) {
      if (node.parent != kNoRow) level[node.id] = level[node.parent] + 1;
      if (level[node.id] >= filter_.depth) node.shown = false;
    }
  }

  template <class Rows>
  bool any_match(const Patterns& pattern, const Rows& rows) const {
    return std::ranges::any_of(rows, [&](const auto& row) { return matches(pattern, row); });
  }
  bool anything_matches(const Patterns& pattern) const {
    const auto thread = [&](const ThreadView& t) { return any_match(pattern, t.frames); };
    const auto named = [&](const ClassView& row) { return matches(pattern, row.name); };
    const auto object = [&](const TopObjectView& top) { return matches(pattern, top.object); };
    const auto important = [&](const ImportantView& row) { return matches(pattern, row.object); };
    const auto aged = [&](const auto& row) { return matches(pattern, row.class_name); };
    return std::ranges::any_of(view_.classes, named) ||
           (view_.aging && (std::ranges::any_of(view_.aging->suspects, aged) ||
                            std::ranges::any_of(view_.aging->classes, aged))) ||
           (view_.ages && std::ranges::any_of(view_.ages->classes, aged)) ||
           (view_.holders && std::ranges::any_of(view_.holders->classes, aged)) ||
           (view_.states && std::ranges::any_of(view_.states->states,
                                                [&](const StateView& state) {
                                                  return std::ranges::any_of(state.classes, aged);
                                                })) ||
           any_match(pattern, view_.suspects) || any_match(pattern, view_.tree) ||
           std::ranges::any_of(view_.top_objects, object) ||
           std::ranges::any_of(view_.threads, thread) ||
           (view_.reachable && any_match(pattern, view_.reachable->hidden)) ||
           (view_.cuts && (any_match(pattern, view_.cuts->cuts) ||
                           std::ranges::any_of(view_.cuts->most_references, important) ||
                           std::ranges::any_of(view_.cuts->most_referrers, important)));
  }
  void refuse_no_match() const {
    for (const std::string& pattern : filter_.classes) {
      if (anything_matches({pattern})) continue;
      const std::uint64_t unlisted =
          view_.classes_total - std::min<std::uint64_t>(view_.classes_total, view_.classes.size());
      throw Stop{ExitCode::kWrongUsage,
                 "--class: no class of this report matches '" + pattern + "'" +
                     (unlisted == 0 ? ""
                                    : " (it does not list " +
                                          counted(unlisted, "class", "classes") + " by name)") +
                     nearest_text(pattern)};
    }
  }
  std::string nearest_text(std::string_view pattern) const {
    std::vector<std::string_view> names;
    for (const ClassView& row : view_.classes) names.push_back(row.name);
    const std::string_view near = nearest_name(pattern, names);
    return near.empty() ? "" : "; the nearest name is " + std::string(near);
  }

  ReportView& view_;
  const ReportFilter& filter_;
  const Patterns only_, skip_;
};

std::string joined(const std::vector<std::string>& patterns) {
  std::string text;
  for (const std::string& pattern : patterns) text.append(text.empty() ? "" : ", ").append(pattern);
  return text;
}

}  // namespace

void apply_filter(ReportView& view, const ReportFilter& filter) {
  if (!filter.account.empty()) choose_account(view, filter.account);
  Filter(view, filter).apply();
}

std::string filter_remark(const ReportView& view, const ReportFilter& filter) {
  if (!filter.by_name()) return {};
  std::string text = "Classes";
  if (!filter.classes.empty()) text += " that match " + joined(filter.classes);
  if (!filter.skip.empty()) text += " without those that match " + joined(filter.skip);
  const std::uint64_t unlisted =
      view.classes_total - std::min<std::uint64_t>(view.classes_total, view.classes.size());
  if (unlisted > 0)
    text += "; " + counted(unlisted, "class", "classes") + " of this report " +
            (unlisted == 1 ? "has" : "have") + " no row of " + (unlisted == 1 ? "its" : "their") +
            " own";
  return text + ".";
}

}  // namespace holdfast::cli
