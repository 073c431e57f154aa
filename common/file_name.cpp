#include "common/file_name.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "common/utf8.h"
#include "platforms/process.h"

namespace holdfast {

namespace {

constexpr std::size_t kMaxVariableName = 128;
constexpr std::string_view kUnknown = "unknown";

// Appends with the characters that have no place in a plain name replaced.
class NameText {
 public:
  explicit NameText(FileName& out) noexcept : out_(out) {}
  // A part of the pattern, taken whole.
  void add(std::string_view text) noexcept {
    while (!text.empty()) {
      const std::size_t step = utf8_step(text);
      if (step == 0) put('_');
      for (const char c : text.substr(0, step)) put(c);
      text.remove_prefix(std::max<std::size_t>(step, 1));
    }
  }
  // A value from outside, cut at a code point.
  void add_value(std::string_view text) noexcept {
    std::size_t end = 0;
    while (end < text.size()) {
      const std::size_t step = std::max<std::size_t>(utf8_step(text.substr(end)), 1);
      if (end + step > kMaxNameValue) break;
      end += step;
    }
    add(text.substr(0, end));
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

// libc's calendar takes a lock, which a child must not.
void add_time(NameText& name, std::uint64_t utc_ms) noexcept {
  const std::chrono::sys_seconds second{std::chrono::seconds{utc_ms / 1000}};
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{second - day};
  char text[64];
  std::snprintf(text, sizeof text, "%04d%02u%02uT%02d%02d%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  name.add(text);
}

bool cut_ending(std::string_view& text, std::string_view ending) noexcept {
  if (text.size() <= ending.size() || text.substr(text.size() - ending.size()) != ending)
    return false;
  text.remove_suffix(ending.size());
  return true;
}

// The main class without its package, a jar or assembly without its path and ending: what tells services apart in a
// directory. "Acme.Shop.dll" is Acme.Shop, com.acme.Shop is Shop.
std::string_view short_main_name(std::string_view main_name) noexcept {
  if (const std::size_t slash = main_name.rfind('/'); slash != std::string_view::npos)
    main_name.remove_prefix(slash + 1);
  for (const std::string_view ending : {".jar", ".war", ".dll", ".exe"})
    if (cut_ending(main_name, ending)) return main_name;
  if (const std::size_t dot = main_name.rfind('.'); dot != std::string_view::npos)
    main_name.remove_prefix(dot + 1);
  return main_name;
}

Result<void> add_variable(NameText& name, std::string_view& rest) noexcept {
  const std::size_t end = rest.find('}');
  char key[kMaxVariableName];  // with its end
  if (end == std::string_view::npos || end < 2 || end > kMaxVariableName)
    return make_error(ErrorCode::kBadOption);
  std::memcpy(key, rest.data() + 1, end - 1);
  key[end - 1] = '\0';
  const char* value = platforms::environment_value(key);
  if (value != nullptr) name.add_value(value);
  rest.remove_prefix(end);
  return {};
}

Result<void> add_letter(NameText& name, std::string_view& rest,
                        const FileNameFacts& facts) noexcept {
  const auto known = [](std::string_view text) { return text.empty() ? kUnknown : text; };
  switch (rest.empty() ? '\0' : rest[0]) {
    case 'e':
      name.add_value(known(short_main_name(facts.main_name)));
      break;
    case 'h':
      name.add_value(known(facts.host));
      break;
    case 'c':
      name.add_value(facts.container);
      break;
    case 'p':
      add_number(name, facts.pid);
      break;
    case 't':
      add_time(name, facts.utc_ms);
      break;
    case 'n':
      add_number(name, facts.sequence);
      break;
    case 'k':
      name.add_value(facts.kind);
      break;
    case '%':
      name.put('%');
      break;
    case '{':
      return add_variable(name, rest);
    default:
      return make_error(ErrorCode::kBadOption);
  }
  return {};
}

}  // namespace

Result<FileName> expand_file_name(std::string_view pattern, const FileNameFacts& facts) noexcept {
  FileName out;
  NameText name(out);
  for (std::string_view rest = pattern; !rest.empty(); rest.remove_prefix(1)) {
    if (rest[0] != '%') {
      const std::size_t percent = std::min(rest.find('%'), rest.size());
      name.add(rest.substr(0, percent));
      rest.remove_prefix(percent - 1);
      continue;
    }
    rest.remove_prefix(1);
    HF_CHECK_OK(add_letter(name, rest, facts));
  }
  if (!name.fits()) return make_error(ErrorCode::kBadOption);
  name.finish();
  return out;
}

bool valid_file_pattern(std::string_view pattern) noexcept {
  for (std::size_t i = pattern.find('%'); i != std::string_view::npos;
       i = pattern.find('%', i + 1)) {
    ++i;
    if (i >= pattern.size() ||
        std::string_view("ehcptnk%{").find(pattern[i]) == std::string_view::npos)
      return false;
    if (pattern[i] != '{') continue;
    const std::size_t end = pattern.find('}', i);
    if (end == std::string_view::npos || end == i + 1 || end - i > kMaxVariableName) return false;
    i = end;
  }
  return true;
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
