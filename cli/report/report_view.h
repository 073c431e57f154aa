// What a report says, as plain values: the one place where the flatbuffer is read. Text, JSON and later pages are made from it.
// Why: renderers must not walk the schema themselves; each would resolve names, enums and defaults in its own way.
// Shape:  rows with names instead of indices; the names point into the report, which must live as long as the view.
//         O(rows) time and memory. Times in ns, sizes in bytes, as in report.fbs.
// Zone:   offline.
// Errors: none: the reader has checked every index and list before.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/report/accounts_view.h"
#include "cli/report/ages_view.h"
#include "cli/report/aging_view.h"
#include "cli/report/collections_view.h"
#include "cli/report/holders_view.h"
#include "cli/report/states_view.h"

namespace holdfast::report {
struct Report;
}

namespace holdfast::cli {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

struct OriginView {
  std::string_view tool_version, vm_name, vm_version, vm_vendor, collector, main_name, host,
      container;
  std::uint32_t pid = 0;
  std::uint32_t sequence = 0;
  std::uint64_t command_line_hash = 0;
  std::uint64_t started_utc_ms = 0;
  std::uint64_t vm_uptime_ms = 0;
};

struct OptionView {
  std::string_view key, value;
};

struct DumpView {
  bool extended = false;
  std::string_view trigger, rung;
  bool imported() const { return rung == "imported"; }  // no VM was asked and none was stopped
  std::uint32_t merged_requests = 0;
  std::uint32_t refused_requests = 0;
  std::uint64_t predicted_pause_ns = 0;
  std::uint64_t pause_ns = 0;
  std::optional<std::uint64_t> pause_limit_ns;  // absent: none, a person asked for it by name
  std::uint64_t prepare_ns = 0;
  std::uint64_t seal_ns = 0;
  std::uint64_t clone_ns = 0;                // frozen: the part of the pause that made the child
  std::uint64_t predicted_growth_bytes = 0;  // frozen: of the system's memory
  std::uint64_t capture_ns = 0;
  std::uint64_t analysis_ns = 0;  // sum of the passes
  std::uint64_t heap_used_before_bytes = 0;
  std::uint64_t heap_used_after_bytes = 0;
  std::uint64_t heap_committed_bytes = 0;
  std::uint64_t heap_max_bytes = 0;
};

// What was lost on the way; all zero: nothing.
struct LossView {
  std::uint64_t objects_unknown_class = 0;
  std::uint64_t roots_dropped = 0;
  std::uint64_t references_to_unknown = 0;
  std::uint64_t names_dropped = 0;
  std::uint32_t names_cut = 0;
  std::uint32_t notes_dropped = 0;
  std::uint32_t passes_left_out = 0;
  std::uint32_t figures_left_out = 0;  // of those, all from which others are worked out
  bool input_damaged = false;
  bool basic = false;  // the analysis ended before its optional parts
  bool imported =
      false;  // dumps of other tools name objects that they do not contain, healthy ones too

  bool any() const {
    return !heap_complete() || roots_dropped + references_to_unknown + passes_left_out > 0 ||
           names_dropped + names_cut + notes_dropped > 0;
  }
  // Cut names and notes lose words, not facts about the heap; reachable sizes and cuts say nothing about the other figures.
  bool heap_complete() const {
    const bool captured_whole = roots_dropped == 0 && references_to_unknown == 0;
    return objects_unknown_class == 0 && figures_left_out == 0 && !input_damaged &&
           (imported || captured_whole);
  }
};

struct LedgerView {
  std::string_view category;
  std::uint64_t peak_bytes = 0;
};

struct MemoryView {
  std::uint64_t limit_bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t vm_tag_bytes_estimate = 0;
  std::uint64_t process_growth_bytes = 0;
  std::vector<LedgerView> categories;
};

struct PassView {
  std::string_view name, left_out;  // left_out: the reason, empty when it ran
  std::uint64_t wall_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t scratch_peak_bytes = 0;
};

struct ClassView {
  std::string_view name, loader;
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  std::uint64_t largest_retained_bytes = 0;
  std::uint64_t unheld_instances = 0;
  std::uint64_t unheld_bytes = 0;
  bool platform = false;
  std::uint64_t largest_reachable_bytes = 0;  // of a single instance; 0: not told
  bool reachable_estimated = false;
};

// A set of classes: a loader's or a package's.
struct SetView {
  std::string_view name;
  std::uint64_t class_count = 0;
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  bool builtin = false;  // loaders only
};

struct ObjectView {
  std::uint32_t number = kNoRow;  // in the report: the same number, the same object
  std::string_view class_name, loader;
  std::string_view class_object_of;  // a class object: the class it stands for; else empty
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  std::uint64_t reachable_bytes = 0;  // 0: not told
  bool reachable_estimated = false;
  std::uint32_t identity = 0;        // the same in all reports of one tracking run; 0: it has none
  std::uint32_t first_sequence = 0;  // of the dump that named it first
  std::uint64_t first_utc_ms = 0;

  bool is_class_object() const { return !class_object_of.empty(); }
};

struct FrameView {
  std::string_view class_name, method;
  std::uint32_t depth = 0;
  std::uint32_t locals = 0;
  std::uint64_t retained_bytes = 0;
  std::optional<ObjectView> largest;
};

struct ThreadView {
  std::string_view name;
  bool daemon = false;
  std::uint32_t local_roots = 0;
  std::uint64_t retained_bytes = 0;
  std::vector<FrameView> frames;  // topmost first
};

enum class Via : std::uint8_t {
  kRoot,
  kInstanceField,
  kStaticField,
  kElement,
  kReferent,
  kClass,
  kClassLoader,
  kSuperclass,
  kInterface,
  kConstant,
  kOther,
};

struct StepView {
  ObjectView object;
  Via via = Via::kOther;  // how the step before holds this one
  std::string_view field, declaring_class;
  std::uint32_t index = 0;
  bool index_saturated = false;
};

enum class Root : std::uint8_t {
  kSystemClass,
  kThread,
  kStackLocal,
  kJniLocal,
  kJniGlobal,
  kMonitor,
  kHandle,
  kFinalizer,
  kOther,
  kStaticField,  // of a VM without class objects; the first step names it
  kPinnedHandle,
  kPossibleStackSlot,
};
enum class Firmness : std::uint8_t { kStrong, kSoft, kWeak, kFinal, kPhantom, kUnreachable };

struct PathView {
  Root root = Root::kOther;
  Firmness strength = Firmness::kStrong;
  std::string_view thread, frame_class, frame_method;  // empty where the root has none
  std::uint32_t frame_depth = 0;
  std::uint32_t slot = 0;
  std::uint32_t length = 0;
  std::uint32_t steps_left_out = 0;
  std::uint32_t left_out_after = 0;
  std::vector<StepView> steps;  // the root's object first

  bool in_frame() const { return !frame_method.empty(); }
  // What compiled code of the method refers to: shared by all threads that run it.
  bool in_code_constant() const { return root == Root::kOther && in_frame(); }
  bool in_static_field() const {
    return root == Root::kStaticField && !steps.empty() && steps.front().via == Via::kStaticField;
  }
};

struct TreeNodeView {
  bool shown = true;                 // false: a filter leaves it out (report_filter.h)
  std::uint32_t id = 0;              // index in the report
  std::uint32_t parent = kNoRow;     // an id, or kNoRow below the virtual root
  std::optional<ObjectView> object;  // absent for a group
  std::string_view group_class;
  std::uint64_t instances = 1;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  std::uint64_t children = 0;
  std::uint64_t rest_children = 0;
  std::uint64_t rest_retained_bytes = 0;
};

struct LevelView {
  std::string_view class_name;
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  bool platform = false;
};

enum class HolderKind : std::uint8_t { kStaticField, kFrame, kObject, kField };  // holder.h

struct SuspectView {
  std::size_t rank = 1;  // 1: the likeliest
  bool group = false;
  std::string_view class_name, loader;
  std::uint64_t instances = 0;
  std::uint64_t instances_below = 0;  // of the class, at any depth; 0: not told
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  std::uint32_t share_per_mille = 0;  // of all held bytes
  std::uint64_t whole_bytes = 0;      // these
  std::uint32_t confidence_percent = 0;
  HolderKind holder_kind = HolderKind::kObject;
  std::string_view holder_class, holder_field;
  std::string_view part_of_class,
      part_of_field;  // kField: whose part the holder is; empty: not known
  std::string_view begins_in_class,
      begins_in_field;               // kField: the static field that leads there, if one does
  std::optional<ObjectView> holder;  // the accumulation point
  std::vector<LevelView> levels;
  PathView path;
  std::vector<PathView>
      others;  // from other roots or over other fields; each ends at an object on `path`
  std::vector<std::string_view> evidence;
  std::uint32_t threads = 0;  // hold them, each as its own value of one variable; 0: they do not
  std::optional<PathView> variable;  // to that ThreadLocal; none for a static field, or a long path
  bool waits_for_finalizer = false;  // whole_bytes: of the whole graph then
  std::string drain;  // of those: the thread that should take them out, and where it is
};

struct TopObjectView {
  ObjectView object;
  std::optional<PathView> path;
};

struct RootKindView {
  Root kind = Root::kOther;
  std::uint64_t roots = 0;
  std::uint64_t objects = 0;
  std::uint64_t retained_bytes = 0;
};

struct StrengthView {
  Firmness strength = Firmness::kStrong;
  std::uint64_t objects = 0;
  std::uint64_t shallow_bytes = 0;
};

struct GraphView {
  std::uint64_t objects = 0;
  std::uint64_t references = 0;
  std::uint64_t roots = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t held_objects = 0;
  std::uint64_t held_bytes = 0;
  std::uint32_t dominator_depth = 0;
  std::uint32_t max_out_degree = 0;
  std::optional<ObjectView> max_out_degree_object;
  std::vector<StrengthView> strengths;
  std::vector<RootKindView> root_kinds;
};

// Held objects that reach so much more than they retain: at least the row before's limit, less than this one's.
struct DifferenceView {
  std::optional<std::uint64_t> up_to_bytes;  // absent: no limit
  std::uint64_t objects = 0;
};

enum class Shortage : std::uint8_t { kNone, kTime, kMemory };

struct ReachableView {
  std::uint64_t components = 0;
  std::uint64_t shared_components = 0;
  std::uint64_t estimated_objects = 0;                                   // 0: every size is exact
  Shortage reason = Shortage::kNone;                                     // why there are estimates
  std::uint32_t error_per_mille = 0;                                     // of an estimate
  std::optional<std::uint64_t> retained_sum_bytes, reachable_sum_bytes;  // absent: too large
  std::vector<DifferenceView> differences;
  std::vector<ObjectView> hidden;
};

struct ImportantView {
  ObjectView object;
  std::uint32_t references = 0;
  std::uint32_t referrers = 0;
  bool articulation_point = false;
};

struct CutView {
  std::optional<ObjectView> referrer;  // absent: a GC root is cut
  StepView reference;                  // to what goes
  std::optional<PathView> root;        // with the one step
  std::uint32_t references = 0;        // parallel ones: all are cut
  std::uint64_t freed_objects = 0;
  std::uint64_t freed_bytes = 0;
  bool articulation_point = false;
};

struct CutsView {
  std::uint64_t components = 0;
  std::uint64_t cyclic_components = 0;
  std::uint64_t cyclic_objects = 0;
  std::uint64_t largest_component_objects = 0;
  std::uint64_t biconnected_components = 0;
  std::uint64_t largest_biconnected = 0;
  std::uint64_t parts = 0;
  std::uint64_t articulation_points = 0;
  std::uint64_t dominating_points = 0;
  std::vector<ImportantView> most_references, most_referrers;
  std::vector<CutView> cuts;
};

// Objects that have a number of their own (track=on).
struct TrackingView {
  std::uint64_t began_utc_ms = 0;                                // of the tracking run
  std::uint64_t known = 0, gone = 0, unfollowed = 0, named = 0;  // report.fbs
  std::vector<ObjectView> objects;  // that this report tells of, by number
};

struct ReportView {
  std::uint64_t report_bytes = 0;
  OriginView origin;
  std::vector<OptionView> options;
  DumpView dump;
  LossView losses;
  MemoryView memory;
  std::vector<PassView> passes;
  std::vector<std::string_view> notes;
  std::optional<GraphView> graph;  // absent in a simple dump
  std::vector<ClassView> classes;
  std::uint64_t classes_total = 0;
  ClassView rest_of_classes;
  std::vector<SetView> loaders;
  std::uint64_t loaders_total = 0;
  SetView rest_of_loaders;
  std::vector<SetView> packages;
  std::uint64_t packages_total = 0;
  SetView rest_of_packages;
  std::vector<ThreadView> threads;
  std::uint64_t threads_total = 0;
  std::vector<TreeNodeView> tree;  // parents before children
  std::vector<TopObjectView> top_objects;
  std::vector<SuspectView> suspects;
  std::size_t suspects_total = 0;                // with those that are not listed
  std::optional<std::size_t> suspects_unlisted;  // absent: the report does not tell
  std::optional<ReachableView> reachable;        // absent: left out, not asked for, or before 1.4
  std::optional<CutsView> cuts;
  std::optional<AccountsView> accounts;        // absent: accounting was off, or before 1.5
  std::optional<AgingView> aging;              // absent: off, or before 1.6
  std::optional<CollectionsView> collections;  // absent: the VM told none, or before 1.6
  std::optional<AgesView> ages;                // absent: off, not told, or before 1.6
  std::optional<TrackingView> tracking;        // absent: objects are not tracked, or before 1.6
  std::optional<HoldersView> holders;          // absent: left out, not asked for, or older
  std::optional<StatesView> states;            // as holders

  // What shares are taken of: all held bytes; in a simple dump all counted bytes.
  std::uint64_t whole_bytes() const;
  std::uint64_t whole_objects() const;

  // A graph alone is not enough: dominators may have been left out, or not asked for (analyses=). Without them all retained sizes
  // in the report are 0, which is no figure.
  bool has_retained() const;
  bool loaders_have_retained() const;
  bool threads_have_retained() const;
  // Was left out, with a reason; not: was not asked for.
  bool left_out(std::string_view pass) const;
};

ReportView make_report_view(const report::Report& report, std::uint64_t report_bytes);

}  // namespace holdfast::cli
