#include "cli/report/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace holdfast::cli {
namespace {

constexpr std::size_t kComparedBytes = 200;
constexpr std::size_t kLettersPerEdit = 5;

std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, kComparedBytes)) {
    if (c == '*' || c == '?') continue;
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.find_last_of(".$");
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// How many bytes must be inserted, deleted, replaced or swapped with the next; more than `most` is not counted further.
std::size_t edits(std::string_view a, std::string_view b, std::size_t most) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return most + 1;
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view wanted, std::span<const std::string_view> words) {
  constexpr std::size_t kLettersPerEditOfWords = 3;
  std::string_view best;
  std::size_t least = SIZE_MAX;
  const std::string target = plain(wanted);
  const std::size_t most = target.size() / kLettersPerEditOfWords;
  for (const std::string_view word : words) {
    const std::size_t needed = edits(target, word, most);
    if (needed > most || needed >= least) continue;
    least = needed;
    best = word;
  }
  return best;
}

std::string_view nearest_name(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string target = plain(wanted);
  const std::string_view target_part = last_part(target);
  std::string_view best;
  std::size_t best_edits = SIZE_MAX;
  for (const std::string_view name : names) {
    const std::string candidate = plain(name);
    const std::string_view part = last_part(candidate);
    // A right last part in a wrong package is nearer than any misspelling.
    std::size_t distance = !part.empty() && part == target_part ? 1 : SIZE_MAX;
    const auto consider = [&](std::string_view a, std::string_view b) {
      const std::size_t most = a.size() / kLettersPerEdit;
      const std::size_t needed = edits(a, b, most);
      if (needed <= most) distance = std::min(distance, needed);
    };
    consider(target, candidate);
    consider(target_part, part);
    if (distance >= best_edits) continue;
    best_edits = distance;
    best = name;
  }
  return best;
}

}  // namespace holdfast::cli
