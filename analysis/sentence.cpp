#include "analysis/sentence.h"

#include <cstring>

#include "common/text_tail.h"

namespace holdfast::analysis {

namespace {

constexpr std::size_t kMaxDigits = 32;  // 2^64 has 20 digits and 6 separators

// Decimal digits from the back of the buffer, with separators every three digits when asked.
std::string_view digits(std::uint64_t number, bool separators,
                        char (&buffer)[kMaxDigits]) noexcept {
  std::size_t at = kMaxDigits;
  std::size_t written = 0;
  do {
    if (separators && written != 0 && written % 3 == 0) buffer[--at] = ',';
    buffer[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
    ++written;
  } while (number != 0);
  return {buffer + at, kMaxDigits - at};
}

bool continues_character(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

}  // namespace

Sentence& Sentence::text(std::string_view piece) noexcept {
  if (piece.empty() || size_ + piece.size() >= Evidence::kMaxText) return *this;
  std::memcpy(out_.text + size_, piece.data(), piece.size());
  size_ += piece.size();
  out_.text[size_] = '\0';
  return *this;
}

Sentence& Sentence::name(std::string_view class_name) noexcept {
  if (class_name.size() <= kMaxName) return text(class_name);
  std::size_t front = kMaxName / 3;
  while (front > 0 && continues_character(class_name[front])) --front;
  std::size_t back = class_name.size() - (kMaxName - front - 3);
  while (back < class_name.size() && continues_character(class_name[back])) ++back;
  return text(class_name.substr(0, front)).text("\u2026").text(text_tail(class_name, back));
}

Sentence& Sentence::count(std::uint64_t number) noexcept {
  char buffer[kMaxDigits];
  return text(digits(number, true, buffer));
}

// Tenths of a number that is not negative, rounded: 72 for 7.2.
std::uint64_t tenths_of(double number) noexcept {
  return static_cast<std::uint64_t>(number * 10.0 + 0.5);
}

Sentence& Sentence::one_decimal(double number) noexcept {
  char buffer[kMaxDigits];
  const std::uint64_t tenths = tenths_of(number);
  return count(tenths / 10).text(".").text(digits(tenths % 10, false, buffer));
}

Sentence& Sentence::bytes(std::uint64_t number) noexcept {
  static constexpr std::string_view kUnits[] = {" KB", " MB", " GB", " TB", " PB", " EB"};
  if (number < 1000) return count(number).text(" B");
  double value = static_cast<double>(number) / 1024.0;
  std::size_t unit = 0;
  for (; tenths_of(value) >= 10'000 && unit + 1 < std::size(kUnits); ++unit) value /= 1024.0;
  return one_decimal(value).text(kUnits[unit]);
}

Sentence& Sentence::share(std::uint64_t part, std::uint64_t whole) noexcept {
  const double percent =
      whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part != 0 && percent < 0.1) return text("less than 0.1 %");
  if (part != 0 && percent < 9.95) return one_decimal(percent).text(" %");
  return count(static_cast<std::uint64_t>(percent + 0.5)).text(" %");
}

}  // namespace holdfast::analysis
