#include "common/notes.h"

#include <cstdarg>
#include <cstdio>

namespace holdfast {

void Notes::add(const char* format, ...) noexcept {
  if (count_ == kMaxNotes) {
    ++dropped_;
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(notes_[count_].text, Note::kMaxNoteBytes, format, arguments);
  va_end(arguments);
  ++count_;
}

}  // namespace holdfast
