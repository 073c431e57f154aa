#include "cli/surroundings.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace holdfast;
using namespace holdfast::cli;

TEST_CASE("surroundings: width asked for, then COLUMNS, then the terminal, then 80") {
  std::ostringstream out;
  Surroundings surroundings{out, out};
  CHECK(choose_columns(0, surroundings) == 80);
  surroundings.terminal_columns = 132;
  CHECK(choose_columns(0, surroundings) == 80);  // not a terminal
  surroundings.out_is_terminal = true;
  CHECK(choose_columns(0, surroundings) == 132);
  surroundings.columns_variable = "100";
  CHECK(choose_columns(0, surroundings) == 100);
  CHECK(choose_columns(64, surroundings) == 64);
  surroundings.columns_variable = "7";
  CHECK(choose_columns(0, surroundings) == kLeastColumns);
  surroundings.columns_variable = "99999999";
  CHECK(choose_columns(0, surroundings) == kMostColumns);
  surroundings.columns_variable = "wide";
  CHECK(choose_columns(0, surroundings) == 132);
}

TEST_CASE(
    "surroundings: colours on a terminal only, NO_COLOR and TERM=dumb respected, a person's word "
    "first") {
  std::ostringstream out;
  Surroundings surroundings{out, out};
  CHECK_FALSE(choose_colour(ColourChoice::kAuto, surroundings));
  CHECK(choose_colour(ColourChoice::kAlways, surroundings));
  surroundings.out_is_terminal = true;
  CHECK(choose_colour(ColourChoice::kAuto, surroundings));
  CHECK_FALSE(choose_colour(ColourChoice::kNever, surroundings));
  surroundings.dumb_terminal = true;
  CHECK_FALSE(choose_colour(ColourChoice::kAuto, surroundings));
  surroundings.dumb_terminal = false;
  surroundings.no_color = true;
  CHECK_FALSE(choose_colour(ColourChoice::kAuto, surroundings));
  CHECK(choose_colour(ColourChoice::kAlways, surroundings));
}

TEST_CASE("UTF-8: the first locale variable that is set decides; none is taken for UTF-8") {
  CHECK(locale_is_utf8("", "", "en_US.UTF-8"));
  CHECK(locale_is_utf8("", "C.utf8", "C"));
  CHECK(locale_is_utf8("", "", ""));
  CHECK_FALSE(locale_is_utf8("C", "", "en_US.UTF-8"));
  CHECK_FALSE(locale_is_utf8("", "POSIX", "en_US.UTF-8"));
  CHECK_FALSE(locale_is_utf8("", "", "de_DE.ISO-8859-1"));
}
