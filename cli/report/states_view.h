// What fills the heap, state by state, and what waits in queues of references, as plain values and in words.
// Shape:  O(rows).   Zone: offline.   Errors: none, the reader has checked the indices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::report {
struct StateFacts;
}

namespace holdfast::cli {

class ReportNames;
struct ReportView;

enum class HeapState : std::uint8_t {
  kStrong,
  kSoft,
  kWeak,
  kFinal,
  kPhantom,
  kUnreachable,
  kPossibleSlot
};
inline constexpr std::size_t kHeapStates = 7;
std::string_view word(HeapState state);    // "strong", "possible_slot", ...; newer ones: "unknown"
std::string_view phrase(HeapState state);  // "held strongly", "unreachable", ...

struct StateClassView {
  std::string_view class_name, loader;
  std::uint64_t instances = 0, shallow_bytes = 0, retained_bytes = 0;
  bool platform = false;
};

struct StateGroupView {
  bool group = false;
  std::string_view class_name, loader, holder_class;
  std::uint64_t instances = 0, shallow_bytes = 0, retained_bytes = 0;
  std::vector<std::string_view> evidence;
};

struct StateView {
  HeapState state{};
  bool held = false;  // as `retain` says
  std::uint64_t objects = 0, shallow_bytes = 0;
  std::vector<StateClassView> classes;  // empty where the state is small
  std::uint64_t classes_total = 0;
  std::vector<StateGroupView> groups;
};

struct BacklogView {
  bool finalizers = false, static_field = false, thread_found = false;
  std::string_view owner, field, reference_class, referent_class, thread;
  std::uint64_t waiting = 0, retained_bytes = 0, referents = 0;
  std::vector<std::pair<std::string_view, std::string_view>> frames;  // class and method
};

// What stands in a running process' heap beside the graph.
struct UnreachedView {
  std::uint64_t objects = 0, shallow_bytes = 0, buffer_bytes = 0, unread_bytes = 0;
  std::vector<StateClassView> classes;  // without retained sizes
  std::uint64_t classes_total = 0;
};

struct StatesView {
  std::vector<StateView> states;
  std::vector<BacklogView> backlogs;
  std::optional<UnreachedView> unreached;

  std::uint64_t bytes() const;  // of the graph
  StateView of(HeapState state) const;
  const BacklogView* finalizers() const;  // nullptr: none wait
};

StatesView states_view(const ReportNames& names, const report::StateFacts& from);

// "20,000 Fin$Connection, 190.9 MB (99 % of this state), no object of the state holds them"
std::string group_sentence(const StateView& state, const StateGroupView& group,
                           std::size_t name_columns);
// "414.1 MB unreachable in 802,000 objects, 1.7 MB unused in allocation buffers, 3.1 MB not read"
std::string unreached_sentence(const UnreachedView& unreached);
// "20,000 java.lang.ref.Finalizer wait in static java.lang.ref.Finalizer.queue; thread "Finalizer" is in Fin$Connection.finalize() ← ..."
std::string backlog_sentence(const BacklogView& backlog, std::size_t name_columns);
// "thread "Finalizer" is in Fin$Connection.finalize() ← java.lang.ref.Finalizer.runFinalizer()"; "no thread is seen that takes them out".
std::string drain_text(const BacklogView& backlog, std::size_t name_columns);
// Of the heap in use, what is not in the graph: garbage that the capture passed over, and room in allocation buffers. 0: not known.
std::uint64_t not_reached_bytes(const ReportView& view);
// What the heap in use is made of, so that it adds up: "1.8 MB held by 43,300 objects; 190.9 MB wait for finalizers; ..."
std::string accounted_text(const ReportView& view);

}  // namespace holdfast::cli
