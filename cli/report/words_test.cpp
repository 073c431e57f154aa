#include "cli/report/words.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr auto kLastRoot = static_cast<std::uint8_t>(Root::kPossibleStackSlot);

PathView in_run(Root root) {
  PathView path;
  path.root = root;
  path.thread = "worker-1";
  path.frame_class = "shop.Worker";
  path.frame_method = "run";
  path.frame_depth = 3;
  path.slot = 2;
  return path;
}

PathView without_frame(Root root) {
  PathView path = in_run(root);
  path.frame_class = path.frame_method = {};
  return path;
}

}  // namespace

TEST_CASE("words: every kind of GC root has its own, for programs and for people") {
  for (std::uint8_t kind = 0; kind <= kLastRoot; ++kind) {
    const Root root{kind};
    CAPTURE(kind);
    CHECK((word(root) == "other") == (root == Root::kOther));
    CHECK(phrase(root) != "other");
    for (std::uint8_t before = 0; before < kind; ++before) {
      CHECK(word(root) != word(Root{before}));
      CHECK(phrase(root) != phrase(Root{before}));
    }
  }
}

TEST_CASE("words: an object has its number behind its name, and is known since an earlier dump") {
  ObjectView object;
  object.class_name = "shop.Cache";
  OriginView origin;
  origin.sequence = 5;
  origin.started_utc_ms = 1'795'249'412'004;
  CHECK(object_text(object) == "shop.Cache");
  CHECK(known_text(object, origin).empty());
  object.identity = 17;
  object.first_sequence = 5;
  CHECK(object_text(object) == "shop.Cache #17");
  CHECK(known_text(object, origin).empty());
  object.first_sequence = 3;
  object.first_utc_ms = origin.started_utc_ms - 130 * 60'000;
  CHECK(known_text(object, origin) ==
        "known since dump 3 of 2026-11-21 06:13:32 UTC, 2 h 10 min earlier");
  object.first_utc_ms = origin.started_utc_ms + 1000;  // the clock was set back
  CHECK(known_text(object, origin) == "known since dump 3 of 2026-11-21 08:23:33 UTC");
}

TEST_CASE("words: where a path starts, for a local and for what may be one") {
  CHECK(root_text(in_run(Root::kStackLocal)) ==
        "local variable of shop.Worker.run() in thread \"worker-1\" (frame 3, slot 2)");
  CHECK(root_brief(in_run(Root::kStackLocal)) == "local of shop.Worker.run()");
  CHECK(
      root_text(in_run(Root::kPossibleStackSlot)) ==
      "stack slot that may hold it, of shop.Worker.run() in thread \"worker-1\" (frame 3, slot 2)");
  CHECK(root_brief(in_run(Root::kPossibleStackSlot)) == "possible stack slot of shop.Worker.run()");
}

TEST_CASE("words: a possible stack slot in code without a name, and in a thread without one") {
  PathView path = without_frame(Root::kPossibleStackSlot);
  CHECK(word(path.root) == "possible_stack_slot");
  CHECK(root_text(path) == "stack slot that may hold it, in thread \"worker-1\"");
  CHECK(root_brief(path) == "stack slot that may hold it");
  path.thread = {};
  CHECK(root_text(path) == "stack slot that may hold it");
}
