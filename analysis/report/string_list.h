// The strings of one report, each once, in the order of first use.
// Why not the builder's shared strings: those live in a std::set on the heap.
// Shape:  views of text that outlives the report (catalog, record, findings), so nothing is copied; 16 B an entry + 8 B for the
//         hash table (load <= 1/2). Id 0 is "". Texts above kMaxReportNameBytes lose their middle: "front…end";
//         in a text that is no UTF-8 each foreign byte becomes '?'.
//         encoded_bytes() is what all of them take in the flatbuffer, offsets included.
// Zone:   worker.
// Errors: add() answers the id of "…" when the count or the byte limit is used up, and counts it in cut().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/arena.h"
#include "common/result.h"

namespace holdfast::analysis {

inline constexpr std::size_t kMaxReportNameBytes = 512;

class StringList {
 public:
  StringList() = default;
  static Result<StringList> make(Arena& arena, std::uint32_t capacity) noexcept;

  std::uint32_t add(std::string_view text) noexcept;
  // What further texts may take together with those that are there.
  void set_limit(std::uint64_t encoded_bytes) noexcept { limit_bytes_ = encoded_bytes; }
  std::uint32_t size() const noexcept { return size_; }
  std::uint64_t encoded_bytes() const noexcept { return encoded_bytes_; }
  std::uint32_t cut() const noexcept { return cut_; }
  // The text as it goes into the file; `buffer` takes a shortened one.
  std::string_view text(std::uint32_t id,
                        std::span<char, kMaxReportNameBytes> buffer) const noexcept;

 private:
  std::uint32_t append(std::string_view text, std::size_t slot) noexcept;
  std::uint32_t placeholder() noexcept;

  std::span<std::string_view> texts_;
  std::span<std::uint32_t> slots_;  // id + 1; 0 is free
  std::uint64_t encoded_bytes_ = 0;
  std::uint64_t limit_bytes_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t placeholder_ = 0;
  std::uint32_t cut_ = 0;
};

}  // namespace holdfast::analysis
