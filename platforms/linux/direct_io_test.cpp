#include "platforms/direct_io.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "platforms/scratch_for_test.h"

using namespace holdfast::platforms;

TEST_CASE("kernels by what they do to a transfer beside a clone") {
  for (const char* old :
       {"5.10.0-28-amd64", "6.1.0-18-amd64", "6.4.16", "4.18.0-553.el8_10.x86_64", "6", "", "x"})
    CHECK_FALSE(kernel_pins_direct_io(old));
  for (const char* recent : {"6.5.0", "6.12.1-arch1", "6.18.44", "7.0", "10.1.2"})
    CHECK(kernel_pins_direct_io(recent));
}

TEST_CASE("an open file that goes around the page cache is found among others") {
  const ScratchDirectory scratch;
  const int plain = ::open(scratch.file("plain").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  REQUIRE(plain >= 0);
  CHECK_FALSE(has_direct_io());
  const int direct =
      ::open(scratch.file("direct").c_str(), O_CREAT | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
  if (direct < 0) {
    MESSAGE("this file system has no O_DIRECT");
  } else {
    CHECK(has_direct_io());
    ::close(direct);
    CHECK_FALSE(has_direct_io());
  }
  ::close(plain);
}
