#include "clrprofiler/coreclr/class_statics.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/coreclr/fake_collector.h"
#include "clrprofiler/coreclr/loaded_types.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr std::uint32_t kStatic = 1u << 24, kOfThread = 1u << 25, kOfImage = 1u << 26;
constexpr std::uint32_t kReference = 0x12, kStruct = 0x11, kNumber = 8;

struct Field {
  std::uint64_t owner = 0;
  std::uint32_t token = 0;
  std::uint32_t offset = 0;
};

// A class with static fields, and one that shares its code.
struct Classes {
  RuntimeLayout layout;
  // Of a thread, then slots at 0x5000, not initialised; then what stands apart.
  std::uint64_t of_thread[2] = {std::uint64_t{7} << 32, 0};
  std::uint64_t apart[4] = {0x5001, 0, 0, 0};
  std::uint64_t other_apart[4] = {0x6000, 0, 0, 0};
  std::uint64_t eeclass[2]{};
  std::uint64_t type[5]{}, other[5]{};
  std::vector<Field> fields;

  Classes() {
    layout.class_flags2 = 8;
    layout.class_shared = 24;
    layout.shared_class = 0;
    layout.shared_fields = 8;
    layout.class_auxiliary = 32;
    layout.statics_info_bytes = 24;
    layout.statics_info_slots = 0;
    layout.thread_info_bytes = 40;
    layout.thread_info_index = 4;
    for (std::uint64_t* one : {type, other}) {
      one[0] = std::uint64_t{24} << 32;
      one[1] = 2;
    }
    type[3] = address_of(eeclass);
    type[4] = address_of(apart[3]);
    other[3] = address_of(type) | 1;
    other[4] = address_of(other_apart[3]);
    fields = {{address_of(type), 1, kReference << 27},  // of an instance
              {address_of(type), 2 | kStatic, (kReference << 27) | 8},
              {address_of(type), 3 | kStatic, (kStruct << 27) | 16},
              {address_of(type), 4 | kStatic, (kNumber << 27) | 24},
              {address_of(type), 5 | kStatic | kOfThread, (kReference << 27) | 32},
              {address_of(type), 6 | kStatic | kOfImage, (kReference << 27) | 40},
              {0x99, 7 | kStatic, (kReference << 27) | 48}};  // another class's
    eeclass[0] = address_of(type);
    eeclass[1] = reinterpret_cast<std::uintptr_t>(fields.data());
  }
  using Slots = std::vector<std::pair<Address, std::uint32_t>>;
  Slots slots(Address of) {
    Slots found;
    for_each_static_slot(
        layout, of, [&](Address slot, std::uint32_t token) { found.emplace_back(slot, token); });
    return found;
  }
};

}  // namespace

TEST_CASE("static references and boxed structs have slots, and nothing else has") {
  Classes c;
  CHECK(c.slots(address_of(c.type)) == Classes::Slots{{0x5008, 2}, {0x5010, 3}});
}

TEST_CASE("a class that shares code has slots of its own") {
  Classes c;
  CHECK(c.slots(address_of(c.other)) == Classes::Slots{{0x6008, 2}, {0x6010, 3}});
}

TEST_CASE("classes without static fields, and what cannot be read") {
  Classes c;
  c.type[1] = 0;
  CHECK(c.slots(address_of(c.type)).empty());
  c.type[1] = 2;
  c.apart[0] = 0;
  CHECK(c.slots(address_of(c.type)).empty());
  c.apart[0] = 0x5000;
  c.type[3] = 0x1000;
  CHECK(c.slots(address_of(c.type)).empty());
  CHECK(c.slots(0x2000).empty());
}

TEST_CASE("a module's loaded types: those that are there, over all tables, without flags") {
  Classes c;
  c.layout.module_types = 8;
  c.layout.types_table = 8;
  c.layout.types_count = 16;
  c.layout.types_flags = 24;
  std::uint64_t first[3] = {0, address_of(c.type) | 1, 0x1000}, second[1] = {address_of(c.other)};
  struct Map {
    std::uint64_t next, table, count, flags;
  } more{0, address_of(second), 1, 3};
  struct {
    std::uint64_t other = 0;
    Map map;
  } module{0, {address_of(more), address_of(first), 3, 3}};
  std::vector<Address> found;
  for_each_loaded_type(c.layout, address_of(module), [&](Address type) { found.push_back(type); });
  CHECK(found == std::vector<Address>{address_of(c.type), address_of(c.other)});
  found.clear();
  for_each_loaded_type(c.layout, 0x1000, [&](Address type) { found.push_back(type); });
  CHECK(found.empty());

  const auto of = [&](std::uint32_t token) {
    return loaded_type(c.layout, address_of(module), token);
  };
  CHECK(of(0x02000001) == address_of(c.type));
  CHECK(of(0x02000003) == address_of(c.other));  // the first row of the second table
  CHECK(of(0x02000000) == 0);
  CHECK(of(0x02000002) == 0);  // no class
  CHECK(of(0x02000004) == 0);
  CHECK(loaded_type(c.layout, 0x1000, 0x02000001) == 0);
}

TEST_CASE("a thread's own values stand in the array of their class") {
  Classes classes;
  REQUIRE(address_of(classes.apart) - address_of(classes.of_thread) == 16);
  const auto places = [&] {
    std::vector<std::vector<std::uint32_t>> found;
    for_each_thread_static(classes.layout, address_of(classes.type),
                           [&](std::uint32_t place, std::uint32_t offset, std::uint32_t token) {
                             found.push_back({place, offset, token});
                           });
    return found;
  };
  CHECK(places() == std::vector<std::vector<std::uint32_t>>{{5, 32, 5}});
  classes.of_thread[0] = std::uint64_t{0x01000007} << 32;  // of a collectible class
  CHECK(places().empty());
  classes.of_thread[0] = 0;  // no thread has a value yet
  CHECK(places().empty());
}
