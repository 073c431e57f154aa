#include "common/notes.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "common/utf8.h"

using namespace holdfast;

TEST_CASE("notes are kept in order, up to their number, and the rest is counted") {
  Notes notes;
  for (std::size_t i = 0; i < Notes::kMaxNotes + 3; ++i) notes.add("note %zu", i);
  CHECK(notes.all().size() == Notes::kMaxNotes);
  CHECK(std::string(notes.all()[0].text) == "note 0");
  CHECK(std::string(notes.all()[31].text) == "note 31");
  CHECK(notes.dropped() == 3);
  notes.clear();
  CHECK(notes.all().empty());
  CHECK(notes.dropped() == 0);
}

TEST_CASE("a note that is too long is cut between code points") {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string text(shift, 'x');
    while (text.size() < 400) text += "\xF0\x9F\x90\x8C";
    Notes notes;
    notes.add("%s", text.c_str());
    std::string_view seen = notes.all()[0].text;
    CHECK(seen.size() < Note::kMaxNoteBytes);
    CHECK(seen.size() > Note::kMaxNoteBytes - 6);
    while (!seen.empty()) {
      const std::size_t step = utf8_step(seen);
      REQUIRE(step != 0);
      seen.remove_prefix(step);
    }
  }
}
