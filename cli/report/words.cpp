#include "cli/report/words.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"
#include "cli/text/unknown_word.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kRootNameColumns = 60;  // of each name in root_text

constexpr std::array<std::string_view, 12> kRootWords = {
    "system_class", "thread",       "stack_local",   "jni_local",
    "jni_global",   "monitor",      "handle",        "finalizer",
    "other",        "static_field", "pinned_handle", "possible_stack_slot"};
constexpr std::array<std::string_view, 12> kRootPhrases = {
    "system class",        "live thread",          "local variable",
    "JNI local reference", "JNI global reference", "monitor (used as lock)",
    "strong handle",       "finalizer queue",      "the VM itself",
    "static field",        "pinned handle",        "stack slot that may hold it"};
constexpr std::array<std::string_view, 11> kViaWords = {
    "root",         "instance_field", "static_field", "element",  "referent", "class",
    "class_loader", "superclass",     "interface",    "constant", "other"};
constexpr std::array<std::string_view, 6> kStrengthWords = {"strong", "soft",    "weak",
                                                            "final",  "phantom", "unreachable"};
constexpr std::array<std::string_view, 4> kHolderWords = {"static_field", "frame", "object",
                                                          "field"};
constexpr std::array<std::string_view, 3> kShortageWords = {"none", "time", "memory"};

template <class Words, class Enum>
std::string_view at(const Words& words, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < words.size() ? words[index] : unknown_word(index);
}

std::string short_name(std::string_view name) {
  return shorten_name(printable(name), kRootNameColumns);
}

std::string quoted_thread(const PathView& path) { return '"' + short_name(path.thread) + '"'; }

std::string in_thread(const PathView& path) {
  return path.thread.empty() ? "" : " in thread " + quoted_thread(path);
}

std::string frame_word(const PathView& path) {
  if (path.in_code_constant()) return "constant of the compiled code";
  return path.root == Root::kPossibleStackSlot ? "possible stack slot" : "local";
}

// "local variable", "stack slot that may hold it,": what root_text goes on from.
std::string root_kind_text(const PathView& path) {
  std::string text(path.in_code_constant() ? "constant of the compiled code" : phrase(path.root));
  const bool goes_on = path.in_frame() || !path.thread.empty();
  if (path.root == Root::kPossibleStackSlot && goes_on) text += ',';
  return text;
}

}  // namespace

std::string_view word(Root root) { return at(kRootWords, root); }
std::string_view word(Via via) { return at(kViaWords, via); }
std::string_view word(Firmness strength) { return at(kStrengthWords, strength); }
std::string_view word(HolderKind kind) { return at(kHolderWords, kind); }
std::string_view word(Shortage shortage) { return at(kShortageWords, shortage); }
std::string_view phrase(Root root) { return at(kRootPhrases, root); }

std::string object_text(const ObjectView& object) {
  std::string text(object.is_class_object() ? "class " : "");
  text += object.is_class_object() ? object.class_object_of : object.class_name;
  return object.identity == 0 ? text : text + " #" + std::to_string(object.identity);
}

std::string known_text(const ObjectView& object, const OriginView& origin) {
  if (object.identity == 0 || object.first_sequence == origin.sequence) return {};
  std::string text = "known since dump " + std::to_string(object.first_sequence) + " of " +
                     utc_for_people(object.first_utc_ms);
  if (origin.started_utc_ms <= object.first_utc_ms) return text;  // the clock was set back
  return text + ", " + human_duration((origin.started_utc_ms - object.first_utc_ms) * kNsPerMs) +
         " earlier";
}

std::string static_field_text(const PathView& path) {
  const StepView& held = path.steps.front();
  const std::string field = held.field.empty() ? "(unnamed field)" : short_name(held.field);
  return held.declaring_class.empty() ? field : short_name(held.declaring_class) + '.' + field;
}

std::string root_brief(const PathView& path) {
  if (path.in_static_field()) return "static " + static_field_text(path);
  if (path.in_frame()) {
    return frame_word(path) + " of " + short_name(path.frame_class) + '.' +
           short_name(path.frame_method) + "()";
  }
  if (path.root == Root::kThread && !path.thread.empty()) return "thread " + quoted_thread(path);
  return std::string(phrase(path.root));
}

std::string root_text(const PathView& path) {
  std::string text = root_kind_text(path);
  if (path.in_static_field()) return text + ' ' + static_field_text(path) + in_thread(path);
  if (path.in_frame()) {
    text += " of " + short_name(path.frame_class) + '.' + short_name(path.frame_method) + "()";
    if (!path.in_code_constant())
      text += in_thread(path) + " (frame " + std::to_string(path.frame_depth) + ", slot " +
              std::to_string(path.slot) + ')';
  } else if (path.root == Root::kThread && !path.thread.empty()) {
    text += ' ' + quoted_thread(path);
  } else {
    text += in_thread(path);
  }
  return text;
}

std::string reachable_text(std::uint64_t bytes, bool estimated) {
  if (bytes == 0) return {};
  return (estimated ? "about " : "") + human_bytes(bytes);
}

std::string shared_text(const ObjectView& object, std::uint64_t whole_bytes) {
  const std::uint64_t reached = object.reachable_bytes;
  const std::uint64_t shared = reached - std::min(reached, object.retained_bytes);
  if (shared == 0 || shared < std::max(object.retained_bytes / 10, whole_bytes / 100)) return {};
  if (reached > whole_bytes / 10 * 9) return {};
  return "leads to " + reachable_text(reached, object.reachable_estimated) + ", " +
         human_bytes(shared) + " of it held by others, too";
}

std::string limit_phrase(const MemoryView& memory, std::string_view behind) {
  if (memory.limit_bytes == UINT64_MAX) return {};
  return " of " + human_bytes(memory.limit_bytes) + std::string(behind);
}

}  // namespace holdfast::cli
