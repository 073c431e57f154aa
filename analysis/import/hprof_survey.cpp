#include "analysis/import/hprof_survey.h"

#include <algorithm>

#include "common/snapshot/snapshot.h"
#include "platforms/file.h"

namespace holdfast::analysis {
namespace {

constexpr std::uint64_t kProgressBytes = std::uint64_t{16} << 20;
constexpr const char* kSurveyPass = "reading records";

const HprofName* find_name(std::span<const HprofName> names, std::uint64_t id) noexcept {
  const auto at = std::ranges::lower_bound(names, id, {}, &HprofName::id);
  return at != names.end() && at->id == id ? &*at : nullptr;
}

}  // namespace

class SurveyVisitor {
 public:
  SurveyVisitor(HprofSurvey& survey, const ImportProgress& progress)
      : s_(survey), progress_(progress) {}

  // -- top level --
  void record(HprofTag tag, std::uint64_t body, std::uint64_t bytes) {
    const unsigned id = s_.header.id_bytes;
    const std::byte* const at = &s_.file_[body];
    if (tag == HprofTag::kUtf8 && bytes >= id) s_.names_.push({load_id(at, id), body});
    if (tag == HprofTag::kLoadClass && bytes >= 8 + 2 * id)
      s_.loaded_.push({load_id(at + 4, id), body});
    if (tag == HprofTag::kFrame && bytes >= 4 * id + 8) s_.frames_.push({load_id(at, id), body});
    if (tag == HprofTag::kTrace && bytes >= 12) trace(body, bytes);
    if (tag == HprofTag::kHeapDumpEnd) end_missing_ = false;
    tell(body);
  }
  void segment(HeapSegment segment) {
    s_.segments.push(segment);
    const auto tag =
        std::to_integer<std::uint8_t>(s_.file_[segment.begin - kHprofRecordHeaderBytes]);
    end_missing_ = tag == static_cast<std::uint8_t>(HprofTag::kHeapDumpSegment);
    walk_segment(s_.file_, segment.begin, segment.end, s_.header.id_bytes, *this);
  }
  void cut(std::uint64_t at, std::uint64_t missing) {
    s_.losses.cut = true;
    s_.losses.cut_offset = at;
    s_.losses.cut_missing_bytes = missing;
    if (bad_at_file_end_ == 0) return;
    s_.losses.cut_offset =
        bad_at_file_end_;  // the sub-record that the cut went through is no second damage
    s_.losses.bad_segment_bytes -= s_.file_.size() - bad_at_file_end_;
    if (--s_.losses.bad_segments == 0) s_.losses.first_bad_offset = 0;
  }

  // Segments are followed by a record that ends them: without it more of them, and of the objects, are missing.
  void file_end() {
    if (!end_missing_ || s_.losses.cut) return;
    s_.losses.cut = true;
    s_.losses.cut_offset = s_.file_.size();
    s_.losses.cut_missing_bytes = kHprofRecordHeaderBytes;
  }

  // -- heap dumps --
  bool more(std::uint64_t at) {
    if (at >= next_tell_) tell(at);
    return true;
  }
  void bad_segment(std::uint64_t at, const char*) {
    const std::uint64_t end = s_.segments[s_.segments.size() - 1].end;
    if (s_.losses.bad_segments++ == 0) s_.losses.first_bad_offset = at;
    s_.losses.bad_segment_bytes += end - at;
    if (end == s_.file_.size()) bad_at_file_end_ = at;
  }
  void root(const HprofRoot& root) {
    if (root.tag == HeapTag::kUnreachable) return;  // Android's list of what is not held
    s_.roots.push(root);
  }
  void instance(std::uint64_t at, std::uint64_t id, std::uint64_t, const std::byte*,
                std::uint32_t bytes) {
    s_.reference_bound += bytes / s_.header.id_bytes;
    object(at, id);
  }
  void object_array(std::uint64_t at, std::uint64_t id, std::uint64_t, const std::byte*,
                    std::uint32_t count) {
    s_.reference_bound += count;
    // MAT's rule: an array inside the room that the one before would take with 8-byte references.
    if (id > last_array_ && id < last_array_ + 16 + 8 * std::uint64_t{last_array_count_} &&
        last_array_ != 0)
      s_.wide_references_impossible = true;
    last_array_ = id;
    last_array_count_ = count;
    object(at, id);
  }
  void primitive_array(std::uint64_t at, std::uint64_t id, std::uint8_t, std::uint32_t) {
    object(at, id);
  }
  void class_dump(std::uint64_t at, const ClassDump& dump) {
    s_.classes.push({at, s_.object_count()});
    s_.static_count += dump.static_count;
    s_.field_count += dump.field_count;
    s_.reference_bound += std::uint64_t{dump.static_count} + dump.constant_count + kOwnReferences;
    object(at, dump.id);
  }

 private:
  static constexpr unsigned kOwnReferences = 4;  // superclass, loader, signers, protection domain

  void object(std::uint64_t at, std::uint64_t id) {
    const std::uint32_t number = s_.object_count();
    if (number == kMaxObjects)
      throw ImportFailure(ErrorCode::kTooMany, at, "more than 2,147,483,632 objects");
    if (number % HprofSurvey::kSampleEvery == 0)
      s_.samples_.push({at, static_cast<std::uint32_t>(s_.segments.size() - 1), number});
    s_.ids.push(id);
    ++s_.object_count_;
  }
  void trace(std::uint64_t body, std::uint64_t bytes) {
    HprofCursor c(s_.file_, body, body + bytes, s_.header.id_bytes);
    const std::uint32_t serial = c.u4();
    c.skip(4);  // the thread's serial
    const std::uint64_t room = (bytes - 12) / s_.header.id_bytes;
    s_.traces_.push(
        {serial, static_cast<std::uint32_t>(std::min<std::uint64_t>(c.u4(), room)), body});
  }
  void tell(std::uint64_t at) {
    if (at < next_tell_) return;
    next_tell_ = at + kProgressBytes;
    if (s_.mapped) platforms::drop_mapped_pages(s_.file_.data() + dropped_, at - dropped_);
    dropped_ = at;
    if (progress_ && !progress_(kSurveyPass, at, s_.object_count()))
      throw ImportFailure(ErrorCode::kCancelled, at, "cancelled");
  }

  HprofSurvey& s_;
  const ImportProgress& progress_;
  std::uint64_t next_tell_ = 0, dropped_ = 0;
  std::uint64_t bad_at_file_end_ = 0;
  bool end_missing_ = false;
  std::uint64_t last_array_ = 0;
  std::uint32_t last_array_count_ = 0;
};

HprofSurvey::HprofSurvey(std::span<const std::byte> file, Ledger& ledger,
                         const ImportProgress& progress, bool mapped_file)
    : header(read_hprof_header(file)), mapped(mapped_file), file_(file) {
  constexpr MemoryCategory kFor = MemoryCategory::kCapture;
  const std::uint64_t id = header.id_bytes;
  const std::uint64_t bytes = file.size();
  ids = {bytes / (1 + id + 4 + 4 + 1) + 1, ledger,
         kFor};  // an empty primitive array is the smallest object
  classes = {bytes / (7 * id + 14) + 1, ledger, kFor};
  roots = {bytes / (1 + id) + 1, ledger, kFor};
  segments = {bytes / 9 + 1, ledger, kFor};
  names_ = {bytes / (9 + id) + 1, ledger, kFor};
  loaded_ = {bytes / (9 + 8 + 2 * id) + 1, ledger, kFor};
  frames_ = {bytes / (9 + 8 + 4 * id) + 1, ledger, kFor};
  traces_ = {bytes / (9 + 12) + 1, ledger, kFor};
  samples_ = {bytes / (kSampleEvery * (10 + id)) + 2, ledger, kFor};
  SurveyVisitor visitor(*this, progress);
  walk_records(file_, header, visitor);
  visitor.file_end();
  if (object_count_ == 0)
    throw ImportFailure(ErrorCode::kDamaged,
                        losses.cut ? losses.cut_offset : losses.first_bad_offset,
                        "there is no object in this dump");
  sort_names();
}

void HprofSurvey::sort_names() {
  std::ranges::stable_sort(names_.span(), {}, &HprofName::id);
  std::ranges::stable_sort(loaded_.span(), {}, &HprofName::id);
  std::ranges::stable_sort(frames_.span(), {}, &HprofName::id);
  std::ranges::stable_sort(traces_.span(), {}, &HprofTrace::serial);
}

HprofPlace HprofSurvey::place_before(std::uint32_t object) const noexcept {
  return object >= object_count() ? end_place() : samples_[object / kSampleEvery];
}

ClassDump HprofSurvey::class_dump(std::size_t i) const noexcept {
  ClassDump dump;
  HprofCursor cursor(file_, classes[i].at + 1, file_.size(), header.id_bytes);
  read_class_dump(cursor, dump);  // it fitted before
  return dump;
}

std::string_view HprofSurvey::text(std::uint64_t name_id) const noexcept {
  const HprofName* const name = find_name(names_.span(), name_id);
  if (name == nullptr) return {};
  const std::uint32_t bytes = load_big_endian<std::uint32_t>(&file_[name->body - 4]);
  return {reinterpret_cast<const char*>(&file_[name->body]) + header.id_bytes,
          bytes - header.id_bytes};
}

const std::byte* HprofSurvey::loaded_class(std::uint64_t class_id) const noexcept {
  const HprofName* const found = find_name(loaded_.span(), class_id);
  return found == nullptr ? nullptr : &file_[found->body];
}

const std::byte* HprofSurvey::frame(std::uint64_t frame_id) const noexcept {
  const HprofName* const found = find_name(frames_.span(), frame_id);
  return found == nullptr ? nullptr : &file_[found->body];
}

const HprofTrace* HprofSurvey::trace(std::uint32_t serial) const noexcept {
  const std::span<const HprofTrace> traces = traces_.span();
  const auto at = std::ranges::lower_bound(traces, serial, {}, &HprofTrace::serial);
  return at != traces.end() && at->serial == serial ? &*at : nullptr;
}

}  // namespace holdfast::analysis
