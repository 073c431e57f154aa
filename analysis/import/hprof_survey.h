// The first look at an HPROF file: how much of everything there is, where it lies, and what the file has lost.
// Why first: identifiers can only be resolved once all of them are known, and every array is made in its exact size.
// Shape:  one pass over all headers. 8 B an object (its identifier), 16 B a name, 16 B a class, 24 B a root, 32 B a segment,
//         16 B per kSampleEvery objects (where to start reading from the middle).
// Zone:   offline.   Errors: ImportFailure (kDamaged when there is no object before the damage, and the memory ones).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/import/growing_array.h"
#include "analysis/import/hprof_walk.h"

namespace holdfast::analysis {

// Told now and then while a dump is read: bytes of the file done in this pass; a false answer cancels the import.
using ImportProgress =
    std::function<bool(const char* pass, std::uint64_t done_bytes, std::uint64_t objects)>;

// What a file lacks or has wrong. Nothing is dropped without a count here.
struct HprofLosses {
  bool cut = false;
  std::uint64_t cut_offset = 0;
  std::uint64_t cut_missing_bytes = 0;  // that the last record announced and the file has not
  std::uint64_t bad_segments = 0;
  std::uint64_t first_bad_offset = 0;   // of the sub-record that does not fit
  std::uint64_t bad_segment_bytes = 0;  // behind such sub-records
  std::uint64_t repeated_objects = 0;
  std::uint64_t without_class = 0;       // objects whose class is not in the dump
  std::uint64_t unknown_references = 0;  // identifiers that the dump does not contain
  std::uint64_t dropped_roots = 0;
  std::uint64_t class_cycles = 0;  // superclass links that were cut
};

struct HprofName {  // a UTF8, LOAD_CLASS or FRAME record
  std::uint64_t id = 0;
  std::uint64_t body = 0;  // its offset
};
struct HprofTrace {
  std::uint32_t serial = 0;
  std::uint32_t frames = 0;
  std::uint64_t body = 0;
};
struct HprofClass {
  std::uint64_t at = 0;  // offset of the sub-record
  std::uint32_t object = 0;
};
// Where object `object` begins.
struct HprofPlace {
  std::uint64_t at = 0;
  std::uint32_t segment = 0;
  std::uint32_t object = 0;
};

class HprofSurvey {
 public:
  static constexpr std::uint32_t kSampleEvery = 4096;

  // `mapped`: pages that have been read may be dropped; of other memory that would be the end.
  HprofSurvey(std::span<const std::byte> file, Ledger& ledger, const ImportProgress& progress,
              bool mapped = false);

  std::span<const std::byte> file() const noexcept { return file_; }
  std::uint32_t object_count() const noexcept { return object_count_; }
  // The last place at or before `object`; the walk from there meets it within kSampleEvery objects.
  HprofPlace place_before(std::uint32_t object) const noexcept;
  HprofPlace end_place() const noexcept {
    return {0, static_cast<std::uint32_t>(segments.size()), object_count()};
  }
  // Reads the class dump of classes[i] again.
  ClassDump class_dump(std::size_t i) const noexcept;
  // The text of a UTF8 record, "" when there is none.
  std::string_view text(std::uint64_t name_id) const noexcept;
  // The body of the record with this id or serial, nullptr when there is none.
  const std::byte* loaded_class(std::uint64_t class_id) const noexcept;
  const std::byte* frame(std::uint64_t frame_id) const noexcept;
  const HprofTrace* trace(std::uint32_t serial) const noexcept;

  HprofHeader header;
  GrowingArray<std::uint64_t>
      ids;  // [objects] in file order, class objects included; may be moved away
  GrowingArray<HprofClass> classes;
  GrowingArray<HprofRoot> roots;
  GrowingArray<HeapSegment> segments;
  HprofLosses losses;
  const bool mapped;
  std::uint64_t static_count = 0, field_count = 0;  // of all class dumps
  std::uint64_t reference_bound = 0;                // no more references can be stored
  bool wide_references_impossible =
      false;  // two object arrays lie closer than 8-byte references allow

 private:
  friend class SurveyVisitor;
  void sort_names();

  std::span<const std::byte> file_;
  std::uint32_t object_count_ = 0;
  GrowingArray<HprofName> names_, loaded_, frames_;
  GrowingArray<HprofTrace> traces_;
  GrowingArray<HprofPlace> samples_;
};

}  // namespace holdfast::analysis
