#include "cli/text/display_text.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

TEST_CASE("display text: what could act on a terminal is escaped") {
  CHECK(printable("plain.Name$1") == "plain.Name$1");
  CHECK(printable("a\x1b]0;owned\x07z") == "a\\u001b]0;owned\\u0007z");
  CHECK(printable("two\nlines\ttab\x7f") == "two\\u000alines\\u0009tab\\u007f");
  CHECK(printable("\u009b31m") == "\\u009b31m");  // CSI as one C1 character
  CHECK(printable("\u202Egnp.exe\u2066") == "\\u202egnp.exe\\u2066");
  CHECK(printable("zero\u200Bwidth\uFEFF") == "zero\\u200bwidth\\ufeff");
  CHECK(printable("größe.Ünïcode") == "größe.Ünïcode");
  CHECK(printable(printable("\x1b[1m")) == printable("\x1b[1m"));
}

TEST_CASE("display text: invalid UTF-8 becomes the replacement character") {
  CHECK(printable("a\xff") == "a\uFFFD");
  CHECK(printable("\xc3") == "\uFFFD");                      // cut
  CHECK(printable("\xc0\x80") == "\uFFFD\uFFFD");            // overlong
  CHECK(printable("\xed\xa0\x80") == "\uFFFD\uFFFD\uFFFD");  // a surrogate
}

TEST_CASE("display text: columns of wide, narrow and combining characters") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("→…") == 2);
  CHECK(display_width("漢字") == 4);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("😀") == 2);
  CHECK(prefix_of_width("漢字x", 3) == "漢");
  CHECK(suffix_of_width("漢字x", 2) == "x");
  CHECK(suffix_of_width("abc", 10) == "abc");
}

TEST_CASE("display text: lines break between words, never between a number and its unit") {
  CHECK(wrap_words("", 10).empty());
  CHECK(wrap_words("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap_words("about 61.3 MB, 72 % of", 12) ==
        std::vector<std::string>{"about", "61.3 MB,", "72 % of"});
  CHECK(wrap_words("abcdefghij", 4) == std::vector<std::string>{"abcd", "efgh", "ij"});
  CHECK(wrap_words("漢字", 1) ==
        std::vector<std::string>{"漢", "字"});  // one column is not enough, but it ends
}
