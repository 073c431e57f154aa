#include "jvmti/hotspot/heap_layout.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/pages.h"

using namespace holdfast::jvmti;

namespace {

struct Flag {
  void* address;
  const char* name;
};
struct StructRow {
  const char* type;
  const char* field;
  const char* text;
  std::int32_t is_static;
  std::uint64_t offset;
  const void* address;
};
struct TypeRow {
  const char* name;
  std::uint64_t size;
};
struct NumberRow {
  const char* name;
  std::int32_t value;
};

constexpr std::uint64_t kHeapBytes = 1 << 20;

// Tables as JDK 17's are spelled, over a heap of plain private memory.
struct Tables {
  std::uint64_t max_heap = kHeapBytes;
  std::uint32_t alignment = 8;
  bool g1 = true, z = false, narrow = true, narrow_classes = true, compact = false;
  std::uint64_t reference_base = 0, class_base = 1 << 12;
  std::uint32_t reference_shift = 3, class_shift = 0;
  std::int32_t klass_offset = 24, words_offset = 32, count_offset = 36;
  std::uint64_t heap_object[4] = {};  // _reserved stands at 8: start, words
  std::byte* heap_memory = nullptr;
  const void* heap = heap_object;
  std::vector<Flag> flags;
  const Flag* first_flag = nullptr;
  std::uint64_t flag_count = 0;
  std::vector<StructRow> structs;
  std::vector<TypeRow> types;
  std::vector<NumberRow> numbers{{"markWord::klass_shift", 42}, {nullptr, 0}};
  const void* tables[3] = {};

  Tables() {
    std::byte* memory = holdfast::platforms::reserve_pages(kHeapBytes);
    REQUIRE(memory != nullptr);
    use_heap(memory);
    heap_object[2] = kHeapBytes / 8;
    flags = {{&g1, "UseG1GC"},
             {&z, "UseZGC"},
             {&max_heap, "MaxHeapSize"},
             {&alignment, "ObjectAlignmentInBytes"},
             {&narrow, "UseCompressedOops"},
             {&narrow_classes, "UseCompressedClassPointers"},
             {&compact, "UseCompactObjectHeaders"}};
    add_offsets();
    add_statics();
    types = {{"JVMFlag", sizeof(Flag)}, {"InstanceKlass", 464}, {"ConstantPool", 72}, {nullptr, 0}};
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables() { use_heap(nullptr); }
  // Gives back the heap that was.
  void use_heap(std::byte* memory) {
    if (heap_memory != nullptr) holdfast::platforms::release_pages(heap_memory, kHeapBytes);
    heap_memory = memory;
    heap_object[1] = reinterpret_cast<std::uint64_t>(memory);
  }

  void add(const char* type, const char* field, std::uint64_t offset, const char* text = "int") {
    structs.push_back({type, field, text, 0, offset, nullptr});
  }
  void add_static(const char* type, const char* field, const void* address) {
    structs.push_back({type, field, "", 1, 0, address});
  }
  void add_offsets() {
    add("oopDesc", "_mark", 0);
    add("oopDesc", "_metadata._klass", 8);
    add("oopDesc", "_metadata._compressed_klass", 8);
    add("Klass", "_layout_helper", 8);
    add("Klass", "_java_mirror", 112, "OopHandle");
    add("Klass", "_vtable_len", 196);
    add("InstanceKlass", "_itable_len", 288);
    add("InstanceKlass", "_nonstatic_oop_map_size", 284);
    add("JNIid", "_offset", 16);
    add("InstanceKlass", "_constants", 216);
    add("ConstantPool", "_tags", 8);
    add("ConstantPool", "_length", 60);
    add("ConstantPool", "_cache", 16);
    add("ConstantPool", "_resolved_klasses", 40);
    add("ConstantPoolCache", "_resolved_references", 16);
    add("ConstantPoolCache", "_reference_map", 24);
    add("Array<u1>", "_data", 4);
    add("Array<u2>", "_data", 4);
    add("Array<Klass*>", "_length", 0);
    add("Array<Klass*>", "_data[0]", 8);
    add("CollectedHeap", "_reserved", 8);
    add("MemRegion", "_start", 0);
    add("MemRegion", "_word_size", 8);
    add("JVMFlag", "_name", offsetof(Flag, name));
    add("JVMFlag", "_addr", offsetof(Flag, address));
  }
  void add_statics() {
    add_static("JVMFlag", "flags", &first_flag);
    add_static("JVMFlag", "numFlags", &flag_count);
    add_static("java_lang_Class", "_klass_offset", &klass_offset);
    add_static("java_lang_Class", "_oop_size_offset", &words_offset);
    add_static("java_lang_Class", "_static_oop_field_count_offset", &count_offset);
    add_static("CompressedOops", "_narrow_oop._base", &reference_base);
    add_static("CompressedOops", "_narrow_oop._shift", &reference_shift);
    add_static("CompressedKlassPointers", "_narrow_klass._base", &class_base);
    add_static("CompressedKlassPointers", "_narrow_klass._shift", &class_shift);
    add_static("Universe", "_collectedHeap", &heap);
    structs.push_back({nullptr, nullptr, nullptr, 0, 0, nullptr});
  }
  StructRow& row(std::string_view type, std::string_view field) {
    for (StructRow& row : structs)
      if (row.type != nullptr && row.type == type && row.field == field) return row;
    std::abort();
  }
};

Tables* current = nullptr;

const void* symbol(const char* name) noexcept {
  static const std::uint64_t kStructs[] = {offsetof(StructRow, type),
                                           offsetof(StructRow, field),
                                           offsetof(StructRow, text),
                                           offsetof(StructRow, is_static),
                                           offsetof(StructRow, offset),
                                           offsetof(StructRow, address),
                                           sizeof(StructRow)};
  static const std::uint64_t kTypes[] = {offsetof(TypeRow, name), offsetof(TypeRow, size),
                                         sizeof(TypeRow)};
  static const std::uint64_t kNumbers[] = {offsetof(NumberRow, name), offsetof(NumberRow, value),
                                           sizeof(NumberRow)};
  static const std::map<std::string_view, const void*> kColumns = {
      {"gHotSpotVMStructEntryTypeNameOffset", &kStructs[0]},
      {"gHotSpotVMStructEntryFieldNameOffset", &kStructs[1]},
      {"gHotSpotVMStructEntryTypeStringOffset", &kStructs[2]},
      {"gHotSpotVMStructEntryIsStaticOffset", &kStructs[3]},
      {"gHotSpotVMStructEntryOffsetOffset", &kStructs[4]},
      {"gHotSpotVMStructEntryAddressOffset", &kStructs[5]},
      {"gHotSpotVMStructEntryArrayStride", &kStructs[6]},
      {"gHotSpotVMTypeEntryTypeNameOffset", &kTypes[0]},
      {"gHotSpotVMTypeEntrySizeOffset", &kTypes[1]},
      {"gHotSpotVMTypeEntryArrayStride", &kTypes[2]},
      {"gHotSpotVMIntConstantEntryNameOffset", &kNumbers[0]},
      {"gHotSpotVMIntConstantEntryValueOffset", &kNumbers[1]},
      {"gHotSpotVMIntConstantEntryArrayStride", &kNumbers[2]}};
  current->tables[0] = current->structs.data();
  current->tables[1] = current->types.data();
  current->tables[2] = current->numbers.data();
  current->first_flag = current->flags.data();
  current->flag_count = current->flags.size();
  if (std::string_view(name) == "gHotSpotVMStructs") return &current->tables[0];
  if (std::string_view(name) == "gHotSpotVMTypes") return &current->tables[1];
  if (std::string_view(name) == "gHotSpotVMIntConstants") return &current->tables[2];
  const auto found = kColumns.find(name);
  return found == kColumns.end() ? nullptr : found->second;
}

// What is said to tables with a change; "" when they are believed.
template <class Change>
std::string said(Change change) {
  Tables tables;
  change(tables);
  current = &tables;
  HeapLayout layout;
  LayoutRefusal why;
  if (read_heap_layout(&symbol, layout, why)) return "";
  CHECK(why.text[0] != '\0');
  return why.text;
}

bool has(const std::string& text, std::string_view part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a layout is read as the tables tell it") {
  Tables tables;
  current = &tables;
  HeapLayout layout;
  LayoutRefusal why;
  REQUIRE(read_heap_layout(&symbol, layout, why));
  CHECK(layout.heap_start == tables.heap_object[1]);
  CHECK(layout.heap_end == layout.heap_start + kHeapBytes);
  CHECK(layout.narrow_references);
  CHECK(layout.reference_shift == 3);
  CHECK(layout.class_base == 1 << 12);
  CHECK(layout.array_length == 12);
  CHECK(layout.mirror_by_handle);
  CHECK(layout.mirror_words == 32);
  CHECK(layout.pool_cached);
  CHECK(layout.pool_bytes == 72);
  CHECK(layout.instance_class_bytes == 464);
  tables.narrow_classes = false;
  REQUIRE(read_heap_layout(&symbol, layout, why));
  CHECK(layout.array_length == 16);
  tables.compact = true;
  REQUIRE(read_heap_layout(&symbol, layout, why));
  CHECK(layout.array_length == 8);
  CHECK(layout.mark_class_shift == 42);
}

TEST_CASE("each need that is missing is named") {
  const Tables all;
  for (std::size_t i = 0; i + 1 < all.structs.size(); ++i) {
    const std::string type = all.structs[i].type;
    const std::string field = all.structs[i].field;
    CAPTURE(type);
    CAPTURE(field);
    const std::string text = said([&](Tables& t) { t.structs[i].field = "_renamed"; });
    if (field == "_metadata._klass") {
      CHECK(text.empty());  // class pointers are narrow here
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
  CHECK(has(said([](Tables& t) { t.types[1].name = "Other"; }), "InstanceKlass"));
  CHECK(has(said([](Tables& t) { t.types[2].name = "Other"; }), "ConstantPool"));
  CHECK(has(said([](Tables& t) { t.flags[3].name = "Other"; }), "ObjectAlignmentInBytes"));
  CHECK(has(said([](Tables& t) { t.structs[0].type = nullptr; }), "collector is unknown"));
  const auto without_shift = [](Tables& t) {
    t.compact = true;
    t.numbers[0].name = "other";
  };
  CHECK(has(said(without_shift), "markWord::klass_shift"));
}

TEST_CASE("each need that cannot be so is refused") {
  const auto offset = [](const char* type, const char* field, std::uint64_t value) {
    return said([&](Tables& t) { t.row(type, field).offset = value; });
  };
  CHECK(has(offset("Klass", "_layout_helper", 4096), "said to stand at 4096"));
  CHECK(has(offset("oopDesc", "_mark", 8), "not first"));
  CHECK(has(offset("ConstantPool", "_tags", UINT64_MAX - 3), "ConstantPool::_tags"));
  CHECK_FALSE(offset("CollectedHeap", "_reserved", 5000).empty());
  const auto text = [](auto change) { return said(change); };
  CHECK(has(text([](Tables& t) { t.klass_offset = 0; }), "_klass_offset is said to be 0"));
  CHECK(has(text([](Tables& t) { t.words_offset = 5000; }), "said to be 5000"));
  CHECK(has(text([](Tables& t) { t.reference_shift = 17; }), "shift of compressed references"));
  CHECK(has(text([](Tables& t) { t.class_shift = 64; }), "shift of compressed class pointers"));
  CHECK(has(text([](Tables& t) { t.alignment = 12; }), "aligned to 12 bytes"));
  CHECK(has(text([](Tables& t) { t.types[1].size = 60; }), "size of InstanceKlass"));
  CHECK(has(text([](Tables& t) { t.types[1].size = 466; }), "size of InstanceKlass"));
  CHECK(has(text([](Tables& t) { t.types[2].size = 5000; }), "ConstantPool's size"));
  CHECK(has(text([](Tables& t) { t.row("Klass", "_java_mirror").text = "int"; }), "_java_mirror"));
  CHECK(has(text([](Tables& t) { t.heap = nullptr; }), "where its heap lies"));
  CHECK(has(text([](Tables& t) { t.heap_object[1] += 8; }), "is said to lie at"));
  CHECK(has(text([](Tables& t) { t.heap_object[2] = 0; }), "is said to lie at"));
  CHECK(has(text([](Tables& t) { t.max_heap = kHeapBytes / 4; }), "MaxHeapSize"));
  CHECK(has(text([](Tables& t) { t.max_heap = kHeapBytes * 4; }), "MaxHeapSize"));
  CHECK(has(text([](Tables& t) { t.numbers[0].value = 64, t.compact = true; }), "klass_shift"));
}

TEST_CASE("collectors that move objects behind our back, and shared heaps, are refused") {
  CHECK(has(said([](Tables& t) { t.g1 = false, t.z = true; }), "the collector is ZGC"));
  CHECK(has(said([](Tables& t) { t.g1 = false; }), "the collector is unknown"));
  CHECK(has(said([](Tables& t) { t.use_heap(holdfast::platforms::shared_pages(kHeapBytes)); }),
            "shared"));
}
