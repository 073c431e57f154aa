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
    handles.value(1, 3, 0x5000);
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
    "a collectible class leads to its context's object, by the one word that can be its handle") {
  Chain chain;
  CHECK(is_collectible(address_of(chain.type)));
  const auto found = chain.contexts.object_of(address_of(chain.type));
  REQUIRE(found.ok());
  CHECK(*found == 0x5000);
  chain.handles.value(1, 3, 0);  // collected
  const auto gone = chain.contexts.object_of(address_of(chain.type));
  REQUIRE(gone.ok());
  CHECK(*gone == 0);
}

TEST_CASE("a chain that breaks, and words that cannot be told apart") {
  const auto answer = [](Chain& chain) {
    return chain.contexts.object_of(address_of(chain.type)).error().code;
  };
  Chain none;
  none.allocator[30] = 0;
  CHECK(answer(none) == ErrorCode::kInconsistent);
  Chain two;
  two.allocator[40] = two.handle(1, 9);
  CHECK(answer(two) == ErrorCode::kInconsistent);
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
