#include "clrprofiler/coreclr/runtime_layout.h"

#include <doctest/doctest.h>

#include <string>

#include "clrprofiler/coreclr/fake_collector.h"

using namespace holdfast::clr;

namespace {

// What libcoreclr of .NET 10 exports, as far as it is asked.
struct Library {
  FakeCollector collector;
  std::string text =
      R"({"types":{"Thread":{"RuntimeThreadLocals":32,"LinkNext":[112,"pointer"],"ThreadLocalDataPtr":568,"Frame":8},)"
      R"("ThreadLocalData":{"NonCollectibleTlsArrayData":8},)"
      R"("ThreadStore":{"FirstThreadLink":88},"RuntimeThreadLocals":{"AllocContext":0},)"
      R"("EEAllocContext":{"GCAllocationContext":8},"GCAllocContext":{"Pointer":0,"Limit":8},)"
      R"("Module":{"LoaderAllocator":176,"TypeDefToMethodTableMap":416,"AvailableTypeParams":600},"MethodTable":{"EEClassOrCanonMT":40,"MTFlags2":8,"ParentMethodTable":16,"Module":24,"AuxiliaryData":32},)"
      R"("ModuleLookupMap":{"TableData":8,"Next":0,"Count":16,"SupportedFlagsMask":24},"EEClass":{"MethodTable":16,"FieldDescList":24},)"
      R"("EETypeHashTable":{"Buckets":16,"VolatileEntryValue":0,"VolatileEntryNextEntry":8},)"
      R"("DynamicStaticsInfo":{"!":24,"GCStatics":0,"NonGCStatics":8},)"
      R"("ThreadStaticsInfo":{"!":40,"NonGCTlsIndex":0,"GCTlsIndex":4},)"
      R"("MethodTableAuxiliaryData":{"LoaderModule":8},"Array":{"m_NumComponents":8}},"globals":{"ObjectToMethodTableUnmask":["0x7","uint8"],)"
      R"("ThreadStore":[[0],"pointer"],"FreeObjectMethodTable":[[1],"pointer"],"ObjectMethodTable":[[2],"pointer"]}})";
  std::uint64_t store = 0x1000, free_class = 0x2000;
  // System.Object -> its module -> what that is allocated from
  std::array<std::uint64_t, 32> module{};
  std::array<std::uint64_t, 8> object{0, 0, 0, address_of(module)};
  std::uint64_t object_class = address_of(object);
  std::uint64_t pointers[3] = {address_of(store), address_of(free_class), address_of(object_class)};
  struct {
    char magic[8] = {'D', 'N', 'C', 'C', 'D', 'A', 'C', '\0'};
    std::uint32_t flags = 1, text_bytes = 0;
    const char* text = nullptr;
    std::uint64_t pointer_count = 3;
    const std::uint64_t* pointers = nullptr;
  } descriptor;
  bool describes = true;

  Library() { module[176 / 8] = 0x3000; }
  static inline Library* loaded = nullptr;
  static const void* symbol(const char* name) noexcept {
    if (name == std::string("g_dacTable")) return &loaded->collector.entries;
    return loaded->describes ? &loaded->descriptor : nullptr;
  }
  // Empty, or why not.
  std::string read(RuntimeLayout& layout) {
    loaded = this;
    descriptor.text = text.data();
    descriptor.text_bytes = static_cast<std::uint32_t>(text.size());
    descriptor.pointers = pointers;
    RuntimeRefusal why;
    return read_runtime_layout(&Library::symbol, layout, why) ? "" : why.text;
  }
  void replace(const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  }
};

}  // namespace

TEST_CASE("everything that reading the heap needs is there") {
  Library library;
  RuntimeLayout layout;
  REQUIRE(library.read(layout).empty());
  CHECK(layout.thread_store == address_of(library.store));
  CHECK(layout.first_thread == 88);
  CHECK(layout.thread_link == 112);
  CHECK(layout.thread_locals == 32);
  CHECK(layout.allocation_pointer == 8);
  CHECK(layout.allocation_limit == 16);
  CHECK(layout.free_class == 0x2000);
  CHECK(layout.mark_bits == 7);
  CHECK(layout.component_count == 8);
  CHECK(layout.thread_statics == 568);
  CHECK(layout.class_auxiliary == 32);
  CHECK(layout.auxiliary_module == 8);
  CHECK(layout.module_allocator == 176);
  CHECK(layout.thread_frame == 8);
  CHECK(layout.class_shared == 40);
  CHECK(layout.shared_class == 16);
  CHECK(layout.module_types == 416);
  CHECK(layout.class_parent == 16);
  CHECK(layout.lasting_allocator == 0x3000);
  CHECK(layout.class_flags2 == 8);
  CHECK(layout.module_instances == 600);
  CHECK(layout.instances_buckets == 16);
  CHECK(layout.instance_class == 0);
  CHECK(layout.instance_next == 8);
  library.replace(R"("EEAllocContext":{"GCAllocationContext":8},)", "");  // .NET 9
  library.replace(R"(,"ThreadLocalDataPtr":568)", "");
  library.replace(R"(,"AuxiliaryData":32)", "");
  library.replace(R"(,"FieldDescList":24)", "");
  library.replace(R"("DynamicStaticsInfo":{"!":24,"GCStatics":0,"NonGCStatics":8},)", "");
  library.replace(R"("ThreadStaticsInfo":{"!":40,"NonGCTlsIndex":0,"GCTlsIndex":4},)", "");
  library.replace(R"(,"Next":0,"Count":16,"SupportedFlagsMask":24)", "");
  library.replace(R"("MethodTableAuxiliaryData":{"LoaderModule":8},)", "");
  library.replace(R"(,"AvailableTypeParams":600)", "");
  library.replace(
      R"("EETypeHashTable":{"Buckets":16,"VolatileEntryValue":0,"VolatileEntryNextEntry":8},)", "");
  REQUIRE(library.read(layout).empty());
  CHECK(layout.module_instances == 808);
  CHECK(layout.instances_buckets == 16);
  CHECK(layout.instance_class == 0);
  CHECK(layout.instance_next == 8);
  CHECK(layout.allocation_pointer == 0);
  CHECK(layout.thread_statics == 928);
  CHECK(layout.class_auxiliary == 32);
  CHECK(layout.auxiliary_module == 8);
  CHECK(layout.statics_info_bytes == 24);
  CHECK(layout.statics_info_slots == 0);
  CHECK(layout.shared_fields == 24);
  CHECK(layout.types_next == 0);
  CHECK(layout.types_table == 8);
  CHECK(layout.types_count == 16);
  CHECK(layout.types_flags == 24);
}

TEST_CASE("what is absent or implausible is named, and nothing is guessed") {
  constexpr std::pair<const char*, const char*> kWrong[] = {
      {"\"LinkNext\":[112,\"pointer\"]", "\"Next\":112"},
      {"\"AuxiliaryData\":32", "\"Auxiliary\":32"},
      {"\"m_NumComponents\":8", "\"m_NumComponents\":800000"},
      {"\"AllocContext\":0", "\"Alloc\":0"},
      {"[[0],\"pointer\"]", "[[7],\"pointer\"]"},
      {"0x7", "0xf"},
  };
  constexpr const char* kNamed[] = {"Thread.LinkNext",       "MethodTable.AuxiliaryData",
                                    "Array.m_NumComponents", "RuntimeThreadLocals.AllocContext",
                                    "ThreadStore",           "ObjectToMethodTableUnmask"};
  for (std::size_t i = 0; i < std::size(kWrong); ++i) {
    Library library;
    RuntimeLayout layout;
    library.replace(kWrong[i].first, kWrong[i].second);
    CHECK(library.read(layout) == std::string("the runtime does not tell ") + kNamed[i]);
  }
  Library library;
  RuntimeLayout layout;
  library.free_class = 0;
  CHECK(library.read(layout) == "the runtime does not tell FreeObjectMethodTable");
  library.free_class = 0x2000;
  library.collector.words[29] = 0;
  CHECK(library.read(layout) == "the collector does not tell the handle tables");
  library.describes = false;
  CHECK(library.read(layout) == "the runtime does not describe itself (that begins with .NET 9)");
}
