// The name that somebody meant who misspelt one.
// Shape:  by edits (insert, delete, replace, swap) of the last part or of the whole, case aside; at most one in five letters. O(names x length^2), names cut at 200 bytes.
// Zone:   offline.   Errors: none.
#pragma once

#include <span>
#include <string_view>

namespace holdfast::cli {

// Empty when none is near.
std::string_view nearest_name(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace holdfast::cli
