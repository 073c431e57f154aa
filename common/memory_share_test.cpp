#include "common/memory_share.h"

#include <doctest/doctest.h>

#include "platforms/process.h"

using namespace holdfast;

namespace {
constexpr std::uint64_t kMb = 1u << 20;
constexpr std::uint64_t kGb = 1u << 30;
constexpr std::uint64_t kUnknown = platforms::kUnknownBytes;
constexpr std::uint64_t kAddresses64 = UINT64_MAX, kAddresses32 = UINT32_MAX;

std::uint64_t with_64_bits(const MemoryFacts& facts) {
  return automatic_memory_bytes(
      {facts.max_heap_bytes, facts.physical_bytes, facts.cgroup_bytes, kAddresses64});
}
}  // namespace

TEST_CASE("memory=auto is the maximum heap, within half of what the machine or the container has") {
  CHECK(with_64_bits({2 * kGb, 32 * kGb, kUnknown}) == 2 * kGb);
  CHECK(with_64_bits({30 * kGb, 32 * kGb, kUnknown}) == 16 * kGb);
  CHECK(with_64_bits({2 * kGb, 32 * kGb, 1 * kGb}) == 512 * kMb);
  CHECK(with_64_bits({16 * kMb, 32 * kGb, kUnknown}) == 64 * kMb);
}

TEST_CASE("memory=auto has an answer where little is known or little is there") {
  CHECK(with_64_bits({kUnknown, 8 * kGb, kUnknown}) == 2 * kGb);
  CHECK(with_64_bits({0, 8 * kGb, kUnknown}) == 2 * kGb);
  CHECK(with_64_bits({kUnknown, kUnknown, kUnknown}) == 1 * kGb);
  CHECK(with_64_bits({2 * kGb, 32 * kGb, 100 * kMb}) == 64 * kMb);
  CHECK(with_64_bits({kGb + 1, 32 * kGb, kUnknown}) == kGb);
}

TEST_CASE("memory=auto leaves a process of 32 bits its addresses") {
  CHECK(automatic_memory_bytes({1 * kGb, 32 * kGb, kUnknown, kAddresses32}) == 256 * kMb - 4096);
  CHECK(automatic_memory_bytes({kUnknown, 32 * kGb, kUnknown, kAddresses32}) == 256 * kMb - 4096);
  CHECK(automatic_memory_bytes({100 * kMb, 32 * kGb, kUnknown, kAddresses32}) == 100 * kMb);
}
