#include "platforms/linux/other_process_text.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace holdfast::platforms {

namespace {

constexpr std::string_view kBlanks = " \t";

// The next word, taken off the front.
std::string_view take_word(std::string_view& text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

template <class Number>
bool parse_number(std::string_view text, Number& out, int base = 10) noexcept {
  Number value{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, base);
  if (text.empty() || parsed.ec != std::errc{} || parsed.ptr != end) return false;
  out = value;
  return true;
}

// Real, effective, saved, file system: the second counts.
void take_effective(std::string_view numbers, std::uint32_t& out) noexcept {
  take_word(numbers);
  parse_number(take_word(numbers), out);
}

// The innermost namespace stands last.
void take_last(std::string_view numbers, std::uint32_t& out) noexcept {
  for (std::string_view word = take_word(numbers); !word.empty(); word = take_word(numbers))
    parse_number(word, out);
}

ProcessState state_of(std::string_view word) noexcept {
  if (word == "T" || word == "t") return ProcessState::kStopped;
  return word == "Z" || word == "X" || word == "x" ? ProcessState::kDead : ProcessState::kLiving;
}

void take_name(std::string_view name, OtherProcess& out) noexcept {
  name.remove_prefix(std::min(name.find_first_not_of(kBlanks), name.size()));
  const std::size_t length = std::min(name.size(), kMaxProcessName - 1);
  std::memcpy(out.name, name.data(), length);
  out.name[length] = '\0';
}

bool has_quit(std::string_view mask) noexcept {
  std::uint64_t signals = 0;
  return parse_number(mask, signals, 16) && (signals >> (SIGQUIT - 1) & 1) != 0;
}

}  // namespace

void take_status_line(std::string_view line, OtherProcess& out) noexcept {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return;
  const std::string_view key = line.substr(0, colon);
  std::string_view value = line.substr(colon + 1);
  if (key == "Name") take_name(value, out);
  if (key == "State") out.state = state_of(take_word(value));
  if (key == "Uid") take_effective(value, out.effective_user);
  if (key == "Gid") take_effective(value, out.effective_group);
  if (key == "Tgid") parse_number(take_word(value), out.group_pid);
  if (key == "NSpid") take_last(value, out.inner_pid);
  if (key == "SigCgt") out.catches_quit = has_quit(take_word(value));
}

bool parse_start(std::string_view stat, std::uint64_t& ticks) noexcept {
  constexpr int kFieldsBetween = 19;  // from field 3 up to field 21
  const std::size_t name_end = stat.rfind(')');
  if (name_end == stat.npos) return false;
  stat.remove_prefix(name_end + 1);
  for (int field = 0; field < kFieldsBetween; ++field) take_word(stat);
  std::string_view start = take_word(stat);
  if (start.ends_with('\n')) start.remove_suffix(1);
  return parse_number(start, ticks);
}

bool parse_mapped_file(std::string_view line, MappedName& out) noexcept {
  constexpr std::string_view kDeleted = " (deleted)";
  constexpr int kFieldsBefore = 5;  // addresses, permissions, offset, device, inode
  for (int field = 0; field < kFieldsBefore; ++field)
    if (take_word(line).empty()) return false;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (!line.starts_with('/')) return false;
  out.deleted = line.ends_with(kDeleted);
  if (out.deleted) line.remove_suffix(kDeleted.size());
  out.path = line;
  return true;
}

bool parse_socket_link(std::string_view link, std::uint64_t& inode) noexcept {
  constexpr std::string_view kBegin = "socket:[";
  if (!link.starts_with(kBegin) || !link.ends_with(']')) return false;
  link.remove_prefix(kBegin.size());
  link.remove_suffix(1);
  return parse_number(link, inode);
}

bool parse_local_socket(std::string_view line, LocalSocketName& out) noexcept {
  constexpr std::uint32_t kAcceptsConnections = 1u << 16;  // __SO_ACCEPTCON
  LocalSocketName found;
  std::uint32_t flags = 0;
  take_word(line);  // address
  take_word(line);  // references
  take_word(line);  // protocol
  if (!parse_number(take_word(line), flags, 16)) return false;
  take_word(line);  // type
  take_word(line);  // state
  if (!parse_number(take_word(line), found.inode)) return false;
  found.listens = (flags & kAcceptsConnections) != 0;
  if (line.starts_with(' ')) line.remove_prefix(1);
  found.path = line;
  out = found;
  return true;
}

bool parse_user(std::string_view line, std::uint32_t user, std::string_view& name) noexcept {
  const std::size_t first = line.find(':');
  const std::size_t second = first == line.npos ? first : line.find(':', first + 1);
  if (second == line.npos) return false;
  std::uint32_t number = 0;
  const std::string_view rest = line.substr(second + 1);
  if (!parse_number(rest.substr(0, rest.find(':')), number) || number != user) return false;
  name = line.substr(0, first);
  return !name.empty();
}

}  // namespace holdfast::platforms
