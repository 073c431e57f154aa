#include "jvmpi/heap/class_book.h"

#include <doctest/doctest.h>

#include <string>

#include "common/arena_for_test.h"
#include "jvmpi/heap/name_index.h"

using namespace holdfast;
using namespace holdfast::jvmpi;

TEST_CASE("a book grows and finds every class where it put it") {
  TestArena memory;
  auto book = ClassBook::make(memory.arena());
  REQUIRE(book.ok());
  constexpr std::uint32_t kMany = 5000;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    BookedClass* const added = book->find_or_add(0x1000 + 8 * i);
    REQUIRE(added != nullptr);
    CHECK(added->number == i);
  }
  CHECK(book->size() == kMany);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    REQUIRE(book->find(0x1000 + 8 * i) != nullptr);
    CHECK(book->find(0x1000 + 8 * i)->number == i);
    CHECK(book->find_or_add(0x1000 + 8 * i) == book->classes()[i]);
  }
  CHECK(book->find(0x1001) == nullptr);
}

TEST_CASE("what a class is told with is copied, or refused as a whole") {
  TestArena memory;
  auto book = ClassBook::make(memory.arena());
  REQUIRE(book.ok());
  std::string name = "java.lang.ref.Reference";
  std::string field = "referent", type = "Ljava/lang/Object;", other = "lock", number = "I";
  JVMPI_Field statics[] = {{other.data(), type.data()}};
  JVMPI_Field instances[] = {{other.data(), number.data()}, {field.data(), type.data()}};
  JVMPI_Event event{};
  auto& load = event.u.class_load;
  load.class_name = name.data();
  load.num_interfaces = 2;
  load.num_static_fields = 1;
  load.statics = statics;
  load.num_instance_fields = 2;
  load.instances = instances;
  BookedClass* const of = book->find_or_add(8);
  SUBCASE("copied") {
    REQUIRE(book->tell(event, *of));
    for (std::string* text : {&name, &field, &type, &other}) text->assign(text->size(), 'X');
    CHECK(of->name == "java.lang.ref.Reference");
    CHECK(of->shape.interfaces == 2);
    REQUIRE(of->shape.statics.size() == 1);
    REQUIRE(of->shape.instances.size() == 2);
    CHECK(of->shape.instances[0] == ValueType::kInt);
    CHECK(of->shape.instances[1] == ValueType::kReference);
    CHECK(of->field_names == std::string_view("lock\0lock\0referent\0", 19));
    CHECK(of->referent_ordinal == 2);
    CHECK(of->field_count() == 3);
  }
  SUBCASE("a count below nothing") {
    load.num_static_fields = -1;
    CHECK_FALSE(book->tell(event, *of));
  }
  SUBCASE("more than a class file may have") {
    load.num_interfaces = 70'000;
    CHECK_FALSE(book->tell(event, *of));
  }
  SUBCASE("a type that is none") {
    type = "?";
    instances[1].field_signature = type.data();
    CHECK_FALSE(book->tell(event, *of));
  }
  SUBCASE("no type, no name, no list") {
    instances[1].field_signature = nullptr;
    CHECK_FALSE(book->tell(event, *of));
    load.num_instance_fields = 0;
    load.class_name = nullptr;
    statics[0].field_name = nullptr;
    CHECK(book->tell(event, *of));
    CHECK(of->name.empty());
    load.statics = nullptr;
    CHECK_FALSE(book->tell(event, *of));
    load.num_static_fields = 0;
    CHECK(book->tell(event, *of));
    CHECK(of->shape.statics.empty());
  }
}

TEST_CASE("of classes with one name the one of the loader is found, else the first") {
  TestArena memory;
  auto book = ClassBook::make(memory.arena());
  REQUIRE(book.ok());
  for (const VmId id : {1, 2, 3}) {
    BookedClass* const of = book->find_or_add(id);
    of->name = id < 3 ? "shop.Session" : "shop.Cart";
    of->loader = id * 100;
    of->loaded = Told::kTold;
  }
  auto index = NameIndex::make(book->classes(), memory.arena());
  REQUIRE(index.ok());
  CHECK(index->find("shop.Session", 200)->id == 2);
  CHECK(index->find("shop.Session", 0)->id == 1);
  CHECK(index->find("shop.Cart", 1)->id == 3);
  CHECK(index->find("shop", 0) == nullptr);
}
