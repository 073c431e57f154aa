// What the passes find, before it becomes a report: plain spans in the analysis arena.
// Shape:  per object arrays are indexed by ObjectId (length n) unless their name says preorder; kRoot stands for the virtual
//         root above all GC roots. retained[v] == shallow(v) + sum over children c of v in the dominator tree of retained[c];
//         sum over children of the root == held_bytes.
// Zone:   worker, offline.   Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/accounts/account_sums.h"
#include "common/ages/class_ages.h"
#include "common/ages/dump_ages.h"
#include "common/snapshot/snapshot.h"
#include "common/tracked_objects.h"

namespace holdfast::analysis {

// Objects by how firmly they are held from the roots (the strongest path counts).
struct Reachability {
  static constexpr std::uint32_t kRoot =
      0xFFFFFFFEu;                  // as a parent: the object is itself a GC root
  std::span<Strength> strength;     // [n]
  std::span<std::uint32_t> parent;  // [n] breadth-first: the object before, kRoot, or kNoneValue
  std::array<std::uint64_t, kStrengthCount> objects{};  // per strength
  std::array<std::uint64_t, kStrengthCount> shallow_bytes{};
};

// Over the references that `retain` counts. An object that is not held has idom invalid and retained 0.
struct Dominators {
  static constexpr std::uint32_t kRoot = 0xFFFFFFFEu;  // as an idom value: the virtual root
  std::span<std::uint32_t> idom;            // [n] object id, kRoot, or ObjectId::kNoneValue
  std::span<std::uint64_t> retained_bytes;  // [n]
  std::span<std::uint32_t> order;           // [held] object ids in dominator-tree preorder
  std::span<std::uint32_t> position;        // [n] index into order, kNoneValue when not held
  std::span<std::uint32_t>
      subtree_objects;  // [held] by position: objects in the subtree, itself included
  std::uint64_t held_bytes = 0;
  std::uint32_t held_objects = 0;
  // What roots of a lifespan hold, and none of a longer one, stands below this position.
  std::array<std::uint32_t, kLifespans.size()> held_up_to{};
  // What only roots that may be none hold stands from here on.
  std::uint32_t held_for_sure() const noexcept {
    return held_up_to[static_cast<std::size_t>(Lifespan::kRunning)];
  }
  std::uint32_t depth = 0;  // of the dominator tree
};

struct ClassFigures {
  std::uint64_t instances = 0;  // held objects
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes =
      0;  // minimum retained size of the set of instances (by dominators)
  std::uint64_t largest_retained_bytes = 0;
  ObjectId largest;  // the instance with the largest retained size
  std::uint64_t unheld_instances =
      0;  // in the graph, but only softly/weakly/finally/phantom held as `retain` says
  std::uint64_t unheld_bytes = 0;
};

// Figures of a set of classes: a loader's, a package's.
struct SetFigures {
  std::string_view
      name;  // packages, part of a class name in the catalog; loaders are named by the catalog
  std::uint32_t class_count = 0;
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;  // minimum retained size of all instances of the set's classes
};

using PathStepResult = PathStep;

// A shortest path from a GC root, over the strongest references that reach the object.
struct RootPathResult {
  std::uint32_t root = 0;  // index into Snapshot::roots
  std::span<const PathStepResult>
      steps;  // the root's object first, the object itself last; at most kMaxPathSteps
  std::uint32_t length = 0;  // objects on the whole path; steps lose their middle beyond the limit
  std::uint32_t left_out_after = 0;
  Strength strength = Strength::kStrong;  // the weakest reference on the path
};
inline constexpr std::uint32_t kMaxPathSteps = 64;
inline constexpr std::uint32_t kMaxOtherPaths = 4;   // of a suspect, beside its own
inline constexpr std::uint32_t kMaxOtherSteps = 16;  // of one of them
inline constexpr std::uint32_t kMaxPlaces = 8;       // suspects that are values of threads
inline constexpr std::uint32_t kMaxWithOthers = 6;   // suspects that have them, the likeliest

// A node of the upper dominator tree: an object, or all children of one class under one parent together.
//   object: retained == shallow + sum of retained over its nodes and groups + rest_retained_bytes
//           children == its nodes + sum of group_instances over its groups + rest_children
//   group:  retained == shallow + rest_retained_bytes; children == rest_children == 0 (its members are not in the tree)
struct TreeNodeResult {
  ObjectId object;                     // invalid for a group
  std::uint32_t parent = 0xFFFFFFFFu;  // index into the tree; below the virtual root: none
  ClassId group_class;
  std::uint64_t group_instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  std::uint64_t children = 0;
  std::uint64_t rest_children = 0;
  std::uint64_t rest_retained_bytes = 0;
};

struct GroupLevelResult {
  ClassId class_id;
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
};

struct Evidence {
  static constexpr std::size_t kMaxText = 240;
  static constexpr std::size_t kMaxSentences = 10;
  char text[kMaxText] = "";
};

struct SuspectResult {
  bool group = false;
  ClassId class_id;  // what piles up, or the class of the single object
  std::uint64_t instances = 0;
  std::uint64_t instances_below = 0;  // of the class, at any depth below the accumulation point
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  ObjectId holder;  // accumulation point; for a single object the object itself
  std::span<const GroupLevelResult> levels;  // below the accumulation point, class by class
  RootPathResult path;                       // to the holder
  std::span<const RootPathResult>
      others;  // at most kMaxOtherPaths; to objects on that path, from other roots or over other fields
  std::uint32_t confidence_percent = 0;
  std::span<const Evidence> evidence;
  bool waits_for_finalizer = false;  // in a finalizer queue
  std::uint32_t threads = 0;  // values that so many threads have of one variable; 0: it is none
  RootPathResult variable;    // to the ThreadLocal, where at most kMaxOtherSteps objects lead there
};

struct ThreadFigures {
  std::uint64_t retained_bytes = 0;  // of the thread object and its locals together, as a set
  std::uint32_t local_roots = 0;
};

struct RootKindFigures {
  std::uint64_t roots = 0;
  std::uint64_t objects = 0;         // distinct objects that are roots of this kind
  std::uint64_t retained_bytes = 0;  // of those objects as a set
};

struct GraphStatistics {
  std::uint32_t max_out_degree = 0;
  ObjectId max_out_degree_object;
  std::array<RootKindFigures, kRootKindCount> root_kinds{};
};

// What an object reaches: itself and all that holding references lead to, those to class objects left out.
struct ReachableFigure {
  ObjectId object;
  std::uint64_t bytes = 0;
  bool estimated = false;
};

struct ClassReach {
  std::uint64_t largest_bytes = 0;  // the largest reachable size of a held instance
  bool estimated = false;           // an instance's size is an estimate
};

enum class EstimateReason : std::uint8_t { kNone, kTime, kMemory };

// Held objects by how much more they reach than they retain: less than 1 KB more, 1 to 10 KB, … ([Thesis], table 5.3).
inline constexpr std::array<std::uint64_t, 10> kDifferenceLimits = {
    1ull << 10,  10ull << 10, 100ull << 10, 1000ull << 10, 10ull << 20,
    25ull << 20, 50ull << 20, 75ull << 20,  100ull << 20,  UINT64_MAX};

struct ReachableFindings {
  std::span<const ReachableFigure> objects;  // rising by object; whatever the report tells it of
  std::span<const ClassReach> classes;       // [class count + 1]
  std::span<const ObjectId> hidden;          // what retained sizes hide, the most hidden first
  std::array<std::uint64_t, kDifferenceLimits.size()> differences{};  // sum == held objects
  std::uint64_t retained_sum = 0,
                reachable_sum = 0;  // over the held objects; UINT64_MAX: too large
  std::uint32_t components = 0;     // that all sizes were found for; 0: the pass was left out
  std::uint32_t shared = 0;         // components that are reached along ways with nothing in common
  std::uint64_t estimated_objects = 0;
  EstimateReason reason = EstimateReason::kNone;
  double standard_error = 0;  // of an estimated size, as a share of it
};

struct ImportantObject {
  ObjectId object;
  std::uint32_t references = 0;
  std::uint32_t referrers = 0;  // references to it; several from one object are several
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  bool articulation = false;  // its node of the condensation is an articulation point
};

// All references of one object to another, or the only GC root record of an object.
struct Cut {
  static constexpr std::uint32_t kNoRoot = 0xFFFFFFFFu;
  ObjectId referrer;  // invalid: a root is cut
  ObjectId referent;
  RefLabel label;                // of the first reference
  std::uint32_t references = 0;  // from the referrer to the referent: all of them are cut
  std::uint32_t root = kNoRoot;  // index into Snapshot::roots
  std::uint32_t freed_objects = 0;
  std::uint64_t freed_bytes = 0;
  bool articulation = false;  // the referent's node of the condensation is an articulation point
};

struct ImportantNodes {
  std::span<const ImportantObject> most_references;
  std::span<const ImportantObject> most_referrers;
  std::span<const Cut> cuts;
};

// How the graph hangs together, over all its objects, and where to part it.
struct CutFindings {
  std::uint32_t components = 0;  // strong ones; 0: the pass was left out
  std::uint32_t cyclic_components = 0;
  std::uint32_t cyclic_objects = 0;  // in those
  std::uint32_t largest_component_objects = 0;
  std::uint32_t biconnected_components = 0;
  std::uint32_t largest_biconnected_nodes = 0;  // components in the largest of them
  std::uint32_t parts = 0;                      // without any reference between them
  std::uint32_t articulation_points = 0;
  std::uint32_t dominating_points = 0;  // components that alone lead to all that they reach
  ImportantNodes important;
};

enum class PlaceKind : std::uint8_t { kReference, kStaticField, kRoot, kStaticRoot };

// What refers to instances of a class: a field of objects of a class, the elements of its arrays, a static field, or GC roots of a kind.
struct HolderPlace {
  PlaceKind kind = PlaceKind::kReference;
  RootKind root_kind = RootKind::kOther;  // kRoot, kStaticRoot
  RefLabel label;  // kReference, kStaticField; all elements of arrays: special(kElement)
  ClassId
      referrer;  // kReference: whose objects refer; kStaticField: whose class object does; may be unknown
  MethodId field;                // kStaticRoot: its class and name
  std::uint32_t references = 0;  // or root records
  std::uint32_t referrers = 0;   // distinct objects; 0 for GC roots
  std::uint64_t bytes = 0;       // shallow, of the instances, once for each reference
};

struct ClassHolders {
  ClassId class_id;
  std::uint32_t places_total = 0;
  std::span<const HolderPlace> places;      // most references first
  std::uint64_t references = 0, bytes = 0;  // of all places, listed or not
  std::uint64_t unplaced_references = 0,
                unplaced_bytes = 0;  // of these, of places beyond places_total
};

struct HolderFindings {
  bool told = false;  // false: the pass was left out
  std::span<const ClassHolders> classes;
};

// What fills the heap, by how an object is held at best. The first six are those of Strength.
//   kFinal:         only finalizers lead there: referents of finalizer references, and what a finalizer queue that is a GC root holds.
//   kPossibleSlot:  only roots that may be none lead there.
enum class HeapState : std::uint8_t {
  kStrong,
  kSoft,
  kWeak,
  kFinal,
  kPhantom,
  kUnreachable,
  kPossibleSlot
};
inline constexpr std::size_t kHeapStateCount = 7;

struct StateClass {
  ClassId class_id;
  std::uint64_t instances = 0;  // in this state
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;  // of what is in this state
};

struct HeapStateFigures {
  std::uint64_t objects = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint32_t classes_total = 0;      // that have objects; 0 where the lists were not made
  std::span<const StateClass> classes;  // by shallow bytes, the largest first
  std::span<const SuspectResult>
      groups;  // what piles up, over the objects of the state alone; without paths
};

// What stands in the heap beside the graph (UnreachedObjects), with its largest classes.
struct UnreachedFigures {
  bool told = false;
  std::uint64_t objects = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t buffer_bytes = 0;
  std::uint64_t unread_bytes = 0;
  std::uint32_t classes_total = 0;
  std::span<const StateClass>
      classes;  // by shallow bytes, the largest first; retained sizes are not known
};

struct BacklogFrame {
  MethodId method;
  std::uint16_t depth = 0;
};

// References that wait in a queue, and the thread that should take them out.
struct Backlog {
  bool finalizers = false;
  ObjectId queue;   // invalid: the finalizer queue of a VM that has it outside of the heap
  ObjectId holder;  // refers to the queue; invalid: a GC root does
  RefLabel held_by;
  std::uint64_t waiting = 0;
  std::uint64_t retained_bytes = 0;  // by the references together, what their referents hold apart
  ClassId reference_class;           // of most of them
  ClassId referent_class;            // of most of those that still have one
  std::uint64_t referents = 0;       // of that class
  ObjectId first_referent;           // of that class: the first in the queue
  ThreadId thread;                   // invalid: none is seen that takes them out
  std::span<const BacklogFrame> frames;  // of the thread, topmost first: those that hold something
};

// The states of all objects of the graph: their figures add up to it.
struct HeapStateFindings {
  bool told = false;
  bool lists_left_out = false;  // there was no memory for them
  std::uint32_t held = 0;       // a bit a state: its objects are held, as `retain` says
  std::array<HeapStateFigures, kHeapStateCount> states{};
  std::span<const Backlog> backlogs;
  UnreachedFigures unreached;
};

struct AgeFindings {
  AgeSource source = AgeSource::kNone;  // kNone: ages are not told
  std::span<const ClassAges> classes;   // [class count + 1], the last for objects of unknown class
};

struct PassRecord {
  const char* name = "";
  std::uint64_t wall_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t scratch_peak_bytes = 0;
  const char* left_out = "";  // reason, empty when it ran
};
inline constexpr std::size_t kMaxPasses = 20;

// Everything the report is made of, besides the dump record and the capture. Empty spans: the pass was left out.
// Objects that later dumps know again (track=on).
struct Identities {
  bool told = false;  // false: track=off, or this capture cannot tell (a note says why)
  // Since when this agent numbers objects: numbers of two reports mean the same objects only if pid, start time and this agree.
  std::uint64_t began_utc_ms = 0;
  std::uint32_t known = 0;  // numbered before this dump and still there
  std::uint32_t gone = 0;   // numbered ones that were collected since the dump before
  std::uint32_t unfollowed =
      0;  // named by the dump before, but not found again in the running program: they have no number any more
  std::span<const TrackedObject>
      objects;  // the known ones and those that this dump names first, by object
};

struct Findings {
  Reachability reachability;
  Dominators dominators;
  GraphStatistics statistics;
  std::span<const ClassFigures>
      classes;                          // [class count + 1], the last for objects of unknown class
  std::span<const SetFigures> loaders;  // [loader count]
  std::span<const SetFigures> packages;
  std::span<const ThreadFigures> threads;     // [thread count]
  std::span<const TreeNodeResult> tree;       // parents before children
  std::span<const ObjectId> top_objects;      // by retained size, largest first
  std::span<const RootPathResult> top_paths;  // of top_objects
  std::span<const SuspectResult> suspects;
  ReachableFindings reachable;
  CutFindings cuts;
  HolderFindings holders;
  HeapStateFindings states;
  AccountFindings accounts;
  AgeFindings ages;
  Identities identities;
  const DumpAges* aging = nullptr;  // of the input
  bool basic = false;               // optional passes are still to come
  PassRecord passes[kMaxPasses];
  std::uint32_t pass_count = 0;
};

}  // namespace holdfast::analysis
