#include "common/option_value.h"

namespace holdfast {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr Unit kSizeUnits[] = {{"", 1}, {"k", 1u << 10}, {"m", 1u << 20}, {"g", 1u << 30}};
constexpr Unit kTimeUnits[] = {
    {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};

// Reads the digits at the front and takes them away; false without digits or beyond 64 bits.
bool take_digits(std::string_view& text, std::uint64_t& value) noexcept {
  value = 0;
  std::size_t count = 0;
  for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count) {
    const auto digit = static_cast<std::uint64_t>(text[count] - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  text.remove_prefix(count);
  return count != 0;
}

bool same_letters(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if ((a[i] | 0x20) != b[i]) return false;
  return true;
}

template <std::size_t kCount>
bool read_with_unit(std::string_view text, const Unit (&units)[kCount],
                    std::uint64_t& out) noexcept {
  std::uint64_t value = 0;
  if (!take_digits(text, value)) return false;
  for (const Unit& unit : units) {
    if (!same_letters(text, unit.name)) continue;
    if (value > UINT64_MAX / unit.factor) return false;
    out = value * unit.factor;
    return true;
  }
  return false;
}

}  // namespace

bool read_count(std::string_view text, std::uint64_t& out) noexcept {
  std::uint64_t value = 0;
  if (!take_digits(text, value) || !text.empty()) return false;
  out = value;
  return true;
}

bool read_size(std::string_view text, std::uint64_t& bytes) noexcept {
  return read_with_unit(text, kSizeUnits, bytes);
}

bool read_time(std::string_view text, std::uint64_t& ns) noexcept {
  if (text == "0") {
    ns = 0;
    return true;
  }
  return read_with_unit(text, kTimeUnits, ns);
}

bool read_share(std::string_view text, std::uint64_t& percent) noexcept {
  if (text.empty() || text.back() != '%') return false;
  std::uint64_t value = 0;
  if (!read_count(text.substr(0, text.size() - 1), value) || value == 0 || value > 100)
    return false;
  percent = value;
  return true;
}

}  // namespace holdfast
