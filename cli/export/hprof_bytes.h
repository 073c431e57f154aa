// Bytes of an HPROF dump on their way to the sink: big-endian numbers, records, heap segments.
// Shape:  a record's or segment's bytes are gathered before its length is written; large arrays are streamed, for which
//         open_long() is told their size beforehand. Memory: twice kSegmentBytes, or the largest instance.
// Zone:   offline.   Errors: those of the sink.
// Source: HPROF agent manual (hprof_b_spec.h of OpenJDK 8).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/import/hprof_format.h"
#include "cli/export/export_format.h"

namespace holdfast::cli {

class HprofBytes {
 public:
  static constexpr std::size_t kSegmentBytes = std::size_t{1} << 20;
  explicit HprofBytes(const Sink& sink) : sink_(sink) {}

  void u1(std::uint8_t value) { body_ += static_cast<char>(value); }
  void u2(std::uint16_t value) { number(value, 2); }
  void u4(std::uint32_t value) { number(value, 4); }
  void u8(std::uint64_t value) { number(value, 8); }
  void text(std::string_view value) { body_ += value; }
  void zeros(std::uint64_t count) {
    while (count > 0) {
      const std::uint64_t some = long_ ? std::min<std::uint64_t>(count, kSegmentBytes) : count;
      body_.append(some, '\0');
      count -= some;
      pass_on();
    }
  }

  // What was gathered, as it is.
  void flush() {
    sink_(body_);
    body_.clear();
  }
  // What was gathered, as the body of a record.
  void end_record(analysis::HprofTag tag) {
    write_head(tag, body_.size());
    flush();
  }
  // Behind each sub-record of the heap.
  void end_sub_record() {
    if (long_) flush();
    if (body_.size() >= kSegmentBytes) end_segment();
    long_ = false;
  }
  void end_segment() {
    if (!body_.empty()) end_record(analysis::HprofTag::kHeapDumpSegment);
  }
  // The sub-record that was begun since end_segment() has `count` more bytes: in a segment of its own.
  void open_long(std::uint64_t count) {
    write_head(analysis::HprofTag::kHeapDumpSegment, body_.size() + count);
    flush();
    long_ = true;
  }

 private:
  void number(std::uint64_t value, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
      body_ += static_cast<char>(value >> shift);
    pass_on();
  }
  void pass_on() {
    if (long_ && body_.size() >= kSegmentBytes) flush();
  }
  void write_head(analysis::HprofTag tag, std::uint64_t bytes) {
    std::string head(1, static_cast<char>(tag));
    head.append(4, '\0');  // microseconds since the header's time
    for (int shift = 24; shift >= 0; shift -= 8) head += static_cast<char>(bytes >> shift);
    sink_(head);
  }

  const Sink& sink_;
  std::string body_;
  bool long_ = false;  // the length is written, the bytes may go
};

}  // namespace holdfast::cli
