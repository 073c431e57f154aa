// The name that somebody meant who misspelt one.
// Shape:  by edits (insert, delete, replace, swap) of the last part or of the whole, case aside; at most one in five letters. O(names x length^2), names cut at 200 bytes.
// Zone:   offline.   Errors: none.
#pragma once

#include <span>
#include <string_view>

namespace holdfast::cli {

// Empty when none is near.
// Of commands and other short words: one edit is near even to a word of three letters, two to one of six.
std::string_view nearest_word(std::string_view wanted, std::span<const std::string_view> words);
std::string_view nearest_name(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace holdfast::cli
