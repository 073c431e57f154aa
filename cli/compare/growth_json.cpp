#include "cli/compare/growth_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

Json growth_json(const Growth& growth) {
  const bool judged = growth.course != Course::kTooFew;
  return {{"course", word(growth.course)},
          {"per_hour", std::llround(growth.per_hour)},
          {"chance", judged ? Json(growth.chance) : Json(nullptr)},
          {"chance_of_any", judged ? Json(growth.chance_of_any) : Json(nullptr)}};
}

}  // namespace holdfast::cli
