// Sentences for the report about what was decided, stepped down, left out or dropped, and why.
// Shape:  at most kMaxNotes of at most kMaxNoteBytes bytes; further ones are counted.
// Zone:   capture, worker.   Errors: none; an overlong note is cut.
#pragma once

#include <cstdint>
#include <span>

namespace holdfast {

struct Note {
  static constexpr std::size_t kMaxNoteBytes = 240;
  char text[kMaxNoteBytes] = "";
};

class Notes {
 public:
  static constexpr std::size_t kMaxNotes = 32;
  void add(const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));
  std::span<const Note> all() const noexcept { return {notes_, count_}; }
  std::uint32_t dropped() const noexcept { return dropped_; }
  void clear() noexcept { count_ = dropped_ = 0; }

 private:
  Note notes_[kMaxNotes];
  std::uint32_t count_ = 0;
  std::uint32_t dropped_ = 0;
};

}  // namespace holdfast
