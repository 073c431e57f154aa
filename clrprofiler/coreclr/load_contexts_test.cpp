#include "clrprofiler/coreclr/load_contexts.h"

#include <doctest/doctest.h>

#include <array>

#include "clrprofiler/coreclr/fake_collector.h"
#include "clrprofiler/coreclr/fake_handle_segment.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

// A collectible class, and the way to its LoaderAllocator's handle.
struct Chain {
  FakeHandleSegment handles;
  std::array<std::uint64_t, 256> allocator{};
  std::array<std::uint64_t, 4> module{}, auxiliary{};
  std::array<std::uint64_t, 2> scout{0x6000, address_of(allocator)};
  std::array<std::uint64_t, 5> object{0x7000, address_of(scout)};
  std::array<std::uint64_t, 5> type{0x00200000};
  RuntimeLayout layout;
  HandleLayout handle_layout{FakeHandleSegment::kTypes, 1};
  Address segment = handles.address();
  LoadContexts contexts{layout, handle_layout, {&segment, 1}};

  Chain() {
    layout.class_auxiliary = 32;
    layout.auxiliary_module = 8;
    layout.module_allocator = 16;
    type[4] = address_of(auxiliary);
    auxiliary[1] = address_of(module);
    module[2] = address_of(allocator);
    handles.block(0, HandleType::kStrong);
    handles.block(1, HandleType::kWeakLong);
    handles.value(1, 3, address_of(object));
    allocator[20] = handle(0, 3);  // some other handle
    allocator[30] = handle(1, 3);
  }
  Address handle(std::uint64_t block, std::uint64_t index) const {
    return handles.address() + handle_segment::kValues + block * handle_segment::kBlockBytes +
           8 * index;
  }
};

}  // namespace

TEST_CASE(
    "a collectible class leads to its context's object, by the handle whose object leads back") {
  Chain chain;
  CHECK(is_collectible(address_of(chain.type)));
  const auto found = chain.contexts.object_of(address_of(chain.type));
  REQUIRE(found.ok());
  CHECK(*found == address_of(chain.object));
  const auto again = chain.contexts.object_of(address_of(chain.type));
  CHECK((again && *again == *found));
}

TEST_CASE("words that were never written may be handles of others, before it and behind it") {
  std::array<std::uint64_t, 5> other{0x7000, 0, 0x1000, 3, 0};
  for (const std::size_t place : {25, 40}) {
    Chain chain;
    chain.handles.value(1, 9, address_of(other));
    chain.allocator[place] = chain.handle(1, 9);
    const auto found = chain.contexts.object_of(address_of(chain.type));
    REQUIRE(found.ok());
    CHECK(*found == address_of(chain.object));
  }
}

TEST_CASE("a context whose handle lies elsewhere than the one's before it") {
  Chain chain;
  REQUIRE(chain.contexts.object_of(address_of(chain.type)).ok());
  chain.allocator[30] = 0x77;
  chain.allocator[50] = chain.handle(1, 3);
  const auto found = chain.contexts.object_of(address_of(chain.type));
  CHECK((found && *found == address_of(chain.object)));
}

TEST_CASE("a chain that breaks, a context that was collected, an object that does not lead back") {
  const auto answer = [](Chain& chain) {
    return chain.contexts.object_of(address_of(chain.type)).error().code;
  };
  Chain none;
  none.allocator[30] = 0;
  CHECK(answer(none) == ErrorCode::kInconsistent);
  Chain collected;
  collected.handles.value(1, 3, 0);
  CHECK(answer(collected) == ErrorCode::kInconsistent);
  Chain foreign;
  foreign.scout[1] = 0x1234;
  CHECK(answer(foreign) == ErrorCode::kInconsistent);
  for (int broken = 0; broken < 3; ++broken) {
    Chain chain;
    (broken == 0 ? chain.type[4] : broken == 1 ? chain.auxiliary[1] : chain.module[2]) = 0;
    CHECK(answer(chain) == ErrorCode::kInconsistent);
  }
  Chain later;
  REQUIRE(later.contexts.object_of(address_of(later.type)).ok());
  later.allocator[30] = 0x77;
  CHECK(answer(later) == ErrorCode::kInconsistent);
}
