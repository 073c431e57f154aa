#include "jvmti/hotspot/heap_layout.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "jvmti/hotspot/fake_tables.h"

using namespace holdfast::jvmti;

namespace {

// What is said to tables with a change; "" when they are believed.
template <class Change>
std::string said(Change change) {
  FakeTables tables;
  change(tables);
  FakeTables::current = &tables;
  HeapLayout layout;
  LayoutRefusal why;
  if (read_heap_layout(&fake_symbol, layout, why)) return "";
  CHECK(why.text[0] != '\0');
  return why.text;
}

bool has(const std::string& text, std::string_view part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a layout is read as the tables tell it") {
  FakeTables tables;
  FakeTables::current = &tables;
  HeapLayout layout;
  LayoutRefusal why;
  REQUIRE(read_heap_layout(&fake_symbol, layout, why));
  CHECK(layout.heap_start == tables.heap_object[1]);
  CHECK(layout.heap_end == layout.heap_start + FakeTables::kHeapBytes);
  CHECK(layout.narrow_references);
  CHECK(layout.reference_shift == 3);
  CHECK(layout.class_base == 1 << 12);
  CHECK(layout.array_length == 12);
  CHECK(layout.mirror_by_handle);
  CHECK(layout.mirror_words == 32);
  CHECK(layout.pool_cached);
  CHECK(layout.pool_bytes == 72);
  CHECK(layout.instance_class_bytes == 464);
  CHECK(layout.method_flags == 40);
  tables.narrow_classes = false;
  REQUIRE(read_heap_layout(&fake_symbol, layout, why));
  CHECK(layout.array_length == 16);
  tables.compact = true;
  REQUIRE(read_heap_layout(&fake_symbol, layout, why));
  CHECK(layout.array_length == 8);
  CHECK(layout.mark_class_shift == 42);
}

TEST_CASE("each need that is missing is named") {
  const FakeTables all;
  for (std::size_t i = 0; i + 1 < all.structs.size(); ++i) {
    const std::string type = all.structs[i].type;
    const std::string field = all.structs[i].field;
    CAPTURE(type);
    CAPTURE(field);
    const std::string text = said([&](FakeTables& t) { t.structs[i].field = "_renamed"; });
    if (field == "_metadata._klass" || type == "Method") {
      CHECK(text.empty());  // class pointers are narrow here; a method's flags are optional
    } else if (type == "ConstantPoolCache" && field == "_resolved_references") {
      CHECK(has(text, "_resolved_references"));
    } else if (type == "JVMFlag") {
      CHECK(has(text, "the collector is unknown"));
    } else if (type == "CollectedHeap" || type == "MemRegion") {
      CHECK(has(text, "where its heap lies"));
    } else if (type == "oopDesc" && field != "_mark") {
      CHECK(has(text, "where an object's class stands"));
    } else if (type.rfind("Compressed", 0) == 0) {
      CHECK(has(text, field.find("_base") != std::string::npos ? "base" : "shift"));
    } else {
      CHECK(has(text, type + "::" + field));
    }
  }
  CHECK(has(said([](FakeTables& t) { t.types[1].name = "Other"; }), "InstanceKlass"));
  CHECK(has(said([](FakeTables& t) { t.types[2].name = "Other"; }), "ConstantPool"));
  CHECK(has(said([](FakeTables& t) { t.flags[3].name = "Other"; }), "ObjectAlignmentInBytes"));
  CHECK(has(said([](FakeTables& t) { t.structs[0].type = nullptr; }), "collector is unknown"));
  const auto without_shift = [](FakeTables& t) {
    t.compact = true;
    t.numbers[0].name = "other";
  };
  CHECK(has(said(without_shift), "markWord::klass_shift"));
}

TEST_CASE("each need that cannot be so is refused") {
  const auto offset = [](const char* type, const char* field, std::uint64_t value) {
    return said([&](FakeTables& t) { t.row(type, field).offset = value; });
  };
  CHECK(has(offset("Klass", "_layout_helper", 4096), "said to stand at 4096"));
  CHECK(has(offset("oopDesc", "_mark", 8), "not first"));
  CHECK(has(offset("ConstantPool", "_tags", UINT64_MAX - 3), "ConstantPool::_tags"));
  CHECK_FALSE(offset("CollectedHeap", "_reserved", 5000).empty());
  const auto text = [](auto change) { return said(change); };
  CHECK(has(text([](FakeTables& t) { t.klass_offset = 0; }), "_klass_offset is said to be 0"));
  CHECK(has(text([](FakeTables& t) { t.words_offset = 5000; }), "said to be 5000"));
  CHECK(has(text([](FakeTables& t) { t.reference_shift = 17; }), "shift of compressed references"));
  CHECK(has(text([](FakeTables& t) { t.class_shift = 64; }), "shift of compressed class pointers"));
  CHECK(has(text([](FakeTables& t) { t.alignment = 12; }), "aligned to 12 bytes"));
  CHECK(has(text([](FakeTables& t) { t.types[1].size = 60; }), "size of InstanceKlass"));
  CHECK(has(text([](FakeTables& t) { t.types[1].size = 466; }), "size of InstanceKlass"));
  CHECK(has(text([](FakeTables& t) { t.types[2].size = 5000; }), "ConstantPool's size"));
  CHECK(has(text([](FakeTables& t) { t.row("Klass", "_java_mirror").text = "int"; }),
            "_java_mirror"));
  CHECK(has(text([](FakeTables& t) { t.heap = nullptr; }), "where its heap lies"));
  CHECK(has(text([](FakeTables& t) { t.heap_object[1] += 8; }), "is said to lie at"));
  CHECK(has(text([](FakeTables& t) { t.heap_object[2] = 0; }), "is said to lie at"));
  CHECK(has(text([](FakeTables& t) { t.max_heap = FakeTables::kHeapBytes / 4; }), "MaxHeapSize"));
  CHECK(has(text([](FakeTables& t) { t.max_heap = FakeTables::kHeapBytes * 4; }), "MaxHeapSize"));
  CHECK(has(text([](FakeTables& t) { t.numbers[0].value = 64, t.compact = true; }), "klass_shift"));
}

TEST_CASE("collectors that move objects behind our back, and shared heaps, are refused") {
  CHECK(has(said([](FakeTables& t) { t.g1 = false, t.z = true; }), "the collector is ZGC"));
  CHECK(has(said([](FakeTables& t) { t.g1 = false; }), "the collector is unknown"));
  CHECK(has(said([](FakeTables& t) {
              t.use_heap(holdfast::platforms::shared_pages(FakeTables::kHeapBytes));
            }),
            "shared"));
}
