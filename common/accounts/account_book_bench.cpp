#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "common/accounts/account_fixture.h"
#include "platforms/clock.h"

using namespace holdfast;

namespace {

double ns_each(std::uint64_t began_ns, std::size_t count) {
  return static_cast<double>(platforms::monotonic_ns() - began_ns) / static_cast<double>(count);
}

}  // namespace

TEST_CASE("what the book costs: a match, a name, a sample, a death, a read") {
  std::string patterns = "shop.*";
  for (int i = 0; i < 40; ++i) patterns += "+com.acme.part" + std::to_string(i) + ".*";
  TestBook test(sampled_by(512 << 10), patterns);
  constexpr std::size_t kTimes = 100'000;
  std::uint64_t began = platforms::monotonic_ns();
  std::uint64_t matched = 0;
  for (std::size_t i = 0; i < kTimes; ++i)
    matched +=
        test.book.patterns().match("org.apache.catalina.core.StandardWrapperValve$Inner", {});
  std::printf("  match, none of 41: %.0f ns (%d)\n", ns_each(began, kTimes),
              static_cast<int>(matched));
  began = platforms::monotonic_ns();
  AllocationKey key;
  for (std::size_t i = 0; i < kTimes; ++i)
    key = test.key(1, "org.apache.catalina.core.StandardWrapperValve");
  std::printf("  name: %.0f ns\n", ns_each(began, kTimes));
  for (const std::uint32_t rows : {1'000u, 60'000u}) {
    std::vector<AllocationKey> keys;
    for (std::uint32_t i = 0; i < rows; ++i)
      keys.push_back(test.key(1, "shop.C" + std::to_string(i)));
    std::vector<AccountBook::LiveTag> tags;
    began = platforms::monotonic_ns();
    for (std::size_t i = 0; i < kTimes; ++i)
      tags.push_back(test.book.sampled(keys[i * 7919 % rows], 24));
    std::printf("  %u rows: a sample %.0f ns", rows, ns_each(began, kTimes));
    test.read();
    began = platforms::monotonic_ns();
    const AccountFigures figures = test.read();
    std::printf(", a read of %zu rows and %zu live samples %.2f ms", figures.rows.size(), kTimes,
                ns_each(began, 1'000'000));
    began = platforms::monotonic_ns();
    for (const AccountBook::LiveTag tag : tags) test.book.died(tag);
    std::printf(", a death %.0f ns\n", ns_each(began, kTimes));
  }
}
