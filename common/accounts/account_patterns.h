// Which account a class belongs to: the patterns of `accounts=`, parsed once.
// Shape:  `a.b` the package a.b, `a.b.*` it and all below, `a.b.C` a class (the last part begins with a capital, or nothing of that
//         name is a package: both are tried, the class first) with its inner classes, `*` everything, `jar:NAME` and `module:NAME` what
//         was loaded from there. The longest pattern that matches wins; one that names a class or package wins over jar: and module:.
//         match() costs one hash lookup for each part of the name, whatever the number of patterns (at most kMaxAccounts).
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
  AccountPatterns() = default;
  // `text`: patterns joined with '+', or a path (begins with '/' or '.'), whose lines are patterns, '#' begins a comment.
  // kUnsupported with `error` filled; kOutOfBudget.
  static Result<AccountPatterns> make(std::string_view text, Arena& arena,
                                      PatternError& error) noexcept;

  // `class_name` as Catalog names it ("shop.Cart$Line", "shop.Cart[]").
  AccountId match(std::string_view class_name, const ClassOrigin& origin) const noexcept;
  bool wants_jars() const noexcept { return wants_jars_; }
  bool wants_modules() const noexcept { return wants_modules_; }
  // Of account 0 .. count()-1; 0 is "(unaccounted)".
  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(names_.size()); }
  std::string_view name(AccountId account) const noexcept { return names_[account]; }

 private:
  struct Slot;
  std::span<std::string_view> names_;
  std::span<Slot> slots_;
  bool wants_jars_ = false;
  bool wants_modules_ = false;
};

}  // namespace holdfast
