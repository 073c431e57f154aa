// What tells one row of accounts from another.
// Shape:  six 32-bit numbers without padding, so that a key is hashed as it lies in memory. Texts are of the book's own table.
// Zone:   any.   Errors: none.
#pragma once

#include "common/accounts/account_figures.h"

namespace holdfast {

struct AllocationKey {
  AccountId account = kUnaccounted;
  AccountId principal = kUnaccounted;
  StringId class_name{0};
  StringId method{0};
  StringId thread{0};
  StringId annotation{0};

  friend bool operator==(const AllocationKey&, const AllocationKey&) noexcept = default;
};
static_assert(sizeof(AllocationKey) == 24);

}  // namespace holdfast
