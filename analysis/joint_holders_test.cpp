#include "analysis/joint_holders.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/class_figures.h"
#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/test_heap.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::TestHeap;

namespace {

constexpr std::uint32_t kItems = 2000;

struct Shop {
  TestHeap heap;
  ObjectId server = heap.object(heap.klass("shop.Server", {"a", "b", "c", "d"}), 32);
  std::vector<ObjectId> items;

  Shop() {
    for (std::uint32_t i = 0; i < kItems; ++i)
      items.push_back(heap.object(heap.klass("shop.DataObject", {"next"}), 1024));
    heap.static_field(heap.klass("shop.Main", {"SERVER"}), "SERVER", server);
  }
  ObjectId holder(std::string_view name, std::string_view field, std::uint32_t from = 0,
                  std::uint32_t to = kItems) {
    const ObjectId made = heap.object(heap.klass(std::string(name)), 64);
    for (std::uint32_t i = from; i < to; ++i) heap.element(made, i, items[i]);
    heap.field(server, std::string(field), made);
    return made;
  }
  // The sentence of the first suspect, or "".
  std::string sentence() {
    const Snapshot s = heap.snapshot();
    AnalysedHeap analysed(s);
    const auto classes = AnalysedHeap::or_abort(
        class_figures(s, analysed.dominators, AnalysedHeap::arena(), analysed.cancel));
    const auto suspects = AnalysedHeap::or_abort(
        find_suspects({analysed.references, analysed.reachability, analysed.dominators, classes},
                      AnalysedHeap::arena(), analysed.cancel));
    REQUIRE(!suspects.empty());
    for (const Evidence& one : suspects[0].evidence)
      if (const std::string_view text(one.text); text.find("without") != std::string_view::npos)
        return std::string(text);
    return "";
  }
};

}  // namespace

TEST_CASE("joint holders: a buffer and an analysis of one server hold the same objects") {
  Shop shop;
  shop.holder("shop.Buffer", "a");
  const ObjectId analysis = shop.heap.object(shop.heap.klass("shop.Analysis", {"results"}), 24);
  const ObjectId results = shop.heap.object(shop.heap.klass("shop.ResultList"), 64);
  shop.heap.field(shop.server, "b", analysis);
  shop.heap.field(analysis, "results", results);
  for (std::uint32_t i = 0; i < kItems; ++i) shop.heap.element(results, i, shop.items[i]);
  CHECK(shop.sentence() ==
        "One shop.Analysis and one shop.Buffer lead to them: without both 2.0 MB go, without one "
        "at most 88 B.");
}

TEST_CASE("joint holders: three that only go together, and a fourth that has few") {
  Shop shop;
  shop.holder("shop.Buffer", "a");
  shop.holder("shop.Index", "b");
  shop.holder("shop.Journal", "c");
  shop.holder("shop.Recent", "d", 0, 10);
  const std::string said = shop.sentence();
  CHECK(said.find("without all 1.9 MB go") != std::string::npos);
  CHECK(said.find("Recent") == std::string::npos);
}

TEST_CASE(
    "joint holders: members that lead to each other go only when nothing leads to any of them") {
  constexpr std::uint32_t kFirst = 1100;
  Shop shop;
  shop.holder("shop.Buffer", "a", 0, kFirst);
  shop.holder("shop.Index", "b", 0, kFirst);
  shop.holder("shop.Journal", "c", kFirst);
  shop.holder("shop.Copy", "d", kFirst);
  for (std::uint32_t i = 0; kFirst + i < kItems; ++i) {
    shop.heap.field(shop.items[kFirst + i], "next", shop.items[i]);
    shop.heap.element(shop.items[kFirst + i], 0, shop.items[i + kFirst - (kItems - kFirst)]);
  }
  // Without Buffer and Index, which have the most, all are there still: the others lead to them.
  const std::string said = shop.sentence();
  CHECK(said.find("shop.Journal") != std::string::npos);
  CHECK(said.find("shop.Copy") != std::string::npos);
  CHECK(said.find("without both 900") != std::string::npos);
}

TEST_CASE("joint holders: none where the accumulation point refers to them itself") {
  Shop shop;
  shop.holder("shop.Buffer", "a");
  shop.holder("shop.Index", "b");
  for (std::uint32_t i = 0; i < kItems; ++i) shop.heap.element(shop.server, i, shop.items[i]);
  CHECK(shop.sentence().empty());
}
