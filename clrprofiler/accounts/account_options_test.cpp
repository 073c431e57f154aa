#include "clrprofiler/accounts/account_options.h"

#include <doctest/doctest.h>

#include "clrprofiler/accounts/accounts_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

Options fitted(int version, int major, std::uint64_t sample_bytes) {
  FakeAllocations runtime;
  runtime.version = version;
  runtime.major = major;
  ProfilerInfo info;
  REQUIRE(info.open(runtime.unknown()));
  Options options;
  options.accounts[0] = '*';
  options.sample_bytes = sample_bytes;
  fit_accounts(info, options);
  return options;
}

}  // namespace

TEST_CASE("a distance below the runtime's own becomes that, a larger one stays") {
  CHECK(fitted(15, 10, 1'000).sample_bytes == kSampledEveryBytes);
  CHECK(fitted(15, 9, 1'000).sample_bytes == AllocationSession::kLeastTickInterval);
  CHECK(fitted(15, 10, 0).sample_bytes == kSampledEveryBytes);
  CHECK(fitted(15, 10, 1'000'000).sample_bytes == 1'000'000);
}

TEST_CASE("without sessions there are no accounts") {
  CHECK(fitted(15, 10, 1'000'000).accounts[0] == '*');
  CHECK(fitted(11, 3, 1'000'000).accounts[0] == '\0');
}

TEST_CASE("without accounts= nothing is changed") {
  FakeAllocations runtime;
  ProfilerInfo info;
  REQUIRE(info.open(runtime.unknown()));
  Options options;
  options.sample_bytes = 1;
  fit_accounts(info, options);
  CHECK(options.sample_bytes == 1);
}
