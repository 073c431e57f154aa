#include "common/class_histogram.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "common/fake_catalog.h"

using namespace holdfast;

namespace {

std::string kept_end(std::string_view name) {
  char out[kMaxHistogramName];
  keep_telling_end(name, out);
  return out;
}

}  // namespace

TEST_CASE("the largest classes are kept, and everything is summed") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<ClassCount> counts(static_cast<std::size_t>(random() % 400 + 2));
    for (ClassCount& count : counts) {
      count.instances = random() % 4;
      count.shallow_bytes = count.instances * (random() % 50);
    }
    std::vector<CountedClass> rows(static_cast<std::size_t>(random() % 60 + 1));
    const ClassTally tally = tally_classes(counts, rows);

    std::vector<std::uint32_t> order;
    std::uint64_t instances = 0;
    std::uint64_t bytes = 0;
    std::uint32_t classes = 0;
    for (std::uint32_t c = 0; c < counts.size(); ++c) {
      instances += counts[c].instances;
      bytes += counts[c].shallow_bytes;
      classes += counts[c].instances != 0 ? 1 : 0;
      if (counts[c].instances != 0 && c + 1 != counts.size()) order.push_back(c);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return counts[a].shallow_bytes > counts[b].shallow_bytes;
    });
    order.resize(std::min(order.size(), rows.size()));
    CHECK(tally.total_instances == instances);
    CHECK(tally.total_bytes == bytes);
    CHECK(tally.classes == classes);
    REQUIRE(tally.row_count == order.size());
    for (std::size_t i = 0; i < order.size(); ++i) CHECK(rows[i].class_index == order[i]);
    CHECK(sound(tally, rows, static_cast<std::uint32_t>(counts.size() - 1)));
  }
}

TEST_CASE("objects without a class count, but have no row") {
  const ClassCount counts[] = {{1, 16}, {0, 0}, {7, 700}};
  CountedClass rows[4];
  const ClassTally tally = tally_classes(counts, rows);
  CHECK(tally.total_bytes == 716);
  CHECK(tally.row_count == 1);
  CHECK(rows[0].class_index == 0);
  CHECK(tally_classes({}, rows).classes == 0);
}

TEST_CASE("what a child that ran wild left is not believed") {
  CountedClass rows[2] = {{0, 5, 50, 0}, {0, 4, 40, 1}};
  const ClassTally good{9, 90, 2, 2};
  CHECK(sound(good, rows, 2));
  ClassTally bad = good;
  bad.row_count = 3;
  CHECK_FALSE(sound(bad, rows, 2));
  bad = good;
  bad.classes = 1;
  CHECK_FALSE(sound(bad, rows, 2));
  CHECK_FALSE(sound(good, rows, 1));  // a class that is none
  bad = good;
  bad.total_bytes = 89;
  CHECK_FALSE(sound(bad, rows, 2));
  bad = good;
  bad.total_instances = 8;
  CHECK_FALSE(sound(bad, rows, 2));
  rows[1].shallow_bytes = UINT64_MAX - 20;  // a sum that would come around
  CHECK_FALSE(sound(good, rows, 2));
}

TEST_CASE("classes of one name and one kind of loader are one row") {
  FakeCatalog names;
  const std::uint32_t app = names.loader("app");
  const std::uint32_t first = names.loader("web.Loader \"shop\"");
  const std::uint32_t second = names.loader("web.Loader \"shop\"");
  const std::uint32_t other = names.loader("web.Loader \"blog\"");
  names.add_class("shop.Session", first);
  names.add_class("shop.Cart", app);
  names.add_class("shop.Session", second);
  names.add_class("shop.Session", other);
  const Catalog& catalog = names.catalog();
  CountedClass rows[] = {{0, 1, 10, 0}, {0, 9, 45, 1}, {0, 4, 40, 2}, {0, 3, 30, 3}};
  REQUIRE(merge_rows(catalog, rows) == 3);
  CHECK(rows[0].shallow_bytes == 50);
  CHECK(rows[0].instances == 5);
  CHECK(catalog.class_name(ClassId{rows[0].class_index}) == "shop.Session");
  CHECK(rows[1].shallow_bytes == 45);
  CHECK(rows[2].shallow_bytes == 30);
  CHECK(rows[0].identity == class_identity(catalog, catalog.classes[0]));
  CHECK(rows[0].identity != rows[2].identity);
}

TEST_CASE("the end of a long name is what tells") {
  CHECK(kept_end("shop.Session") == "shop.Session");
  const std::string fits(kMaxHistogramName - 1, 'a');
  CHECK(kept_end(fits) == fits);
  const std::string cut = kept_end(std::string(300, 'p') + ".Session");
  CHECK(cut.size() == kMaxHistogramName - 1);
  CHECK(cut.starts_with("\xE2\x80\xA6p"));
  CHECK(cut.ends_with(".Session"));
  // 3-byte code points do not divide what is left: the first one that is whole begins the text.
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "\xE6\x97\xA5";
  const std::string whole = kept_end(wide);
  CHECK(whole.size() % 3 == 0);
  CHECK(whole.size() > kMaxHistogramName - 5);
  CHECK(whole.substr(3, 3) == "\xE6\x97\xA5");
}
