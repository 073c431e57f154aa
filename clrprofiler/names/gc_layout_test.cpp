#include "clrprofiler/names/gc_layout.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/names/fake_type_system.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

struct LayoutBench {
  FakeTypeSystem runtime;
  ClassID id = runtime.get("shop.Order");
  std::uint32_t room[64];

  std::vector<std::uint32_t> offsets() {
    const auto layout = read_gc_layout(id, room);
    REQUIRE(layout.ok());
    return {layout->offsets.begin(), layout->offsets.end()};
  }
  ErrorCode error() { return read_gc_layout(id, room).error().code; }
  std::uint64_t& word(int before_table) {
    return runtime.class_at(id).words[FakeClass::kTable - static_cast<std::size_t>(before_table)];
  }
};

using Offsets = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("references of an object, in the runtime's order") {
  LayoutBench b;
  CHECK(b.offsets().empty());
  b.runtime.lay_out(b.id, 64, {{8, 2}, {40, 1}});
  CHECK(b.offsets() == Offsets{8, 16, 40});
  b.runtime.lay_out(b.id, 80, {{48, 2}, {8, 3}});
  CHECK(b.offsets() == Offsets{48, 56, 8, 16, 24});
  CHECK(read_gc_layout(b.id, b.room)->base_bytes == 80);
  CHECK(read_gc_layout(b.id, b.room)->element_bytes == 0);
}

TEST_CASE("arrays of references and of structs") {
  LayoutBench b;
  b.runtime.lay_out(b.id, 24, {{1, 16}, {2, 8}}, 48);
  CHECK(b.offsets() == Offsets{0, 24, 32});
  CHECK(read_gc_layout(b.id, b.room)->element_bytes == 48);
  b.runtime.lay_out(b.id, 24, {{1, 0}}, 8);
  b.word(1) = 1;  // one series, whatever its length
  CHECK(b.offsets() == Offsets{0});
}

TEST_CASE("what makes no sense is not believed") {
  LayoutBench b;
  const auto again = [&] { b.runtime.lay_out(b.id, 64, {{8, 2}, {40, 1}}); };
  again();
  b.word(1) = 0;
  CHECK(b.error() == ErrorCode::kInconsistent);
  b.word(1) = 1u << 20;
  CHECK(b.error() == ErrorCode::kInconsistent);
  b.word(1) = 0 - (std::uint64_t{1} << 20);
  CHECK(b.error() == ErrorCode::kInconsistent);
  again();
  b.word(2) = 60;  // not at a word
  CHECK(b.error() == ErrorCode::kInconsistent);
  again();
  b.word(2) = 56;  // beyond the end
  CHECK(b.error() == ErrorCode::kInconsistent);
  again();
  b.word(3) = 4 - 64;  // half a word long
  CHECK(b.error() == ErrorCode::kInconsistent);
  again();
  b.word(0) |= 0xFFFFFFFFull << 32u;
  CHECK(b.error() == ErrorCode::kInconsistent);
  b.runtime.lay_out(b.id, 24, {{1, 16}, {2, 8}}, 56);
  CHECK(b.error() == ErrorCode::kInconsistent);
  b.runtime.lay_out(b.id, 1024, {{8, 100}});
  CHECK(b.error() == ErrorCode::kTooMany);
  CHECK(read_gc_layout(0, b.room).error().code == ErrorCode::kUnsupported);
  CHECK(read_gc_layout(b.id | 2, b.room).error().code == ErrorCode::kUnsupported);
}
