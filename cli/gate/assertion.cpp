#include "cli/gate/assertion.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "cli/report/states_view.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

constexpr std::string_view kComparisonCharacters = "<>=!";
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kGrowth = "growth(";
constexpr std::string_view kLoader = "loader:";
constexpr std::string_view kPackage = "package:";
constexpr std::string_view kState = "state:";
constexpr std::string_view kAccount = "account(";
constexpr std::string_view kPilingUp = "piling_up";
constexpr std::string_view kLoitering = "loitering";
constexpr std::uint32_t kMostConfidence = 99;
constexpr std::size_t kQuotedColumns = 120;  // of what a message repeats

struct ComparisonWord {
  std::string_view text;
  Relation comparison;
};
constexpr ComparisonWord kComparisons[] = {
    {"<=", Relation::kAtMost},  {">=", Relation::kAtLeast}, {"==", Relation::kEqual},
    {"!=", Relation::kUnequal}, {"<", Relation::kBelow},    {">", Relation::kAbove},
};

struct MeasureWord {
  std::string_view text;
  Measure measure;
};
constexpr MeasureWord kOfClasses[] = {{"instances", Measure::kInstances},
                                      {"shallow", Measure::kShallow},
                                      {"retained", Measure::kRetained},
                                      {"largest", Measure::kLargest},
                                      {"reachable", Measure::kReachable},
                                      {"old_instances", Measure::kOldInstances},
                                      {"old_shallow", Measure::kOldShallow},
                                      {"sampled_old_instances", Measure::kSampledOldInstances},
                                      {"sampled_old_shallow", Measure::kSampledOldShallow}};
constexpr MeasureWord kOfSets[] = {{"instances", Measure::kInstances},
                                   {"shallow", Measure::kShallow},
                                   {"retained", Measure::kRetained},
                                   {"classes", Measure::kClasses},
                                   {"reachable", Measure::kReachable}};
constexpr MeasureWord kOfHeap[] = {
    {"used", Measure::kUsed}, {"committed", Measure::kCommitted}, {"max", Measure::kMax}};
constexpr MeasureWord kOfAccounts[] = {{"allocated", Measure::kAllocated},
                                       {"since", Measure::kSince},
                                       {"live", Measure::kLive},
                                       {"in_heap", Measure::kInHeap},
                                       {"allocated_objects", Measure::kAllocatedObjects},
                                       {"since_objects", Measure::kSinceObjects},
                                       {"live_objects", Measure::kLiveObjects},
                                       {"in_heap_objects", Measure::kInHeapObjects}};
constexpr MeasureWord kOfStates[] = {{"instances", Measure::kInstances},
                                     {"shallow", Measure::kShallow}};
constexpr MeasureWord kOfSuspects[] = {{"loud", Measure::kLoud}};
constexpr MeasureWord kOfLoitering[] = {{"instances", Measure::kInstances},
                                        {"classes", Measure::kClasses}};

std::span<const MeasureWord> measures_of(Subject subject) {
  switch (subject) {
    case Subject::kClasses:
      return kOfClasses;
    case Subject::kHeap:
      return kOfHeap;
    case Subject::kSuspects:
      return kOfSuspects;
    case Subject::kAccount:
      return kOfAccounts;
    case Subject::kLoitering:
      return kOfLoitering;
    case Subject::kState:
      return kOfStates;
    case Subject::kPilingUp:
      return {};
    case Subject::kLoaders:
    case Subject::kPackages:
    case Subject::kTotal:
      break;
  }
  return kOfSets;
}

struct Unit {
  std::string_view text;
  double factor;
};
constexpr Unit kOfCounts[] = {{"", 1}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}};
constexpr double kKilo = 1024, kMega = kKilo * kKilo, kGiga = kMega * kKilo, kTera = kGiga * kKilo;
constexpr Unit kOfSizes[] = {{"", 1},        {"b", 1},      {"k", kKilo},   {"kb", kKilo},
                             {"kib", kKilo}, {"m", kMega},  {"mb", kMega},  {"mib", kMega},
                             {"g", kGiga},   {"gb", kGiga}, {"gib", kGiga}, {"t", kTera},
                             {"tb", kTera},  {"tib", kTera}};

bool has_share(const Assertion& a) {
  if (a.growth) return true;
  constexpr Subject kWithoutWhole[] = {Subject::kSuspects, Subject::kAccount, Subject::kPilingUp,
                                       Subject::kLoitering};
  return std::ranges::find(kWithoutWhole, a.subject) == std::end(kWithoutWhole) &&
         a.measure != Measure::kClasses && a.measure != Measure::kMax;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string quoted(std::string_view text) {
  return '\'' + shorten_middle(printable(text), kQuotedColumns) + '\'';
}

// A piece of the text, which knows where it stands.
struct Piece {
  std::string_view text;
  std::size_t at = 0;

  Piece part(std::size_t from, std::size_t count = std::string_view::npos) const {
    return {text.substr(from, count), at + from};
  }
  Piece trimmed() const {
    const std::size_t from = std::min(text.find_first_not_of(kSpaces), text.size());
    const std::size_t last = text.find_last_not_of(kSpaces);
    return part(from, last == std::string_view::npos ? 0 : last + 1 - from);
  }
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { assertion_.text = text; }

  Assertion parse() {
    if (text_.size() > kMaxExpressionBytes)
      fail(kMaxExpressionBytes, "the expression goes on",
           "at most " + std::to_string(kMaxExpressionBytes) + " bytes");
    const std::size_t last = text_.find_last_of(kComparisonCharacters);
    if (last == std::string_view::npos) {
      fail(text_.size(), "no comparison", "<=, <, >=, >, == or !=, then a number");
    }
    const Piece whole{text_, 0};
    const std::size_t first = comparison_ending_at(last);
    quantity(whole.part(0, first).trimmed());
    limit(whole.part(last + 1).trimmed());
    return std::move(assertion_);
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what,
                         const std::string& allowed) const {
    const std::size_t column = display_width(printable(text_.substr(0, at))) + 1;
    throw ExpressionError(quoted(text_) + ", column " + std::to_string(column) + ": " + what +
                          "; allowed: " + allowed);
  }

  // Where the comparison begins whose last character stands at `last`.
  std::size_t comparison_ending_at(std::size_t last) {
    for (const ComparisonWord& word : kComparisons) {
      const std::size_t length = word.text.size();
      if (last + 1 < length || text_.substr(last + 1 - length, length) != word.text) continue;
      assertion_.comparison = word.comparison;
      return last + 1 - length;
    }
    fail(last, quoted(text_.substr(last, 1)) + " is no comparison", "<=, <, >=, >, ==, !=");
  }

  void quantity(Piece piece) {
    if (piece.text.starts_with(kGrowth)) {
      if (!piece.text.ends_with(')'))
        fail(piece.at + piece.text.size(), "growth( is not closed", ")");
      assertion_.growth = true;
      piece = piece.part(kGrowth.size(), piece.text.size() - kGrowth.size() - 1).trimmed();
    }
    measured(piece);
  }

  bool whole_of(const Piece& piece, std::string_view text, Subject subject) {
    if (piece.text != text) return false;
    assertion_.subject = subject;
    assertion_.measure = Measure::kAll;
    return true;
  }

  void measured(Piece piece) {
    if (whole_of(piece, "suspects", Subject::kSuspects) ||
        whole_of(piece, kPilingUp, Subject::kPilingUp) ||
        whole_of(piece, kLoitering, Subject::kLoitering))
      return;
    if (piece.text.starts_with(kPilingUp) && piece.text.substr(kPilingUp.size()).starts_with('('))
      return piling_up(piece);
    const std::size_t dot = piece.text.rfind('.');
    if (dot == std::string_view::npos)
      fail(piece.at, "no quantity",
           "CLASS.instances, .shallow, .retained; loader:NAME. or package:NAME. and the same; "
           "state:NAME.shallow, total., heap.used, suspects, piling_up, loitering; see 'holdfast "
           "assert --help'");
    subject(piece.part(0, dot));
    measure(piece.part(dot + 1));
  }

  // piling_up(95%): those alone that are so sure.
  void piling_up(Piece piece) {
    if (!piece.text.ends_with(')'))
      fail(piece.at + piece.text.size(), "piling_up( is not closed", ")");
    const std::size_t opened = kPilingUp.size() + 1;
    const Piece inside = piece.part(opened, piece.text.size() - opened - 1).trimmed();
    std::string_view digits = inside.text;
    if (digits.ends_with('%')) digits.remove_suffix(1);
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, assertion_.least_confidence);
    if (read.ec != std::errc{} || read.ptr != end || assertion_.least_confidence == 0 ||
        assertion_.least_confidence > kMostConfidence)
      fail(inside.at, quoted(inside.text) + " is no confidence", "1% to 99%");
    assertion_.subject = Subject::kPilingUp;
    assertion_.measure = Measure::kAll;
  }

  void subject(Piece piece) {
    if (piece.text == kLoitering) return set_subject(Subject::kLoitering);
    if (piece.text == "total") return set_subject(Subject::kTotal);
    if (piece.text == "heap") return set_subject(Subject::kHeap);
    if (piece.text == "suspects") return set_subject(Subject::kSuspects);
    if (piece.text.starts_with(kAccount)) return account(piece);
    if (piece.text.starts_with(kState)) return state(piece.part(kState.size()).trimmed());
    std::size_t prefix = 0;
    if (piece.text.starts_with(kLoader)) {
      set_subject(Subject::kLoaders);
      prefix = kLoader.size();
    } else if (piece.text.starts_with(kPackage)) {
      set_subject(Subject::kPackages);
      prefix = kPackage.size();
    }
    const Piece name = piece.part(prefix).trimmed();
    if (name.text.empty())
      fail(name.at, "a name is missing", "a name, or a pattern such as com.acme.*");
    assertion_.pattern = name.text;
  }
  void state(Piece name) {
    std::string allowed;
    for (std::size_t i = 0; i < kHeapStates; ++i) {
      const std::string_view one = word(static_cast<HeapState>(i));
      if (one == name.text) {
        set_subject(Subject::kState);
        assertion_.pattern = name.text;
        return;
      }
      allowed.append(allowed.empty() ? "" : ", ").append(one);
    }
    fail(name.at, quoted(name.text) + " is no state of the heap", allowed);
  }
  // A name that a shell or a reader would take for something else may stand in quotes of either kind.
  void account(Piece piece) {
    if (!piece.text.ends_with(')'))
      fail(piece.at + piece.text.size(), "account( is not closed", ") and a measure, as .live");
    set_subject(Subject::kAccount);
    Piece name = piece.part(kAccount.size(), piece.text.size() - kAccount.size() - 1).trimmed();
    for (const char quote : {'\'', '"'}) {
      if (name.text.empty() || name.text.front() != quote) continue;
      if (name.text.size() < 2 || name.text.back() != quote)
        fail(name.at + name.text.size(), "the quote is not closed", std::string(1, quote));
      name = name.part(1, name.text.size() - 2);
      break;
    }
    if (name.text.empty())
      fail(name.at, "a name is missing", "an account as the report calls it, such as com.acme.*");
    assertion_.pattern = name.text;
  }
  void set_subject(Subject subject) { assertion_.subject = subject; }

  void measure(Piece piece) {
    std::string allowed;
    for (const MeasureWord& word : measures_of(assertion_.subject)) {
      if (word.text == piece.text) {
        assertion_.measure = word.measure;
        return;
      }
      allowed.append(allowed.empty() ? "" : ", ").append(word.text);
    }
    fail(piece.at, quoted(piece.text) + " is no measure here", allowed);
  }

  void limit(Piece piece) {
    const bool negative = assertion_.growth && piece.text.starts_with('-');
    const std::string_view digits = piece.text.substr(negative ? 1 : 0);
    if (digits.empty() || digits[0] < '0' || digits[0] > '9') {
      fail(piece.at, piece.text.empty() ? "a number is missing" : "no number",
           assertion_.in_bytes() ? "a size such as 50MB" : "a number such as 10");
    }
    const char* const end = piece.text.data() + piece.text.size();
    const auto read =
        std::from_chars(piece.text.data(), end, assertion_.limit, std::chars_format::fixed);
    if (read.ec != std::errc{}) fail(piece.at, "the number is too large", "up to 1e300");
    unit(piece.part(static_cast<std::size_t>(read.ptr - piece.text.data())).trimmed());
  }

  void unit(Piece piece) {
    if (piece.text == "%") {
      if (!has_share(assertion_))
        fail(piece.at, "no share can be taken of this", "a number without %");
      assertion_.percent = true;
      return;
    }
    const std::span<const Unit> units =
        assertion_.in_bytes() ? std::span<const Unit>(kOfSizes) : std::span<const Unit>(kOfCounts);
    const auto found = std::ranges::find(units, lower(piece.text), &Unit::text);
    if (found == units.end())
      fail(piece.at, quoted(piece.text) + " is no unit here",
           std::string(assertion_.in_bytes() ? "B, KB, MB, GB, TB (1 KB = 1,024 bytes)"
                                             : "k, m, g (thousands, millions, thousand millions)") +
               (has_share(assertion_) ? ", %" : ""));
    assertion_.limit *= found->factor;
    if (!std::isfinite(assertion_.limit)) fail(piece.at, "the number is too large", "up to 1e300");
  }

  std::string_view text_;
  Assertion assertion_;
};

}  // namespace

bool Assertion::in_bytes() const {
  if (measure == Measure::kAll) return subject == Subject::kLoitering;
  switch (measure) {
    case Measure::kInstances:
    case Measure::kClasses:
    case Measure::kAll:
    case Measure::kLoud:
    case Measure::kAllocatedObjects:
    case Measure::kSinceObjects:
    case Measure::kLiveObjects:
    case Measure::kInHeapObjects:
    case Measure::kOldInstances:
    case Measure::kSampledOldInstances:
      return false;
    case Measure::kAllocated:
    case Measure::kSince:
    case Measure::kLive:
    case Measure::kInHeap:
    case Measure::kShallow:
    case Measure::kOldShallow:
    case Measure::kSampledOldShallow:
    case Measure::kRetained:
    case Measure::kLargest:
    case Measure::kReachable:
    case Measure::kUsed:
    case Measure::kCommitted:
    case Measure::kMax:
      break;
  }
  return true;
}

Assertion parse_assertion(std::string_view text) { return Parser(text).parse(); }

std::string_view word(Relation comparison) {
  return std::ranges::find(kComparisons, comparison, &ComparisonWord::comparison)->text;
}

std::string_view word(Measure measure) {
  for (const auto words : {std::span<const MeasureWord>(kOfClasses),
                           {kOfSets},
                           {kOfHeap},
                           {kOfAccounts},
                           {kOfSuspects}}) {
    const auto found = std::ranges::find(words, measure, &MeasureWord::measure);
    if (found != words.end()) return found->text;
  }
  return "suspects";
}

std::string quantity_text(const Assertion& a) {
  std::string text;
  switch (a.subject) {
    case Subject::kClasses:
      text = a.pattern;
      break;
    case Subject::kLoaders:
      text.append(kLoader).append(a.pattern);
      break;
    case Subject::kPackages:
      text.append(kPackage).append(a.pattern);
      break;
    case Subject::kState:
      text.append(kState).append(a.pattern);
      break;
    case Subject::kTotal:
      text = "total";
      break;
    case Subject::kHeap:
      text = "heap";
      break;
    case Subject::kAccount:
      text.append(kAccount).append("'").append(a.pattern).append("')");
      break;
    case Subject::kSuspects:
      text = "suspects";
      break;
    case Subject::kLoitering:
      text = kLoitering;
      break;
    case Subject::kPilingUp:
      text = kPilingUp;
      if (a.least_confidence > 0)
        text.append("(").append(std::to_string(a.least_confidence)).append("%)");
      break;
  }
  if (a.measure != Measure::kAll) text.append(".").append(word(a.measure));
  return a.growth ? std::string(kGrowth) + text + ')' : text;
}

}  // namespace holdfast::cli
