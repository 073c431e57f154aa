// What a dump's child and its parent tell each other: one stretch of shared memory, made at load.
// Why not a pipe: names of methods go to the child and the result comes back, and the parent looks every millisecond anyway; so
//      there is no descriptor to keep, no write that could wait, and a dead child leaves what it had got to.
// Shape:  plain values; each direction has one atomic word that says how far the other may read. A child may be killed at any
//         moment or run wild: the parent takes a value only behind a word that says so, and checks what it takes.
// Zone:   child (writes the upper half, reads the lower), capture (the other way round).   Errors: none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/error.h"
#include "common/options.h"
#include "common/vm_adapter.h"

namespace holdfast {

enum class ChildPhase : std::uint32_t {
  kBorn,
  kReading,     // the heap's memory
  kReleased,    // the heap is unmapped: no more copy-on-write
  kAnalysing,   // passes and report
  kPublishing,  // the basic report gets its name now: it is there, or is not
  kPublished,   // the basic report is on disk, the full one to come
  kEnded,       // result is there
};

// What the child came to. `ok`: a report is on disk, the full one where it is complete.
struct ChildResult {
  bool ok = false;
  bool complete = true;   // else `error` says why the basic report was not replaced
  bool captured = false;  // there was a graph; what failed afterwards another rung would not mend
  Error error{};
  std::uint32_t sequence = 0;
  std::uint64_t report_bytes = 0;
  std::uint64_t objects = 0;
  std::uint64_t references = 0;
  std::uint64_t peak_bytes = 0;  // of our ledger, in the child
  char report_path[kMaxOptionText * 2] = "";
};

// How an analysis goes, written while it does: in a child's mailbox, or in the engine for a thread.
struct AnalysisNews {
  std::atomic<std::uint64_t> objects{0}, references{0}, began_utc_ms{0};
  std::atomic<std::uint64_t> expected_basic_ns{0};
  std::atomic<std::uint64_t> expected_ns{0};             // written last
  std::atomic<bool> basic_is_there{false}, over{false};  // of a thread; a child has its phase
};

struct ChildMailbox {
  static constexpr std::size_t kTextBytes = std::size_t{448} << 10;

  // -- the child tells --
  std::atomic<ChildPhase> phase{ChildPhase::kBorn};
  ChildResult published;  // behind kPublishing: the outcome if the child gets no further
  ChildResult result;     // behind kEnded
  AnalysisNews news;
  std::uint32_t named_bytes =
      0;  // behind kEnded: of text, what the child tells of objects that it named (track=)
  // -- the parent tells --
  std::atomic<std::int64_t> child{0};  // its number, as soon as it is made
  std::atomic<std::uint32_t> facts_ready{0};
  PauseFigures facts;
  // The child needs nothing more of its parent, which may end at any moment: the report is finished all the same.
  std::atomic<bool> may_outlive{false};
  std::uint32_t text_bytes = 0;  // of names, as the adapter packs them
  char text[kTextBytes];         // once the child has read the names, it is the child's
  // -- both tell, by turns: pieces of messages (child_channel.h), in a `text` that no names wait in --
  std::atomic<std::uint32_t> pieces_sent{0};
  std::atomic<std::uint32_t> pieces_taken{0};  // the text is free again
  std::uint64_t message_bytes = 0;             // of the message that the piece belongs to
  // -- the watcher tells --
  std::atomic<bool> gone{false};  // the child is reaped; what it told before can be read
};

}  // namespace holdfast
