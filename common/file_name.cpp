#include "common/file_name.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace holdfast {

namespace {

constexpr std::size_t kMaxVariableName = 128;
constexpr std::string_view kUnknown = "unknown";

// Appends with the characters that have no place in a plain name replaced.
class NameText {
 public:
  explicit NameText(FileName& out) noexcept : out_(out) {}
  void add(std::string_view text) noexcept {
    for (const char c : text) put(c);
  }
  void put(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || byte < 0x20u || byte == 0x7Fu || (size_ == 0 && c == '.')) c = '_';
    if (size_ < kMaxFileName) out_.text[size_] = c;
    ++size_;
  }
  void finish() noexcept { out_.text[size_ < kMaxFileName ? size_ : kMaxFileName] = '\0'; }
  bool fits() const noexcept { return size_ != 0 && size_ <= kMaxFileName; }

 private:
  FileName& out_;
  std::size_t size_ = 0;
};

void add_number(NameText& name, std::uint64_t value) noexcept {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(value));
  name.add(digits);
}

void add_time(NameText& name, std::uint64_t utc_ms) noexcept {
  const auto seconds = static_cast<std::time_t>(utc_ms / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  name.add(text);
}

// The main class without its package, a jar without its path and ending: what tells services apart in a directory.
std::string_view short_main_name(std::string_view main_name) noexcept {
  if (const std::size_t slash = main_name.rfind('/'); slash != std::string_view::npos) main_name.remove_prefix(slash + 1);
  if (main_name.size() > 4 && main_name.substr(main_name.size() - 4) == ".jar") {
    main_name.remove_suffix(4);
    return main_name;
  }
  if (const std::size_t dot = main_name.rfind('.'); dot != std::string_view::npos) main_name.remove_prefix(dot + 1);
  return main_name;
}

Result<void> add_variable(NameText& name, std::string_view& rest) noexcept {
  const std::size_t end = rest.find('}');
  char key[kMaxVariableName];
  if (end == std::string_view::npos || end < 2 || end - 1 >= sizeof key) return make_error(ErrorCode::kBadOption);
  std::memcpy(key, rest.data() + 1, end - 1);
  key[end - 1] = '\0';
  const char* value = std::getenv(key);
  if (value != nullptr) name.add(value);
  rest.remove_prefix(end);
  return {};
}

Result<void> add_letter(NameText& name, std::string_view& rest, const FileNameFacts& facts) noexcept {
  const auto known = [](std::string_view text) { return text.empty() ? kUnknown : text; };
  switch (rest.empty() ? '\0' : rest[0]) {
    case 'e': name.add(known(short_main_name(facts.main_name))); break;
    case 'h': name.add(known(facts.host)); break;
    case 'c': name.add(facts.container); break;
    case 'p': add_number(name, facts.pid); break;
    case 't': add_time(name, facts.utc_ms); break;
    case 'n': add_number(name, facts.sequence); break;
    case 'k': name.add(facts.kind); break;
    case '%': name.put('%'); break;
    case '{': return add_variable(name, rest);
    default: return make_error(ErrorCode::kBadOption);
  }
  return {};
}

}  // namespace

Result<FileName> expand_file_name(std::string_view pattern, const FileNameFacts& facts) noexcept {
  FileName out;
  NameText name(out);
  for (std::string_view rest = pattern; !rest.empty(); rest.remove_prefix(1)) {
    if (rest[0] != '%') {
      name.put(rest[0]);
      continue;
    }
    rest.remove_prefix(1);
    HF_CHECK_OK(add_letter(name, rest, facts));
  }
  if (!name.fits()) return make_error(ErrorCode::kBadOption);
  name.finish();
  return out;
}

Result<FileName> constant_prefix(std::string_view pattern, const FileNameFacts& facts) noexcept {
  std::size_t end = 0;
  while (end < pattern.size()) {
    if (pattern[end] == '%') {
      const char letter = end + 1 < pattern.size() ? pattern[end + 1] : '\0';
      if (letter != 'e' && letter != 'h' && letter != 'c' && letter != '%') break;
      ++end;
    }
    ++end;
  }
  if (end == 0) return FileName{};
  return expand_file_name(pattern.substr(0, end), facts);
}

}  // namespace holdfast
