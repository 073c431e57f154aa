#include "common/ages/sampled_ages.h"

#include <doctest/doctest.h>

#include "common/accounts/account_fixture.h"
#include "common/ages/loitering.h"

using namespace holdfast;

namespace {

struct AgedBook {
  TestBook test{sampled_by(0)};
  TestArena scratch{std::uint64_t{16} << 20};

  void born(const char* class_name, std::uint64_t at, int objects = 1) {
    for (int i = 0; i < objects; ++i)
      test.book.sampled(test.key(0, class_name), 100, SampleMoment{0, at});
  }
  SampledAges read(std::uint64_t since, std::uint64_t now, std::uint64_t mark = 0) {
    scratch.arena().reset();
    auto ages = read_sampled_ages(test.book, {since, now, {mark, 0}}, scratch.arena());
    REQUIRE(ages);
    return *ages;
  }
  const SampledClass* find(const SampledAges& ages, std::string_view name) {
    for (const SampledClass& of : ages.classes)
      if (test.book.names().view(of.name) == name) return &of;
    return nullptr;
  }
};

}  // namespace

TEST_CASE(
    "a class's samples stand in the ranges of their ages, and the old ones know their births") {
  AgedBook book;
  book.born("shop.Young", 100, 3);
  book.born("shop.Old", 90, 2);
  book.born("shop.Old", 60);
  const SampledAges ages = book.read(50, 101);
  REQUIRE(ages.classes.size() == 2);
  const SampledClass* const young = book.find(ages, "shop.Young");
  REQUIRE(young != nullptr);
  CHECK(young->samples[age_range(1)] == 3);
  CHECK(young->all_objects() == 3);
  CHECK(young->all_bytes() == 300);
  CHECK(young->old_samples == 0);
  CHECK(young->old_objects() == 0);
  const SampledClass* const old = book.find(ages, "shop.Old");
  REQUIRE(old != nullptr);
  CHECK(old->samples[age_range(11)] == 2);
  CHECK(old->samples[age_range(41)] == 1);
  CHECK(old->old_samples == 3);
  CHECK(old->distinct_births() == 2);
}

TEST_CASE("who has died is told by the age that it died at, and when the last one was born") {
  AccountSettings settings = sampled_by(0);
  settings.ages = true;
  TestBook test(settings);
  TestArena scratch{std::uint64_t{16} << 20};
  const AllocationKey cart = test.key(0, "shop.Cart");
  const AccountBook::LiveTag first = test.book.sampled(cart, 100, {0, 10});
  const AccountBook::LiveTag second = test.book.sampled(cart, 100, {0, 12});
  test.book.sampled(cart, 100, {0, 17});
  test.book.died(first, 11);
  test.book.died(first, 30);  // it has died already
  test.book.died(second, 17);
  test.book.died(AccountBook::LiveTag{0}, 17);
  const auto ages = read_sampled_ages(test.book, {0, 20, {}}, scratch.arena());
  REQUIRE(ages);
  REQUIRE(ages->classes.size() == 1);
  const ClassLife& life = ages->classes[0].life;
  CHECK(life.died_samples[age_range(1)] == 1);
  CHECK(life.died_samples[age_range(5)] == 1);
  CHECK(life.died_objects[age_range(5)] == 1);
  CHECK(life.last_born == 17);
  CHECK(life.samples == 3);
}

TEST_CASE("a class that is followed alone falls silent, too: what was passed over counts on") {
  AccountSettings settings = sampled_by(0);
  settings.ages = true;
  TestBook test(settings);
  TestArena scratch{std::uint64_t{16} << 20};
  const auto silence = [&](std::uint64_t now) {
    scratch.arena().reset();
    const auto ages = read_sampled_ages(test.book, {0, now, {}, now * 1000}, scratch.arena());
    REQUIRE(ages);
    REQUIRE(ages->classes.size() == 1);
    return silence_of(ages->classes[0].life, ages->span, now * 1000);
  };
  for (std::uint64_t at = 1; at <= 100; ++at) {
    test.book.sampled(test.key(0, "shop.Cart"), 8, {0, at, at * 1000});
    test.book.pass_over(3);
  }
  CHECK(silence(150).chance == 1);  // others do not go on either
  test.book.pass_over(150);
  CHECK(silence(150).samples == 153);
  CHECK(silence(150).chance < 1e-9);
}

TEST_CASE(
    "a class of which nobody lives has had a life; more classes than there is room for share one") {
  AccountSettings settings = sampled_by(0);
  settings.ages = true;
  TestBook test(settings);
  for (std::size_t i = 0; i < ClassLives::kMostClasses + 5; ++i)
    test.book.died(test.book.sampled(test.key(0, "shop.C" + std::to_string(i)), 8, {0, 3}), 5);
  ClassLife life;
  CHECK(test.book.life_of(test.book.name("shop.C7"), life));
  CHECK(life.died_samples[age_range(2)] == 1);
  const std::string beyond = "shop.C" + std::to_string(ClassLives::kMostClasses + 2);
  CHECK_FALSE(test.book.life_of(test.book.name(beyond), life));
}

TEST_CASE("who died is not counted, and a book without samples has no classes") {
  AgedBook book;
  CHECK(book.read(0, 10).classes.empty());
  const AccountBook::LiveTag tag =
      book.test.book.sampled(book.test.key(0, "shop.Cart"), 8, SampleMoment{0, 1});
  CHECK(book.read(0, 10).classes.size() == 1);
  book.test.book.died(tag);
  CHECK(book.read(0, 10).classes.empty());
}

TEST_CASE("births fill the sixteenths of the windows that they lie in") {
  AgedBook book;
  for (std::uint64_t at = 0; at < 1000; ++at) book.born("shop.Leak", at);
  book.born("shop.Cache", 1, 50);
  const SampledAges ages = book.read(0, 1000);
  const SampledClass* const leak = book.find(ages, "shop.Leak");
  const SampledClass* const cache = book.find(ages, "shop.Cache");
  REQUIRE(leak != nullptr);
  REQUIRE(cache != nullptr);
  REQUIRE(leak->windows == 4);  // 32, 128, 512, all
  for (int w = 0; w < leak->windows; ++w) CHECK(leak->births[w] == 0xFFFF);
  CHECK(leak->distinct_births() == 256);
  for (int w = 0; w + 1 < cache->windows; ++w) CHECK(cache->births[w] == 0);
  CHECK(cache->births[cache->windows - 1] == 0x8000);  // the earliest
  CHECK(cache->distinct_births() == 1);
}

TEST_CASE("old ones that were born from a mark on are told apart") {
  AgedBook book;
  book.born("shop.Cart", 10, 3);
  book.born("shop.Cart", 20, 4);
  book.born("shop.Cart", 29, 5);  // not old yet
  const SampledAges ages = book.read(0, 30, 20);
  REQUIRE(ages.classes.size() == 1);
  CHECK(ages.classes[0].old_samples == 7);
  CHECK(ages.classes[0].since_mark[0].samples == 4);
  CHECK(ages.classes[0].since_mark[0].objects == 4);
  CHECK(ages.classes[0].since_mark[1].samples == 7);
}

TEST_CASE("a count of collections that has come round still tells ages") {
  AgedBook book;
  constexpr std::uint64_t kRound = std::uint64_t{1} << 24;
  book.born("shop.Cart", kRound - 3);
  const SampledAges ages = book.read(0, kRound + 2);
  REQUIRE(ages.classes.size() == 1);
  CHECK(ages.classes[0].samples[age_range(5)] == 1);
}

TEST_CASE("more classes than there is room for are summed up without a name") {
  AgedBook book;
  constexpr int kMore = 10;
  const int classes = static_cast<int>(kMostAgedClasses) + kMore;
  for (int i = 0; i < classes; ++i) book.born(("shop.C" + std::to_string(i)).c_str(), 0);
  const SampledAges ages = book.read(0, 8);
  CHECK(ages.classes.size() == kMostAgedClasses);
  CHECK(ages.rest.all_samples() == kMore);
}

TEST_CASE("no room: an error, and nothing stays") {
  AgedBook book;
  book.born("shop.Cart", 0);
  TestArena small{std::uint64_t{64} << 10};
  CHECK_FALSE(read_sampled_ages(book.test.book, {0, 1, {}}, small.arena()));
  CHECK(small.arena().used_bytes() == 0);
}
