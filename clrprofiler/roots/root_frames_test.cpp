#include "clrprofiler/roots/root_frames.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/lab/random.h"
#include "analysis/lab/test_arena.h"

using namespace holdfast;
using namespace holdfast::clr;
using analysis::lab::Random;

namespace {

// Stacks as words: each letter a function, the leaf first.
struct Stacks {
  explicit Stacks(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      stretches.push_back(
          {static_cast<std::uint32_t>(functions.size()), static_cast<std::uint32_t>(word.size())});
      for (const char letter : word) functions.push_back(static_cast<std::uint64_t>(letter));
    }
  }
  std::vector<std::uint64_t> functions;
  std::vector<FrameStretch> stretches;
};

struct Matched {
  std::uint32_t count = 0;
  std::vector<RootFrame> frames;
};

Matched match(const Stacks& stacks, const std::vector<std::uint64_t>& roots) {
  analysis::lab::TestArena memory;
  Matched matched;
  matched.frames.assign(roots.size(), RootFrame{1, 1});
  const auto count =
      match_root_frames(stacks.functions, stacks.stretches, roots, matched.frames, memory.arena());
  REQUIRE(count.ok());
  matched.count = *count;
  CHECK(memory.arena().used_bytes() == 0);
  return matched;
}

// '0' is an unknown function. Of each root "thread.depth", or "-".
std::string matched_text(const std::vector<std::string>& words, const std::string& roots) {
  std::vector<std::uint64_t> functions;
  for (const char letter : roots)
    functions.push_back(letter == '0' ? 0 : static_cast<std::uint64_t>(letter));
  std::string text;
  for (const RootFrame& frame : match(Stacks(words), functions).frames) {
    if (!text.empty()) text += ' ';
    text += frame.found() ? std::to_string(frame.stack) + '.' + std::to_string(frame.depth) : "-";
  }
  return text;
}

// Every chain there is, for a few letters: the most groups that can be matched.
std::size_t longest_by_trying(const std::string& frames, const std::string& groups) {
  std::vector<std::vector<std::size_t>> best(groups.size() + 1,
                                             std::vector<std::size_t>(frames.size() + 1, 0));
  for (std::size_t g = groups.size(); g-- > 0;)
    for (std::size_t f = frames.size(); f-- > 0;)
      best[g][f] = std::max(
          {best[g + 1][f], best[g][f + 1], groups[g] == frames[f] ? 1 + best[g + 1][f + 1] : 0});
  return best[0][0];
}

}  // namespace

TEST_CASE("root frames: a recursion with a million roots takes no longer than to look at them") {
  Stacks stacks({std::string(1 << 14, 'r') + "m"});
  std::vector<std::uint64_t> roots(1'000'000, 'r');  // by pairs: 5 * 10^11 steps
  roots.push_back('m');
  const Matched matched = match(stacks, roots);
  CHECK(matched.count == roots.size());
  CHECK(matched.frames[999'999].depth == 0);  // of the stretch that the recursion is
  CHECK(matched.frames.back().depth == 1 << 14);
}

TEST_CASE("root frames: thread by thread, the leaf first") {
  CHECK(matched_text({"abc", "de"}, "abde") == "0.0 0.1 1.0 1.1");
  CHECK(matched_text({"abc", "de"}, "aacce") == "0.0 0.0 0.2 0.2 1.1");
  CHECK(matched_text({"abc", "abc"}, "abcabc") == "0.0 0.1 0.2 1.0 1.1 1.2");
  CHECK(matched_text({}, "ab") == "- -");
  CHECK(matched_text({"ab"}, "").empty());
  CHECK(matched_text({"", "ab", ""}, "ab") == "1.0 1.1");
}

TEST_CASE("root frames: unknown functions stay unknown, and part what they stand between") {
  CHECK(matched_text({"ab", "a"}, "a0a") == "0.0 - 1.0");
  CHECK(matched_text({"ab"}, "a0b") == "0.0 - 0.1");
  CHECK(matched_text({"ab"}, "0") == "-");
}

TEST_CASE("root frames: a thread that runs on does not lead the others astray") {
  // 'w' has been left by thread 0 and stands in the last thread: a matcher that only looks forward would jump there.
  CHECK(matched_text({"ab", "cd", "ef", "wx"}, "wbcdef") == "- 0.1 1.0 1.1 2.0 2.1");
}

TEST_CASE("root frames: threads that ended or began in between") {
  CHECK(matched_text({"ab", "cd", "ef"}, "abef") == "0.0 0.1 2.0 2.1");
  CHECK(matched_text({"ab", "ef"}, "abcdef") == "0.0 0.1 - - 1.0 1.1");
  CHECK(matched_text({"ab"}, "abyz") == "0.0 0.1 - -");
}

TEST_CASE(
    "root frames: roots in another order than the stacks are matched in part, never wrongly") {
  CHECK(matched_text({"ab", "cd"}, "cdab") == "- - 0.0 0.1");
}

TEST_CASE("root frames: recursion gives the topmost frame of each run") {
  CHECK(matched_text({"fffg", "f"}, "ffg") == "0.0 0.0 0.3");
  CHECK(matched_text({"fgfgh"}, "fgfgh") == "0.0 0.1 0.2 0.3 0.4");
  CHECK(matched_text({"fgfgh"}, "fgh") == "0.0 0.1 0.4");
}

TEST_CASE(
    "root frames: all stacks that are as they were are found, whatever happened to the others") {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> then;
    std::string roots;
    std::string expected;
    const std::uint32_t threads = 1 + random.below(8);
    for (std::uint32_t t = 0; t < threads; ++t) {
      // Functions of their own, so that there is only one answer.
      std::string stack;
      for (char d = 0; d < 3; ++d) stack += static_cast<char>('A' + static_cast<char>(t) * 3 + d);
      if (random.chance(75)) then.push_back(stack);
      const bool was_there = !then.empty() && then.back() == stack;
      if (random.chance(20)) continue;
      for (std::size_t d = 0; d < stack.size(); ++d) {
        roots += stack[d];
        expected += expected.empty() ? "" : " ";
        expected += was_there ? std::to_string(then.size() - 1) + '.' + std::to_string(d)
                              : std::string("-");
      }
    }
    CHECK(matched_text(then, roots) == expected);
  }
}

TEST_CASE("root frames: the chain is as long as any, grows, and pairs equal functions") {
  Random random(7);
  for (int round = 0; round < 3000; ++round) {
    const std::uint32_t letters = 1 + random.below(4);
    const auto word = [&](std::uint32_t most) {
      std::string made;
      for (std::uint32_t i = random.below(most + 1); i > 0; --i)
        made += static_cast<char>('a' + static_cast<char>(random.below(letters)));
      return made;
    };
    const std::vector<std::string> words{word(5), word(5), word(5)};
    const std::string roots = word(12);
    const Stacks stacks(words);
    const Matched matched = match(stacks, {roots.begin(), roots.end()});
    std::string runs;
    for (const std::string& each : words) {
      std::string own = each;
      own.erase(std::unique(own.begin(), own.end()), own.end());
      runs += own;
    }
    std::string groups = roots;
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    RootFrame before{0, 0};
    std::size_t found_groups = 0;
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const RootFrame& at = matched.frames[i];
      if (i > 0 && roots[i] == roots[i - 1]) REQUIRE(at == matched.frames[i - 1]);
      if (!at.found()) continue;
      ++found;
      found_groups += i == 0 || roots[i] != roots[i - 1] ? 1 : 0;
      REQUIRE(words[at.stack][at.depth] == roots[i]);
      REQUIRE((at.stack > before.stack || (at.stack == before.stack && at.depth >= before.depth)));
      before = at;
    }
    CHECK(found == matched.count);
    CHECK(found_groups == longest_by_trying(runs, groups));
  }
}

TEST_CASE("root frames: deep mutual recursion and a thousand equal threads end soon") {
  std::string deep;
  for (int i = 0; i < 16000; ++i) deep += i % 2 == 0 ? 'f' : 'g';
  const Stacks one({deep});
  const Matched recursion = match(one, {deep.begin(), deep.end()});
  CHECK(recursion.count >= 512);
  std::vector<std::string> many(1000, "waits");
  std::string roots;
  for (int i = 0; i < 1000; ++i) roots += "waits";
  const Matched equal = match(Stacks(many), {roots.begin(), roots.end()});
  CHECK(equal.count == 5000);
  CHECK(equal.frames.back() == RootFrame{999, 4});
}

TEST_CASE("root frames: without memory none is found, and it is told") {
  analysis::lab::TestArena memory(4096);
  const Stacks stacks({std::string(10'000, 'a')});
  std::vector<std::uint64_t> roots(10, 'a');
  std::vector<RootFrame> frames(10, RootFrame{0, 0});
  const auto count =
      match_root_frames(stacks.functions, stacks.stretches, roots, frames, memory.arena());
  REQUIRE_FALSE(count.ok());
  CHECK(count.error().code == ErrorCode::kOutOfBudget);
  for (const RootFrame& frame : frames) CHECK_FALSE(frame.found());
}
