// A CLR of a few hundred lines, for tests: ICorProfilerInfo and IMetaDataImport over types that a line of text describes.
// Shape:  get("Dictionary`2<System.String,shop.Order>+Entry[]") is the ClassID of that; what it needs is made at first sight:
//           type   := [module '!'] name { '+' name } [ '<' type { ',' type } '>' ] { '[' {','} ']' | '*' }
//         a name in quotes may hold anything; "System." belongs to the core library, everything else to "shop". Arguments stand
//         behind the innermost name, for all levels. Handles are counted; parents, fields and layouts are given by hand.
// Zone:   offline.   Errors: fail() makes a call answer an HRESULT; a description that is none aborts.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "clrprofiler/com.h"

namespace holdfast::clr {

struct FakeFieldDef {
  std::u16string name;
  std::vector<std::uint8_t> signature;
  DWORD flags = 0;
  ULONG offset = 0;  // as GetClassLayout answers
  mdTypeDef owner = 0;
  std::uint64_t address = 0;  // of a static one's slot; 0: its class is not initialised
};

struct FakeTypeDef {
  std::u16string name;
  mdTypeDef outer = 0;
  DWORD flags = 0;
  std::vector<mdFieldDef> fields;
};

struct FakeMethodDef {
  std::u16string name;
  mdTypeDef type = 0;
};

struct FakeTypeSystem;

struct FakeTypeModule {
  IMetaDataImport import{};  // first: the interface's address is the module's
  FakeTypeSystem* runtime = nullptr;
  std::u16string assembly;
  std::u16string path;
  DWORD flags = COR_PRF_MODULE_DISK;
  std::vector<FakeTypeDef> types;                // token 0x02000001 is the first
  std::vector<FakeFieldDef> fields;              // 0x04000001
  std::vector<FakeMethodDef> methods;            // 0x06000001
  std::map<mdToken, std::u16string> references;  // typeref: name
  int handles = 0;
};

struct FakeClass {
  ModuleID module = 0;
  mdTypeDef token = 0;
  ClassID parent = 0;
  std::vector<ClassID> arguments;
  ClassID element = 0;
  CorElementType element_type = ELEMENT_TYPE_END;
  ULONG rank = 0;  // 0: no array
  HRESULT answer = S_OK;
  // What gc_layout.h reads: the description's last words, then the method table, to which the ClassID points.
  static constexpr std::size_t kTable = 16;
  std::array<std::uint64_t, kTable + 2> words{};
};

struct FakeFunction {
  ClassID type = 0;
  ModuleID module = 0;
  mdMethodDef token = 0;
  std::u16string dynamic_name;
  bool dynamic = false;
  std::vector<ClassID> arguments;
};

struct FakeTypeSystem {
  ICorProfilerInfo info{};  // first
  std::deque<FakeTypeModule> modules;
  std::deque<FakeClass> classes;
  std::deque<FakeFunction> functions;
  std::map<std::string, HRESULT, std::less<>> failing;
  std::mutex counting;
  std::map<std::string, int, std::less<>> calls;
  int version = 15;

  FakeTypeSystem();
  IUnknown& unknown() { return *reinterpret_cast<IUnknown*>(&info); }

  ModuleID add_module(std::string_view assembly, std::string_view path,
                      DWORD flags = COR_PRF_MODULE_DISK);
  mdTypeDef add_type(ModuleID module, std::u16string name, mdTypeDef outer = 0);
  ClassID add_class(FakeClass type);  // of equal ones the same
  ClassID append_class(FakeClass type);
  // References of objects: {first offset, count} in order; of an array of structs {count, bytes skipped}.
  void lay_out(ClassID id, std::uint32_t base_bytes,
               std::vector<std::pair<std::uint32_t, std::uint32_t>> series,
               std::uint32_t element_bytes = 0);
  ClassID get(std::string_view description);  // of equal descriptions the same
  FakeClass& class_at(ClassID id);
  bool knows(ClassID id) const;
  FakeTypeModule& module_at(ModuleID id) { return *reinterpret_cast<FakeTypeModule*>(id); }
  FakeTypeDef& type_of(ClassID id);
  mdFieldDef add_field(ClassID owner, std::string_view name, std::vector<std::uint8_t> signature,
                       ULONG offset, DWORD flags = 0);
  void add_static(ClassID owner, std::string_view name, std::uint64_t address);
  FunctionID add_function(ClassID type, std::string_view method);
  FunctionID add_function(FakeFunction function);
  ModuleID module_named(std::string_view assembly);
  void fail(std::string_view call, HRESULT answer) { failing[std::string(call)] = answer; }
  int open_handles() const;
};

}  // namespace holdfast::clr
