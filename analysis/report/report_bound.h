// How many bytes a report may take: counted from its lists before the builder gets its block.
// Why: the builder must never grow, and the file must stay under kMaxReportBytes for any heap.
// Shape:  bound = header + root + sum over lists of count * row bound + text budget, at most kMaxReportBytes. A row bound is its
//         fields + vtable word + padding + a vtable of its own (only rows with new combinations of defaults need one) + its
//         offset in the list. If the cap bites, classes go first: they are written last, into what is left. Accounts come
//         before them and take at most half of what is left then; then ages, half of what is left after those; then who holds what, an
//         eighth at most.
//         At the limits everything but classes, accounts, ages and their names takes at most kMaxReportFixedBytes
//         (checked at compile time, report_job.cpp).
// Zone:   any.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/report/file_header.h"
#include "analysis/report/string_list.h"
#include "common/ages/object_age.h"

namespace holdfast::analysis {

// Upper bound for a table of so many 8-, 4-, 2- and 1-byte fields.
constexpr std::size_t row_bytes(std::size_t eights, std::size_t fours, std::size_t twos,
                                std::size_t ones) noexcept {
  constexpr std::size_t kVtableWord = 4, kPadding = 7 + 3, kScratch = 4, kOffsetInList = 4;
  const std::size_t vtable = 4 + 2 * (eights + fours + twos + ones);
  return 8 * eights + 4 * fours + 2 * twos + ones + kVtableWord + kPadding + vtable + kScratch +
         kOffsetInList;
}

inline constexpr std::size_t kListBytes = 16;  // length word and padding of one list

inline constexpr std::size_t kOriginBytes = row_bytes(3, 10, 0, 0);
inline constexpr std::size_t kOptionBytes = row_bytes(0, 2, 0, 0);
inline constexpr std::size_t kCaptureFactsBytes = row_bytes(14, 4, 0, 1);
inline constexpr std::size_t kLedgerRowBytes = row_bytes(1, 1, 0, 0);
inline constexpr std::size_t kMemoryFactsBytes = row_bytes(4, 1, 0, 0);
inline constexpr std::size_t kPassRowBytes = row_bytes(3, 2, 0, 0);
inline constexpr std::size_t kClassRowBytes = row_bytes(7, 2, 0, 2);
inline constexpr std::size_t kLoaderRowBytes = row_bytes(3, 2, 0, 1);
inline constexpr std::size_t kPackageRowBytes = row_bytes(3, 2, 0, 0);
inline constexpr std::size_t kThreadRowBytes = row_bytes(1, 3, 0, 1);
inline constexpr std::size_t kFrameRowBytes = row_bytes(1, 4, 1, 0);
inline constexpr std::size_t kObjectRowBytes = row_bytes(3, 3, 0, 1);
inline constexpr std::size_t kPathStepBytes = row_bytes(0, 4, 0, 2);
inline constexpr std::size_t kRootPathBytes = row_bytes(0, 7, 2, 2);
inline constexpr std::size_t kTreeNodeBytes = row_bytes(6, 3, 0, 0);
inline constexpr std::size_t kGroupLevelBytes = row_bytes(3, 1, 0, 1);
inline constexpr std::size_t kSuspectBytes = row_bytes(4, 11, 0, 2);
inline constexpr std::size_t kRootKindRowBytes = row_bytes(3, 0, 0, 1);
inline constexpr std::size_t kStrengthRowBytes = row_bytes(2, 0, 0, 1);
inline constexpr std::size_t kGraphFactsBytes = row_bytes(6, 5, 0, 0);
inline constexpr std::size_t kDifferenceRowBytes = row_bytes(2, 0, 0, 0);
inline constexpr std::size_t kReachableFactsBytes = row_bytes(3, 5, 0, 1);
inline constexpr std::size_t kImportantRowBytes = row_bytes(0, 3, 0, 1);
inline constexpr std::size_t kCutRowBytes = row_bytes(2, 4, 0, 1);
inline constexpr std::size_t kCutFactsBytes = row_bytes(0, 12, 0, 0);
inline constexpr std::size_t kAccountRowBytes = row_bytes(15, 6, 0, 0);
inline constexpr std::size_t kAccountFactsBytes = row_bytes(16, 15, 0, 6);
inline constexpr std::size_t kAgeFactsBytes = row_bytes(0, 5, 0, 1);
inline constexpr std::size_t kAgingSuspectBytes = row_bytes(6, 6, 0, 0);
inline constexpr std::size_t kAgingFactsBytes = row_bytes(5, 5, 0, 1);
inline constexpr std::size_t kCollectionFactsBytes = row_bytes(17, 0, 0, 0);
inline constexpr std::size_t kTrackedRowBytes = row_bytes(1, 3, 0, 0);
inline constexpr std::size_t kTrackFactsBytes = row_bytes(1, 5, 0, 0) + kListBytes;
inline constexpr std::size_t kHolderRowBytes = row_bytes(1, 4, 0, 3);
inline constexpr std::size_t kHolderClassRowBytes = row_bytes(4, 4, 0, 0);
inline constexpr std::size_t kHolderFactsBytes = row_bytes(0, 1, 0, 0);
inline constexpr std::size_t kStateClassRowBytes = row_bytes(3, 2, 0, 1);
inline constexpr std::size_t kStateGroupRowBytes = row_bytes(3, 4, 0, 1);
inline constexpr std::size_t kStateRowBytes = row_bytes(2, 3, 0, 2);
inline constexpr std::size_t kBacklogRowBytes = row_bytes(3, 6, 0, 3);
inline constexpr std::size_t kStateFactsBytes = row_bytes(0, 3, 0, 0);
inline constexpr std::size_t kUnreachedFactsBytes = row_bytes(4, 2, 0, 0) + kListBytes;
inline constexpr std::size_t kReportTableBytes = row_bytes(0, 36, 0, 1);
inline constexpr std::size_t kIndexBytes = 4;
// Root offset, identifier, scratch for the fields of one open table, final padding, list heads of the root.
inline constexpr std::size_t kReserveBytes = kReportTableBytes + 32 * 8 + 20 * kListBytes + 256;

inline constexpr std::size_t kMaxReportBytes = 2'000'000;  // the whole file
inline constexpr std::size_t kMaxReportTextBytes = 700'000;
inline constexpr std::size_t kMaxFixedTextBytes = 500'000;  // of that, for everything but classes
inline constexpr std::uint32_t kMaxReportStrings = 16'000;
inline constexpr std::size_t kMaxReportOptions = 64;

// Elements of each list of one report, already cut to the limits.
struct ReportCounts {
  std::size_t options = 0, passes = 0, notes = 0;
  std::size_t classes = 0, loaders = 0, packages = 0, threads = 0, frames = 0;
  std::size_t tree = 0, top_objects = 0, suspects = 0, levels = 0, evidence = 0;
  std::size_t hidden = 0, most_references = 0, most_referrers = 0, cuts = 0;
  std::size_t paths = 0, steps = 0, objects = 0;
  std::size_t tracked = 0;
  std::size_t account_rows = 0;  // of all five lists
  std::size_t aged_classes = 0, age_ranges = 0;
  std::size_t holder_classes = 0, holder_places = 0;
  std::size_t divisor = 1;  // of the limits
  std::size_t states = 0, state_classes = 0, state_groups = 0, backlogs = 0, backlog_frames = 0;
  bool aging = false;
  std::size_t aging_suspects = 0, aging_classes = 0;
};

// With its two lists.
constexpr std::size_t aging_row_bytes() noexcept {
  constexpr std::size_t kLengthBytes = 8;  // and padding
  return row_bytes(10, 8, 0, 0) + 2 * (kLengthBytes + kAgeDoublings * sizeof(std::uint64_t));
}

// With its two lists.
constexpr std::size_t age_row_bytes(std::size_t ranges) noexcept {
  constexpr std::size_t kLengthBytes = 8;  // and padding
  return row_bytes(0, 5, 0, 0) + 2 * (kLengthBytes + ranges * sizeof(std::uint64_t));
}

constexpr std::size_t string_bound(const ReportCounts& c) noexcept {
  const std::size_t names =
      16 + 2 * c.options + 2 * c.passes + c.notes + 8 + c.classes + c.loaders + c.packages +
      c.threads + 2 * c.frames + c.tree + 3 * c.suspects + c.levels + c.evidence + 2 * c.paths +
      2 * c.steps + 2 * c.objects + 2 * c.account_rows + c.aged_classes + c.aging_suspects +
      c.aging_classes + c.holder_classes + 2 * c.holder_places + c.state_classes +
      10 * c.state_groups + 5 * c.backlogs + 2 * c.backlog_frames;
  return names < kMaxReportStrings ? names : kMaxReportStrings;
}

// Everything but classes, accounts, ages and text.
constexpr std::size_t fixed_row_bytes(const ReportCounts& c) noexcept {
  const std::size_t facts = kOriginBytes + kCaptureFactsBytes + kMemoryFactsBytes +
                            kGraphFactsBytes + kCollectionFactsBytes + kTrackFactsBytes +
                            8 * kLedgerRowBytes + 8 * kStrengthRowBytes + 16 * kRootKindRowBytes +
                            c.options * kOptionBytes + c.passes * kPassRowBytes +
                            c.notes * kIndexBytes + kReserveBytes;
  const std::size_t sets = (c.loaders + 1) * kLoaderRowBytes + (c.packages + 1) * kPackageRowBytes +
                           c.threads * (kThreadRowBytes + kListBytes) + c.frames * kFrameRowBytes;
  const std::size_t finds = c.tree * kTreeNodeBytes + c.top_objects * kIndexBytes +
                            c.suspects * (kSuspectBytes + 3 * kListBytes) +
                            c.levels * kGroupLevelBytes + c.evidence * kIndexBytes;
  const std::size_t shape = kReachableFactsBytes + 10 * kDifferenceRowBytes +
                            c.hidden * kIndexBytes + kCutFactsBytes + 5 * kListBytes +
                            (c.most_references + c.most_referrers) * kImportantRowBytes +
                            c.cuts * kCutRowBytes;
  const std::size_t paths = c.paths * (kRootPathBytes + kListBytes) + c.steps * kPathStepBytes +
                            c.objects * kObjectRowBytes + c.tracked * kTrackedRowBytes;
  const std::size_t states =
      kStateFactsBytes + kUnreachedFactsBytes + 2 * kListBytes +
      c.states * (kStateRowBytes + 2 * kListBytes) + c.state_classes * kStateClassRowBytes +
      c.state_groups * (kStateGroupRowBytes + kListBytes + 8 * kIndexBytes) +
      c.backlogs * (kBacklogRowBytes + kListBytes) + c.backlog_frames * kFrameRowBytes;
  return kReportHeaderBytes + facts + sets + finds + shape + paths + states;
}

// Accounts, where there are any: the facts, the two sums of what is not listed, five lists.
constexpr std::size_t account_bytes(const ReportCounts& c) noexcept {
  if (c.account_rows == 0) return 0;
  return kAccountFactsBytes + (c.account_rows + 2) * kAccountRowBytes + 6 * kListBytes;
}

// Ages, where they are told: the facts, two sums, two lists.
constexpr std::size_t age_bytes(const ReportCounts& c) noexcept {
  if (c.age_ranges == 0) return 0;
  return kAgeFactsBytes + (c.aged_classes + 2) * age_row_bytes(c.age_ranges) +
         c.age_ranges * kIndexBytes + 2 * kListBytes;
}

// Who holds instances, where it is told.
constexpr std::size_t holder_bytes(const ReportCounts& c) noexcept {
  if (c.holder_classes == 0) return 0;
  return kHolderFactsBytes + c.holder_classes * (kHolderClassRowBytes + kListBytes) +
         c.holder_places * kHolderRowBytes + kListBytes;
}

// What grows old, where ages are followed.
constexpr std::size_t aging_bytes(const ReportCounts& c) noexcept {
  if (!c.aging) return 0;
  return kAgingFactsBytes + c.aging_suspects * kAgingSuspectBytes +
         c.aging_classes * aging_row_bytes() + 2 * kListBytes;
}

constexpr std::size_t report_bound_bytes(const ReportCounts& c) noexcept {
  const std::size_t longest = string_bound(c) * (kMaxReportNameBytes + 12);
  const std::size_t text = longest < kMaxReportTextBytes ? longest : kMaxReportTextBytes;
  const std::size_t bound = fixed_row_bytes(c) + account_bytes(c) + age_bytes(c) + aging_bytes(c) +
                            holder_bytes(c) + (c.classes + 1) * kClassRowBytes + text;
  return (bound < kMaxReportBytes ? bound : kMaxReportBytes) / 8 * 8;
}

}  // namespace holdfast::analysis
