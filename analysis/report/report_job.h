// The state of one report under construction: its inputs, its tables of strings, objects, loaders and threads, and the builder.
// Why: rows refer to each other by index, so whoever writes a row asks here for the index of what it names.
// Shape:  the builder works in one block of report_bound_bytes(); room() is asked before every row and counts what is still to
//         come for strings, objects and open lists, so that the builder never grows.
//         builder size + scratch + pending <= block size.
// Zone:   worker; arena only.
// Errors: write_rows() answers kOutOfBudget when the block has no room for a row (never at the limits, see report_bound.h).
#pragma once

#include <algorithm>
#include <optional>

#include "analysis/report/index_check.h"
#include "analysis/report/object_list.h"
#include "analysis/report/report_bound.h"
#include "analysis/report/report_generated.h"
#include "analysis/report/string_list.h"
#include "analysis/report/writer.h"
#include "common/one_block_allocator.h"

namespace holdfast::analysis {

template <class T>
using Offset = flatbuffers::Offset<T>;
template <class Row>
using RowList = flatbuffers::Vector<Offset<Row>>;
using IndexList = flatbuffers::Vector<std::uint32_t>;

class ReportJob {
 public:
  ReportJob(AnalysisInput& input, const Findings& found) noexcept
      : capture(input.capture),
        record(input.record),
        options(input.options),
        ledger(input.ledger),
        arena(input.arena),
        findings(found),
        snapshot(input.capture.snapshot),
        catalog(input.capture.snapshot.catalog) {}
  ReportJob(const ReportJob&) = delete;
  ReportJob& operator=(const ReportJob&) = delete;

  // Counts, then takes block and tables from the arena. `divisor` shrinks every limit.
  Result<void> open(std::size_t divisor) noexcept;

  // -- names and indices --
  std::uint32_t text(std::string_view value) noexcept { return strings.add(value); }
  std::uint32_t text(StringId id) noexcept { return text(catalog.strings.view(id)); }
  std::uint32_t class_name(ClassId id) noexcept;
  std::uint32_t loader_of(ClassId id) const noexcept;       // row or kNoRow
  std::uint32_t thread_row_of(ThreadId id) const noexcept;  // row or kNoRow
  std::uint32_t object(ObjectId id) noexcept;               // row or kNoRow for an invalid id
  ClassId class_of(ObjectId id) const noexcept { return snapshot.class_of[id.value]; }
  ClassId class_behind(ObjectId class_object) const noexcept;  // what a class object stands for
  std::uint64_t retained_bytes(ObjectId id) const noexcept;    // 0 when dominators were left out
  std::uint64_t retained_bytes(const RootRecord& root)
      const noexcept;  // 0 too when a root that lasts longer holds the object
  ReachableFigure reachable(ObjectId id) const noexcept;  // 0 where it is not known
  TrackedObject identity(ObjectId id) const noexcept;     // number 0: it has none
  ClassReach class_reach(std::size_t index) const noexcept;
  ClassFigures class_figures(
      std::size_t index) const noexcept;  // index class_count: objects of unknown class

  // -- the builder --
  flatbuffers::FlatBufferBuilder& builder() noexcept { return *builder_; }
  bool room(std::size_t bytes) const noexcept { return bytes <= bytes_left(); }
  std::size_t bytes_left() const noexcept {
    const std::uint64_t taken =
        builder_->GetSize() + pending_bytes() + kReserveBytes + kReportHeaderBytes;
    return block_.size() - static_cast<std::size_t>(std::min<std::uint64_t>(taken, block_.size()));
  }
  std::span<std::byte> block() const noexcept { return block_; }
  void open_list(std::size_t bytes) noexcept { open_list_bytes_ += bytes; }
  void close_list(std::size_t bytes) noexcept { open_list_bytes_ -= bytes; }
  void object_written() noexcept { ++objects_written_; }  // its room is no longer pending

  const Capture& capture;
  DumpRecord& record;
  const Options& options;
  const Ledger& ledger;
  Arena& arena;
  const Findings& findings;
  const Snapshot& snapshot;
  const Catalog& catalog;

  ReportCounts counts;
  StringList strings;
  ObjectList objects;
  std::span<std::uint32_t> loader_rows;   // [loader count] row or kNoRow
  std::span<std::uint32_t> thread_rows;   // [thread count] row or kNoRow
  std::span<std::uint32_t> thread_order;  // listed threads by row
  std::uint32_t classes_total = 0;        // that have objects

 private:
  std::uint64_t pending_bytes() const noexcept {
    return strings.encoded_bytes() + (objects.all().size() - objects_written_) * kObjectRowBytes +
           open_list_bytes_;
  }
  void count(std::size_t divisor) noexcept;
  Result<void> index_mirrors() noexcept;

  std::span<std::byte> block_;
  std::optional<OneBlockAllocator> allocator_;
  std::optional<flatbuffers::FlatBufferBuilder> builder_;
  std::size_t open_list_bytes_ = 0;
  std::size_t objects_written_ = 0;
  std::span<std::uint32_t> class_by_mirror_;  // class ids that have a mirror, by mirror
};

// Writes one list: `make(i)` writes row i and answers its offset.
template <class Row, class Make>
Result<Offset<RowList<Row>>> write_rows(ReportJob& job, std::size_t count, std::size_t bytes_each,
                                        Make make) noexcept {
  HF_TRY(offsets, job.arena.make<Offset<Row>>(count));
  const std::size_t list_bytes = count * sizeof(Offset<Row>) + kListBytes;
  job.open_list(list_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    if (!job.room(bytes_each))
      return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(bytes_each));
    const Result<Offset<Row>> row = make(i);
    if (!row) return row.error();
    offsets[i] = *row;
  }
  job.close_list(list_bytes);
  return job.builder().CreateVector(offsets.data(), count);
}

// Writes a list of indices or string ids.
Result<Offset<IndexList>> write_indices(ReportJob& job,
                                        std::span<const std::uint32_t> indices) noexcept;

// Bytes of the file that chars of a fixed, NUL-terminated array make.
template <std::size_t N>
std::string_view fixed_text(const char (&text)[N]) noexcept {
  const char* end = std::find(text, text + N, '\0');
  return {text, static_cast<std::size_t>(end - text)};
}

}  // namespace holdfast::analysis
