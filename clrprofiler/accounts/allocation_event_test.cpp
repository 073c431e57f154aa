#include "clrprofiler/accounts/allocation_event.h"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "clrprofiler/accounts/fake_allocations.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

std::vector<std::uint8_t> bytes_of(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  return out;
}

// As .NET 10.0.12 and 9 delivered them: an object of 40 bytes, of the class Shop.Node.
constexpr std::string_view kSampled =
    "00000000000000909935657f0000530068006f0070002e004e006f0064006500000048b5c45c597f00002800000000"
    "00"
    "00000300000000000000";
constexpr std::string_view kTick =
    "689e0100000000000000689e01000000000020f91382437f0000530068006f0070002e004e006f0064006500000000"
    "00"
    "000028502669037f00002800000000000000";

}  // namespace

TEST_CASE("a sample as .NET 10 sends it") {
  const auto bytes = bytes_of(kSampled);
  Allocation told;
  REQUIRE(read_allocation(kAllocationSampled, 0, {bytes.data(), bytes.size()}, told));
  CHECK(told.type == 0x7f6535999000);
  CHECK(told.object == 0x7f595cc4b548);
  CHECK(told.bytes == 40);
  CHECK(told.probability == doctest::Approx(40.0 / 102'400).epsilon(0.001));
}

TEST_CASE("a tick as .NET 9 sends it") {
  const auto bytes = bytes_of(kTick);
  Allocation told;
  REQUIRE(read_allocation(kAllocationTick, 4, {bytes.data(), bytes.size()}, told));
  CHECK(told.type == 0x7f438213f920);
  CHECK(told.object == 0x7f0369265028);
  CHECK(told.bytes == 40);
  CHECK(told.probability == doctest::Approx(40.0 / 106'088));
  CHECK_FALSE(read_allocation(kAllocationTick, 3, {bytes.data(), bytes.size()}, told));
  CHECK(read_allocation(kAllocationTick, 5, {bytes.data(), bytes.size()}, told));
}

TEST_CASE("an object that is larger than the distance of ticks comes for certain") {
  const FakeEvent event = fake_allocation_tick(0x100, 0x200, 200'024, 200'024);
  Allocation told;
  REQUIRE(read_allocation(event.id, 4, event.payload(), told));
  CHECK(told.probability == 1);
}

TEST_CASE("a payload that is cut anywhere is none") {
  for (const auto& [id, hex] :
       {std::pair{kAllocationSampled, kSampled}, {kAllocationTick, kTick}}) {
    const auto bytes = bytes_of(hex);
    for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
      const std::vector<std::uint8_t> cut(bytes.begin(),
                                          bytes.begin() + static_cast<std::ptrdiff_t>(kept));
      Allocation told;
      CAPTURE(kept);
      CHECK_FALSE(read_allocation(id, 4, {cut.data(), cut.size()}, told));
    }
  }
}

TEST_CASE("an allocation of nothing is none") {
  Allocation told;
  for (const FakeEvent& event :
       {fake_allocation_sampled(0, 8, 8), fake_allocation_sampled(8, 0, 8),
        fake_allocation_sampled(8, 8, 0), fake_allocation_tick(0, 8, 8, 100),
        fake_allocation_tick(8, 8, 0, 100)})
    CHECK_FALSE(read_allocation(event.id, 4, event.payload(), told));
}
