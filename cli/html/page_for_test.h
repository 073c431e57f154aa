// What tests of pages share: the document in a page, taken out again, and names that would do something if they ever became markup.
// Shape:  plain functions.   Zone: tests.   Errors: doctest's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/html/html_page.h"

namespace holdfast::cli {

// Would be a script, a picture or an order to a terminal, if it were not data.
extern const std::string kHostileName;

std::string between(const std::string& text, const std::string& before, const std::string& after);
std::size_t count(const std::string& text, std::string_view what);
// The document as it is packed, each text once; and with the texts back in their places.
std::string packed_of(const std::string& page);
Json document_of(const std::string& page);
// Its own script and style are allowed, everything else is forbidden.
void check_policy(const std::string& page, const PageAssets& assets);

}  // namespace holdfast::cli
