// A judgement of growth for programs, alike for classes, accounts and the heap.
// Shape:  course, per_hour, chance, chance_of_any.   Zone: offline.   Errors: none.
#pragma once

#include "cli/compare/growth_judgment.h"
#include "cli/report/json_value.h"

namespace holdfast::cli {

Json growth_json(const Growth& growth);

}  // namespace holdfast::cli
