// What the core asks of a VM, and what a VM hands back: the only door between the neutral core and jvmti/, jvmpi/, clrprofiler/.
// Shape:  all text is NUL-terminated UTF-8 in fixed arrays; bytes are bytes; times are ns on the monotonic clock.
// Zone:   each method says its own. Methods run on the capture thread, except facts().
// Errors: Result; a VM's own code comes as kVm with the code as detail.
#pragma once

#include <cstdint>
#include <span>

#include "common/ages/class_ages.h"
#include "common/capture_memory.h"
#include "common/collection_figures.h"
#include "common/dump_request.h"
#include "common/notes.h"
#include "common/result.h"
#include "common/snapshot/snapshot.h"
#include "common/tracked_objects.h"

namespace holdfast {

inline constexpr std::size_t kMaxFactText = 256;

struct VmFacts {
  char vm_name[kMaxFactText] = "";     // "OpenJDK 64-Bit Server VM"
  char vm_version[kMaxFactText] = "";  // "17.0.15+6-Debian-1deb12u1"
  char vm_vendor[kMaxFactText] = "";
  char main_name[kMaxFactText] = "";    // main class or jar, for %e
  char collector[kMaxFactText] = "";    // "G1", "" unknown
  std::uint64_t command_line_hash = 0;  // XXH3 of the command line: equal hash, equal service
};

struct HeapFigures {
  std::uint64_t used_bytes =
      0;  // as the VM counts: unreachable objects that it has not collected included
  std::uint64_t committed_bytes = 0;
  std::uint64_t max_bytes = 0;
};

enum class CaptureRung : std::uint8_t { kFrozen, kFrozenWritten, kWalk, kHistogram, kImported };
const char* capture_rung_name(CaptureRung rung) noexcept;  // "frozen", "walk", "histogram"

// What a first dump takes on a kind of VM, before anything was measured: a heap of small objects, the costly case. The defaults are
// HotSpot's (docs/decisions/033-walk-cost.md).
struct CaptureCosts {
  std::uint64_t bytes_per_object = 50;
  bool object_bytes_are_measured = false;  // else what most heaps have
  std::uint64_t references_per_object = 3;
  std::uint64_t walk_ns_per_object = 1200;
  std::uint64_t histogram_ns_per_object = 45;
  std::uint64_t vm_tag_bytes_per_object = 67;
  std::uint64_t capture_bytes_per_object = 16;  // builder.h
  std::uint64_t capture_bytes_per_reference = 6;
  bool ages_by_frozen_alone = true;  // no other rung tells them
  // What either takes of an empty heap.
  std::uint64_t walk_base_ns = 0;
  std::uint64_t histogram_base_ns = 0;
};

struct CapturePlan {
  CaptureRung rung = CaptureRung::kHistogram;
  std::uint64_t predicted_pause_ns = 0;
  // Of the prediction: how many times as long a stop takes as with a CPU of its own, in percent.
  std::uint32_t slowdown_percent = 100;
  std::uint64_t pause_limit_ns = UINT64_MAX;  // of a graph, what it may be; UINT64_MAX: no limit
  // Native memory that the VM itself will take for tags, outside our ledger.
  std::uint64_t predicted_vm_tag_bytes = 0;
  // Frozen: of the system's memory, for the child and for pages that are copied; without what passes take of the room below.
  std::uint64_t predicted_growth_bytes = 0;
  // What ours may come to before the system or the container runs short; UINT64_MAX: not known.
  std::uint64_t system_room_bytes = UINT64_MAX;
  // Frozen: after so much of the pause the walk over roots is cut, where that may be.
  std::uint64_t roots_limit_ns = UINT64_MAX;
  bool graph = true;  // frozen: false when classes are only counted
  bool ages = false;  // wanted of each object (ages=), where the VM tells them
  CaptureChoice asked = CaptureChoice::kAuto;  // by name
  bool track = false;  // objects that are named keep a number (track=), where the VM can
};

// What a child makes of a frozen picture. kWrittenGraph: window by window into a snapshot file, for a graph that does not fit into memory.
enum class PictureUse : std::uint8_t { kGraph, kWrittenGraph, kCounts };
PictureUse picture_use(const CapturePlan& plan) noexcept;

// One row per class of Catalog::classes, plus a last one for objects whose class is unknown.
struct ClassCount {
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
};

// What stands in the heap beside the graph. Nothing leads to it, or only what a graph leaves out.
struct UnreachedObjects {
  bool told = false;
  std::span<const ClassCount> classes;  // [class count + 1], the last for objects of unknown class
  std::uint64_t objects = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t buffer_bytes = 0;  // room in allocation buffers of threads
  std::uint64_t unread_bytes = 0;  // what stands there is not known
  std::uint64_t wall_ns = 0;
};

struct Capture {
  CaptureRung rung = CaptureRung::kHistogram;
  bool has_graph = false;                   // snapshot is sealed and verified
  Snapshot snapshot;                        // with has_graph; its catalog is filled in either case
  std::span<ClassCount> histogram;          // without a graph: every object, also unreachable ones
  std::span<ClassAges> class_ages;          // without a graph: as histogram, or empty: not told
  AgeSource age_source = AgeSource::kNone;  // of class_ages; a graph has its own
  const char* no_ages =
      "";             // where ages were wanted and are not told: why, a literal; "": a note says it
  Tracking tracking;  // with a graph
  UnreachedObjects unreached;
  HeapFigures heap_before;
  HeapFigures heap_after;
  std::uint64_t prepare_ns = 0;  // names and layouts, application running
  // The application stopped, as seen from the call that stops it; of several stops the longest one, which is what it notices.
  std::uint64_t pause_ns = 0;
  std::uint32_t stops = 0;       // as far as they were added one by one
  std::uint64_t stopped_ns = 0;  // all of them together
  void add_stop(std::uint64_t ns) noexcept {
    if (ns == 0) return;
    ++stops;
    stopped_ns += ns;
    pause_ns = ns > pause_ns ? ns : pause_ns;
  }
  std::uint64_t clone_ns = 0;  // frozen: the part of the pause that made the child
  // Frozen: what nothing but possible stack slots leads to, and references of it that led to no object.
  std::uint64_t doubtful_objects = 0;
  std::uint64_t doubtful_bytes = 0;
  bool roots_cut = false;              // not all were walked: the rest was found in memory
  std::uint32_t stacks_in_memory = 0;  // of so many threads
  std::uint64_t dropped_references = 0;
  const char* beside = "";  // frozen: what the collector did at that moment, "swept"; "": nothing
  std::uint64_t seal_ns = 0;
  std::uint64_t vm_tag_bytes_estimate = 0;
  std::uint64_t process_growth_bytes =
      0;  // resident memory: after the walk less before, our own columns excluded
};

// Every reference was looked at, wherever the graph is now.
inline bool is_extended(const Capture& capture) noexcept {
  return capture.has_graph || capture.rung == CaptureRung::kFrozenWritten;
}

// What only the parent knows of a frozen dump, and only after the pause.
struct PauseFigures {
  std::uint64_t pause_ns = 0;  // the application stopped, roots and clone included
  std::uint64_t clone_ns = 0;
  std::uint64_t roots_ns = 0;  // of it the walk over roots, where that is known
  HeapFigures heap_after;
};

// Stops of the application: the longest, and all together.
struct StopFigures {
  std::uint32_t count = 0;
  std::uint64_t longest_ns = 0;
  std::uint64_t sum_ns = 0;
  void add(std::uint64_t ns) noexcept {
    ++count;
    if (ns > longest_ns) longest_ns = ns;
    sum_ns += ns;
  }
};

// What walking all roots is expected to take, application stopped, and whether it may be ended early: the child then finds the rest.
struct RootFigures {
  std::uint64_t walk_ns = 0;
  std::uint64_t frames_ns = 0;  // of it, what every look at all objects of the heap pays
  std::uint64_t threads_ns =
      0;  // cloning the stacks' page tables and waking the threads, walked or not
  bool may_be_cut = false;
};

class AccountBook;
struct ChildMailbox;
struct AnalysisInput;
struct AnalysisOutcome;

// An analysis of the adapter's own, for a graph that does not fit into memory.
struct AdapterAnalysis {
  void* context = nullptr;
  Result<void> (*run)(void* context, AnalysisInput& input,
                      AnalysisOutcome& outcome) noexcept = nullptr;
};

// What becomes of a frozen picture: handed to the adapter, carried out in the child.
struct FrozenWork {
  // In the child: analyses `capture` (or has the adapter do it, where `analysis` is not nullptr), or tells why there is none.
  // Answers the child's exit status.
  int (*run)(void* context, const Result<void>& captured, Capture& capture,
             const AdapterAnalysis* analysis) noexcept = nullptr;
  void* context = nullptr;
  ChildMailbox* mailbox = nullptr;
  std::byte* stack = nullptr;  // the child's, committed
  std::size_t stack_bytes = 0;
  std::uint32_t watchdog_seconds = 0;
};

// A child that lives: it owns the picture from here on.
struct FrozenChild {
  std::int64_t process = 0;
  HeapFigures heap_before;
  PauseFigures pause;
  Catalog catalog;  // what the child's class numbers mean; valid until memory.end_dump()
};

class VmAdapter {
 public:
  virtual ~VmAdapter() = default;
  virtual VmFacts facts() noexcept = 0;  // any thread, after VM init
  // Event. Where a VM has its tools' threads made by itself: it makes the capture thread, which runs body(argument) and then ends. False:
  // an ordinary thread, attached, will do.
  virtual bool start_capture_thread(void (* /*body*/)(void*), void* /*argument*/) noexcept {
    return false;
  }
  virtual Result<void>
  attach_capture_thread() noexcept = 0;  // once, first act of the capture thread
  virtual void detach_capture_thread() noexcept = 0;
  virtual CaptureCosts costs() const noexcept { return {}; }
  // The triggers that are asked for have changed (TriggerBits, options.h): from now on the VM tells their events, and no others.
  virtual Result<void> listen(const Options&) noexcept { return {}; }
  // What there is to say of a trigger that is an event of the VM or of a person, where it is not as on most; nullptr: nothing.
  virtual const char* trigger_state(Trigger, const Options&) const noexcept { return nullptr; }
  // What the collector has done. Any thread after VM init: reads memory, never calls the VM.
  virtual CollectionFigures collections() noexcept { return {}; }
  // How many there were, for ages (CollectionFigures::count()). Any thread after VM init, the event of an allocation included.
  virtual std::uint64_t collection_count() noexcept { return collections().count(); }
  // collections() when nothing is known yet, and will be as soon as a trigger listens: counts from zero.
  virtual CollectionFigures collections_once_told() noexcept { return collections(); }
  // Why this trigger cannot work in this VM, where collections_once_told() has not what it needs; nullptr: the core's words fit.
  virtual const char* missing_for(Trigger) const noexcept { return nullptr; }
  // A full collection, application running: back when it is over (collect=).
  virtual Result<void> collect() noexcept { return make_error(ErrorCode::kUnsupported); }
  virtual Result<HeapFigures> heap_figures() noexcept = 0;  // application running
  // Right before a dump's capture, application running: what the VM has counted and the book does not know yet goes into it. Answers for
  // how long that stopped the application (ns): for no longer than it may, as far as that can be told beforehand; a note says what was
  // left out.
  virtual std::uint64_t tell_accounts(AccountBook&, std::uint64_t /*pause_limit_ns*/,
                                      Notes&) noexcept {
    return 0;
  }
  // Prepares, stops the VM, walks, lets it run again, seals. A walk that outgrows the memory falls back to the histogram
  // itself (rung says so, a note says why). Fills `out`; memory is released by memory.end_dump() later.
  virtual Result<void> capture(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                               Notes& notes) noexcept = 0;
  // The frozen rung. Load: whether any VM of this kind has it; else nothing is kept ready for a child.
  virtual bool may_freeze() const noexcept { return true; }
  // Once, after attach_capture_thread(): finds out whether this VM's heap can be read as memory.
  virtual void open_frozen(CaptureMemory&, const FrozenWork&) noexcept {}
  // Why the frozen rung cannot be taken; empty when it can.
  virtual const char* frozen_refusal() noexcept {
    return "this VM's heap cannot be read as memory";
  }
  // Application running: what a frozen capture would spend on roots now.
  virtual RootFigures root_figures() noexcept { return {}; }
  // As platforms/process.h; of a fake, 0.
  virtual std::uint32_t cpu_demand_percent() noexcept { return 0; }
  // For how long attaching, or what a dump prepared, has stopped the application since this was asked last.
  virtual StopFigures take_stops() noexcept { return {}; }
  // Prepares, stops the VM, makes the child, lets the VM run again. The child carries out `work`.
  virtual Result<void> freeze(const CapturePlan&, CaptureMemory&, const FrozenWork&, FrozenChild&,
                              Notes&) noexcept {
    return make_error(ErrorCode::kUnsupported);
  }
  // After a frozen dump that was to track objects, application running: what its child told of those that it named, nothing where it came to
  // no report. They are found again and kept.
  virtual void keep_named(std::span<const char> /*told*/, std::uint32_t /*sequence*/,
                          std::uint64_t /*utc_ms*/) noexcept {}
  // A picture contradicted itself: never again in this process.
  virtual void forbid_frozen(const char* /*why*/) noexcept {}
};

}  // namespace holdfast
