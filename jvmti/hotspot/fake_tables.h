// The tables that HotSpot exports, made to order: rows of a test's own, over a heap of plain private memory.
// Why: layouts are read whole, and each row can be renamed, moved or left out.
// Shape:  FakeTables::current is what fake_symbol() shows; rows are as JDK 17's are spelled.
// Zone:   offline.   Errors: what does not fit ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "platforms/pages.h"

namespace holdfast::jvmti {

struct FakeFlag {
  void* address;
  const char* name;
};
struct FakeStructRow {
  const char* type;
  const char* field;
  const char* text;
  std::int32_t is_static;
  std::uint64_t offset;
  const void* address;
};
struct FakeTypeRow {
  const char* name;
  std::uint64_t size;
};
struct FakeNumberRow {
  const char* name;
  std::int32_t value;
};

// Tables as JDK 17's are spelled, over a heap of plain private memory.
struct FakeTables {
  static constexpr std::uint64_t kHeapBytes = 1 << 20;
  static inline FakeTables* current = nullptr;

  std::uint64_t max_heap = kHeapBytes;
  std::uint32_t alignment = 8;
  bool g1 = true, z = false, narrow = true, narrow_classes = true, compact = false;
  std::uint64_t reference_base = 0, class_base = 1 << 12;
  std::uint32_t reference_shift = 3, class_shift = 0;
  std::int32_t klass_offset = 24, words_offset = 32, count_offset = 36;
  std::uint64_t heap_object[4] = {};  // _reserved stands at 8: start, words
  std::byte* heap_memory = nullptr;
  const void* heap = heap_object;
  std::vector<FakeFlag> flags;
  const FakeFlag* first_flag = nullptr;
  std::uint64_t flag_count = 0;
  std::vector<FakeStructRow> structs;
  std::vector<FakeTypeRow> types;
  std::vector<FakeNumberRow> numbers{{"markWord::klass_shift", 42}, {nullptr, 0}};
  const void* tables[3] = {};

  FakeTables() {
    std::byte* memory = holdfast::platforms::reserve_pages(kHeapBytes);
    if (memory == nullptr) std::abort();
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
    types = {
        {"JVMFlag", sizeof(FakeFlag)}, {"InstanceKlass", 464}, {"ConstantPool", 72}, {nullptr, 0}};
  }
  FakeTables(const FakeTables&) = delete;
  FakeTables& operator=(const FakeTables&) = delete;
  ~FakeTables() { use_heap(nullptr); }
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
    add("Method", "_access_flags", 40);
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
    add("JVMFlag", "_name", offsetof(FakeFlag, name));
    add("JVMFlag", "_addr", offsetof(FakeFlag, address));
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
  FakeStructRow& row(std::string_view type, std::string_view field) {
    for (FakeStructRow& row : structs)
      if (row.type != nullptr && row.type == type && row.field == field) return row;
    std::abort();
  }
};

inline const void* fake_symbol(const char* name) noexcept {
  FakeTables* const current = FakeTables::current;
  static const std::uint64_t kStructs[] = {offsetof(FakeStructRow, type),
                                           offsetof(FakeStructRow, field),
                                           offsetof(FakeStructRow, text),
                                           offsetof(FakeStructRow, is_static),
                                           offsetof(FakeStructRow, offset),
                                           offsetof(FakeStructRow, address),
                                           sizeof(FakeStructRow)};
  static const std::uint64_t kTypes[] = {offsetof(FakeTypeRow, name), offsetof(FakeTypeRow, size),
                                         sizeof(FakeTypeRow)};
  static const std::uint64_t kNumbers[] = {offsetof(FakeNumberRow, name),
                                           offsetof(FakeNumberRow, value), sizeof(FakeNumberRow)};
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

}  // namespace holdfast::jvmti
