#include "analysis/import/loss_sentence.h"

#include <cstdarg>
#include <cstdio>

#include "common/notes.h"

namespace holdfast::analysis {

std::string loss_sentence(const char* format, ...) {
  char text[Note::kMaxNoteBytes];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

}  // namespace holdfast::analysis
