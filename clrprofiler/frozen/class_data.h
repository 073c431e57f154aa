// The runtime's data about classes, made the child's own: with W^X it lies in memory that a clone shares, and the runtime goes on writing there.
// Shape:  its mappings are replaced by copies at the same addresses (platforms/private_copy.h). First of all that a child does.
// Zone:   child.   Errors: kRefused with errno, kOutOfBudget.
#pragma once

#include "common/arena.h"
#include "common/result.h"

namespace holdfast::clr {

Result<void> own_class_data(Arena& arena) noexcept;

}  // namespace holdfast::clr
