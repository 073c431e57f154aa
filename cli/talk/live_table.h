// One frame of `holdfast watch`: what the heap does, what watching costs, and the classes in columns.
// Shape:  six lines of head at most, one of headers, then rows, below them what piles up where ages are followed, who holds the classes that were asked about, and the accounts where the process has some; of `columns` columns and, on a terminal, `rows` lines, the last of which
//         names the keys. Changes have a sign.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>

#include "cli/talk/account_watch.h"
#include "cli/talk/holder_watch.h"
#include "cli/talk/watched_classes.h"
#include "common/ages/age_suspect.h"
#include "common/collection_figures.h"

namespace holdfast::cli {

// Who is watched, and since when.
struct WatchedProcess {
  std::string name;
  std::uint32_t pid = 0;
  std::string host;
  std::uint64_t uptime_ms = 0;  // at the first sample
};

// Everything that a frame shows beside the classes.
struct WatchState {
  WatchedProcess process;
  ClassHistogram last;  // without rows
  AccountWatch accounts;
  HolderWatch holders;
  AgeVerdict ages;
  CollectionFigures collections;
  CollectionFigures first_collections;  // at the first sample
  std::uint64_t left_out = 0;           // rows of the last sample for which there was no room here
  std::uint64_t first_utc_ms = 0;
  std::uint64_t interval_ns = 0;        // between the last two samples; 0 before the second
  std::uint64_t watching_pause_ns = 0;  // of all samples together
  std::uint64_t watching_cost_ns = 0;
};

struct FrameOptions {
  std::size_t columns = 80;
  std::size_t lines = 0;  // 0: as many as it takes
  bool colour = false;
  bool keys = false;  // name them
  bool paused = false;
  WatchOrder order = WatchOrder::kGrowth;
  std::string filter;
  std::size_t top = 0;  // 0: as many as there is room for, else kDefaultRows
};

inline constexpr std::size_t kDefaultRows = 20;

// Adds what a sample says to the state.
void note_sample(WatchState& state, const ClassHistogram& histogram,
                 const CollectionFigures& collections);
std::string frame_text(const WatchState& state, const WatchedClasses& classes,
                       const FrameOptions& options);
// A single histogram, without changes.
std::string histogram_text(const WatchState& state, const WatchedClasses& classes,
                           const FrameOptions& options);

}  // namespace holdfast::cli
