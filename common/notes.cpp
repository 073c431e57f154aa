#include "common/notes.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "common/utf8.h"

namespace holdfast {

namespace {

// A note that was cut must not end within a code point: it goes into a report.
void drop_partial_end(char* text) noexcept {
  const std::string_view all(text);
  std::size_t whole = 0;
  while (whole < all.size()) {
    const std::size_t step = utf8_step(all.substr(whole));
    if (step == 0 && all.size() - whole < 4)
      break;  // the cut one; other bad bytes are the writer's to replace
    whole += step == 0 ? 1 : step;
  }
  text[whole] = '\0';
}

}  // namespace

void Notes::add(const char* format, ...) noexcept {
  if (count_ == kMaxNotes) {
    ++dropped_;
    return;
  }
  char* const text = notes_[count_].text;
  va_list arguments;
  va_start(arguments, format);
  const int wanted = std::vsnprintf(text, Note::kMaxNoteBytes, format, arguments);
  va_end(arguments);
  if (wanted < 0) text[0] = '\0';
  if (wanted >= static_cast<int>(Note::kMaxNoteBytes)) drop_partial_end(text);
  ++count_;
}

}  // namespace holdfast
