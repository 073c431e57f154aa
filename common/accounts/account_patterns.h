// Which account a class belongs to: the patterns of `accounts=`, parsed once.
// Shape:  `a.b` the package a.b or the class b of a, with its nested classes; `a.b.*` all below a.b, and of a package its own classes;
//         `*` everything; `jar:NAME` and `module:NAME` what was loaded from there. A nested class is written behind a '.' or a '$'
//         (in a file also a '+'); type arguments and arity are left out (plain_class_name.h). In a CLR packages are namespaces, and
//         a module is an assembly.
//         The longest name that matches wins, of `a.b` and `a.b.*` the first; then jar:, then module:, then `*`.
//         match() costs one hash lookup for each part of the name, whatever the number of patterns (at most kMaxAccounts).
//         28 bytes a slot, two to four slots a pattern; 16 bytes and its text, twice, a pattern.
// Zone:   make(): load. match(): any, no lock, no allocation.
// Errors: PatternError, one line that names the pattern (and the line of the file) and what is allowed; two equal patterns are one error.
// Source: Bouché and others (account_figures.h), section 5.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/accounts/account_figures.h"
#include "common/arena.h"
#include "common/result.h"

namespace holdfast {

inline constexpr std::uint32_t kMaxAccounts =
    10'000;  // what a file of patterns may hold; (unaccounted) comes on top
inline constexpr std::size_t kMaxPatternFileBytes =
    std::size_t{2} << 20;  // 10,000 patterns of 100 characters, and as much in comments

struct PatternError {
  char text[512] = "";
};

// Where a class was loaded from, as far as it is known: "" otherwise.
struct ClassOrigin {
  std::string_view jar;     // file name without folders: "app.jar"
  std::string_view module;  // "java.xml"; an assembly's name in a CLR
};

class AccountPatterns {
 public:
  // Address space that make() needs at most.
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  AccountPatterns() = default;
  // `text`: patterns joined with '+', or a path (begins with '/' or '.'), whose lines are patterns, '#' begins a comment.
  // kUnsupported with `error` filled; kOutOfBudget.
  static Result<AccountPatterns> make(std::string_view text, Arena& arena,
                                      PatternError& error) noexcept;
  // Everything is outside all accounts.
  static Result<AccountPatterns> none(Arena& arena) noexcept;
  bool has_any() const noexcept { return count() > 1; }

  // `class_name` as Catalog names it ("shop.Cart$Line", "shop.Cart[]"), or as metadata do ("Shop.Cache`1+Node<System.String>").
  // Where a CLR's nested class is known to be one it comes behind a '+': a '.' alone may just as well end a namespace.
  AccountId match(std::string_view class_name, const ClassOrigin& origin) const noexcept;
  bool wants_jars() const noexcept { return wants_jars_; }
  bool wants_modules() const noexcept { return wants_modules_; }
  // Of account 0 .. count()-1; 0 is "(unaccounted)".
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(names_.size()); }
  std::string_view name(AccountId account) const noexcept { return names_[account]; }

 private:
  enum Kind : std::size_t { kName, kBelow, kJar, kModule, kKinds };
  struct Slot {  // free while all accounts are 0
    std::uint32_t text_at = 0;
    std::uint32_t text_bytes = 0;
    std::uint32_t hash = 0;
    AccountId accounts[kKinds] = {};
  };
  struct Pattern {
    Kind kind = kName;
    std::string_view key;
  };
  class Source;  // pattern_source.h

  Result<void> reserve(std::uint32_t patterns, std::size_t text_bytes, Arena& arena) noexcept;
  static bool read(std::string_view piece, Pattern& out) noexcept;
  Result<void> add_all(Source& source, PatternError& error) noexcept;
  bool add(std::string_view written, const Pattern& pattern) noexcept;
  Slot& slot_of(std::string_view key) noexcept;
  const Slot* find(std::string_view key) const noexcept;
  AccountId match_name(std::string_view class_name) const noexcept;
  AccountId match_origin(std::string_view origin, Kind kind) const noexcept;

  std::span<std::string_view> names_;
  std::span<Slot> slots_;  // a power of two, at most half full
  std::span<char> keys_;
  std::size_t keys_used_ = 0;
  AccountId everything_ = kUnaccounted;
  bool wants_jars_ = false;
  bool wants_modules_ = false;
};

}  // namespace holdfast
