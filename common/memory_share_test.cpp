#include "common/memory_share.h"

#include <doctest/doctest.h>

#include "platforms/process.h"

using namespace holdfast;

namespace {
constexpr std::uint64_t kMb = 1u << 20;
constexpr std::uint64_t kGb = 1u << 30;
constexpr std::uint64_t kUnknown = platforms::kUnknownBytes;
}  // namespace

TEST_CASE("memory=auto is the maximum heap, within half of what the machine or the container has") {
  CHECK(automatic_memory_bytes({2 * kGb, 32 * kGb, kUnknown}) == 2 * kGb);
  CHECK(automatic_memory_bytes({30 * kGb, 32 * kGb, kUnknown}) == 16 * kGb);
  CHECK(automatic_memory_bytes({2 * kGb, 32 * kGb, 1 * kGb}) == 512 * kMb);
  CHECK(automatic_memory_bytes({16 * kMb, 32 * kGb, kUnknown}) == 64 * kMb);
}

TEST_CASE("memory=auto has an answer where little is known or little is there") {
  CHECK(automatic_memory_bytes({kUnknown, 8 * kGb, kUnknown}) == 2 * kGb);
  CHECK(automatic_memory_bytes({0, 8 * kGb, kUnknown}) == 2 * kGb);
  CHECK(automatic_memory_bytes({kUnknown, kUnknown, kUnknown}) == 1 * kGb);
  CHECK(automatic_memory_bytes({2 * kGb, 32 * kGb, 100 * kMb}) == 64 * kMb);
  CHECK(automatic_memory_bytes({kGb + 1, 32 * kGb, kUnknown}) == kGb);
}
