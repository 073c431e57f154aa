#include "tests/driver/jvmpi_host/knobs.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace holdfast::jvmpi_host {

namespace {

[[noreturn]] void unknown(const std::string& word) {
  std::fprintf(stderr, "jvmpi_host: HF_JVMPI_HOST has \"%s\"\n", word.c_str());
  std::exit(2);
}

bool set_switch(Knobs& all, const std::string& word) {
  bool* const found = word == "twice"               ? &all.twice
                      : word == "garbage-length"    ? &all.garbage_length
                      : word == "unwritten-tails"   ? &all.unwritten_tails
                      : word == "primitive-classes" ? &all.primitive_classes
                      : word == "garbage"           ? &all.garbage
                      : word == "trace"             ? &all.trace
                                                    : nullptr;
  if (found != nullptr) *found = true;
  return found != nullptr;
}

bool set_value(Knobs& all, const std::string& key, const std::string& value) {
  std::string* const found = key == "refuse-level"     ? &all.refused_levels
                             : key == "no-event-level" ? &all.levels_without_event
                             : key == "fail-class"     ? &all.failing_class
                             : key == "unlisted"       ? &all.unlisted_class
                                                       : nullptr;
  if (found != nullptr) *found = value;
  if (found != nullptr) return true;
  all.array_class_is_its_own = value == "array";
  return key == "array-class" && (value == "array" || value == "element");
}

Knobs read() {
  Knobs all;
  const char* const text = std::getenv("HF_JVMPI_HOST");
  std::istringstream words(text != nullptr ? text : "");
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    const bool known = equals == std::string::npos
                           ? word.empty() || set_switch(all, word)
                           : set_value(all, word.substr(0, equals), word.substr(equals + 1));
    if (!known) unknown(word);
  }
  return all;
}

}  // namespace

const Knobs& knobs() {
  static const Knobs& all = *new Knobs(read());  // threads outlive exit()
  return all;
}

}  // namespace holdfast::jvmpi_host
