#include "jvmpi/heap/array_sizes.h"

#include <doctest/doctest.h>

#include <random>

using namespace holdfast::jvmpi;

namespace {

struct Layout {
  std::uint64_t header;
  std::size_t reference;
  std::uint64_t alignment;

  std::uint64_t bytes(ValueType type, std::uint32_t length) const {
    const std::uint64_t used = header + std::uint64_t{length} * value_bytes(type, reference);
    return (used + alignment - 1) / alignment * alignment;
  }
};

// HotSpot of 32 bits; of 64 bits, without and with compressed references and compact headers; CVM; one aligned to 16.
constexpr Layout kLayouts[] = {{12, 4, 8}, {24, 8, 8},  {16, 4, 8}, {12, 4, 4},
                               {20, 4, 8}, {16, 4, 16}, {24, 8, 16}};
constexpr ValueType kTypes[] = {ValueType::kReference, ValueType::kBoolean, ValueType::kChar,
                                ValueType::kFloat,     ValueType::kDouble,  ValueType::kByte,
                                ValueType::kShort,     ValueType::kInt,     ValueType::kLong};

}  // namespace

TEST_CASE("what is answered is what the VM would have said, and it is soon no longer asked") {
  constexpr int kArrays = 20'000, kMostQuestions = 24;
  std::mt19937 random(1);
  for (const Layout& layout : kLayouts)
    for (const ValueType type : kTypes) {
      CAPTURE(layout.header);
      CAPTURE(layout.reference);
      CAPTURE(layout.alignment);
      CAPTURE(static_cast<int>(type));
      ArraySizes sizes;
      int questions = 0;
      for (int i = 0; i < kArrays; ++i) {
        const auto length = static_cast<std::uint32_t>(random() % (i % 3 == 0 ? 100'000 : 20));
        const std::uint64_t right = layout.bytes(type, length);
        const std::uint64_t told = sizes.of(type, length);
        if (told == 0) {
          ++questions;
          sizes.learn(type, length, right);
        }
        REQUIRE((told == 0 || told == right));
      }
      CHECK(questions <= kMostQuestions);
    }
}

TEST_CASE("nothing is known before the first answer") {
  const ArraySizes sizes;
  for (const ValueType type : kTypes) CHECK(sizes.of(type, 3) == 0);
}

TEST_CASE("answers that follow no rule: the VM is asked every time") {
  ArraySizes sizes;
  sizes.learn(ValueType::kInt, 10, 64);
  sizes.learn(ValueType::kInt, 10, 128);
  for (const std::uint32_t length : {0u, 10u, 1'000'000u})
    CHECK(sizes.of(ValueType::kInt, length) == 0);
  sizes.learn(ValueType::kLong, 0x7fffffff, 16);  // less than its elements
  CHECK(sizes.of(ValueType::kLong, 1) == 0);
  CHECK(sizes.of(ValueType::kUnknown, 1) == 0);
}

TEST_CASE("an array as long as can be") {
  ArraySizes sizes;
  const Layout layout{24, 8, 8};
  for (const std::uint32_t length : {0u, 1u, 2u, 3u, 5u, 8u})
    sizes.learn(ValueType::kReference, length, layout.bytes(ValueType::kReference, length));
  CHECK(sizes.of(ValueType::kReference, 0x7fffffff) ==
        layout.bytes(ValueType::kReference, 0x7fffffff));
}
