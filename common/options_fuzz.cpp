// Any text is either taken or answered with one line.
#include <cstdlib>
#include <cstring>

#include "common/options.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  holdfast::Options options;
  holdfast::OptionError error;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (holdfast::parse_options(text, options, error)) return 0;
  const std::size_t length = strnlen(error.text, sizeof error.text);
  if (length == 0 || length == sizeof error.text) std::abort();
  for (std::size_t i = 0; i < length; ++i)
    if (static_cast<unsigned char>(error.text[i]) < 0x20u) std::abort();
  return 0;
}
