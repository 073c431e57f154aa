#include "cli/attach/vm_readiness.h"

#include <doctest/doctest.h>

#include <string>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

std::string head(const std::string& magic, char major, char accessible) {
  return magic + '\1' + major + '\0' + accessible;
}

const std::string kMagic = "\xca\xfe\xc0\xc0", kMagicBackwards = "\xc0\xc0\xfe\xca";

}  // namespace

TEST_CASE("the byte behind the version tells; either byte order") {
  for (const std::string& magic : {kMagic, kMagicBackwards}) {
    CHECK(readiness_from(head(magic, 2, 0)) == VmReadiness::kStarting);
    CHECK(readiness_from(head(magic, 2, 1)) == VmReadiness::kReady);
  }
}

TEST_CASE("another version, another file, too short a file") {
  CHECK(readiness_from(head(kMagic, 3, 1)) == VmReadiness::kUnknown);
  CHECK(readiness_from(head("abcd", 2, 1)) == VmReadiness::kUnknown);
  CHECK(readiness_from(head(kMagic, 2, 1).substr(0, 7)) == VmReadiness::kUnknown);
  CHECK(readiness_from("") == VmReadiness::kUnknown);
}

TEST_CASE("no counters: only a young process is waited for") {
  Target target;
  REQUIRE(platforms::read_other_process(1, target.process) == 0);
  const Patience patience(10'000'000'000);
  wait_until_ready(target, {}, patience);
  CHECK(patience.left_ns() > 9'000'000'000);
}
