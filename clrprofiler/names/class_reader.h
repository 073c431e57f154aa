// A class by its ClassID: what it is called, where it comes from, what it is an element of.
// Why one reader: a name needs the names of its type arguments, their modules' metadata and some room, over and over.
// Shape:  read() overwrites what the one before found. Shapes are filled in the order in which they are met, so that a name that is
//         too deep loses its innermost parts; kMaxShapes, kMaxDepth and kMaxArguments bound one name, and what is beyond is "…".
//         About 30 KB of scratch; 3 to 10 calls of the runtime for a class, each about 100 ns.
//         What the runtime does not tell becomes part of the name:
//           (class that was being loaded or unloaded)    CORPROF_E_DATAINCOMPLETE, and types without metadata
//           (class 0x02000017 of Plugin)                 its module's metadata is not readable or has no such token
//           (class without a name)                       any other answer
//           void*, delegate*                             elements of arrays of pointers: the API does not tell what they point to
// Zone:   capture: GetClassIDInfo2 and IsArrayClass on any thread at any time, the first class of a module only where Modules may
//         be asked (modules.h). A ClassID of a collectible type must be alive: the runtime does not check it (docs/design/dotnet.md).
// Errors: none: a class has a name in any case.
// Source: ICorProfilerInfo::IsArrayClass, ICorProfilerInfo2::GetClassIDInfo2; ECMA-335 II.23.1.16 (element types).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "clrprofiler/names/modules.h"
#include "clrprofiler/names/type_name.h"

namespace holdfast::clr {

struct ClassFacts {
  ClassID id = 0;
  std::string_view name;  // until the next read()
  LoaderId loader{0};
  ModuleID module = 0;      // of an array: of what it is made of
  mdTypeDef token = 0;      // 0: an array, or not known
  ClassID parent = 0;       // 0: System.Object, an array, or not known
  ClassID element = 0;      // arrays; 0 for pointers
  std::uint32_t rank = 0;   // 0: no array
  bool known = false;       // the runtime told it all
  bool value_type = false;  // its objects are boxes
  bool is_delegate = false;
  std::uint8_t flags = 0;  // ClassFlag: array, platform, thread

  bool is_array() const noexcept { return rank != 0; }
};

class ClassReader {
 public:
  static constexpr std::size_t kMaxShapes = 256;
  static constexpr std::size_t kMaxLevels = 512;
  static constexpr std::size_t kMaxArguments = 64;  // of one type
  static constexpr std::uint32_t kMaxDepth = 24;
  static constexpr std::size_t kPartBytes = 16 * 1024;  // of the names of all parts

  // All three outlive this object; what is made in `arena` afterwards does not touch it.
  Result<void> open(ProfilerInfo& info, Modules& modules, Arena& arena) noexcept;
  const ClassFacts& read(ClassID id) noexcept;
  // A type that nobody has a ClassID for, without its arguments: "System.Collections.Generic.List<>".
  const ClassFacts& read(ModuleID module, mdTypeDef token) noexcept;
  Modules& modules() noexcept { return *modules_; }
  ProfilerInfo& info() noexcept { return *info_; }

 private:
  struct Pending {
    ClassID id = 0;
    CorElementType element_type = ELEMENT_TYPE_END;  // where there is no ClassID
    std::uint32_t depth = 0;
  };
  struct TypeInfo {
    ModuleID module = 0;
    mdTypeDef token = 0;
    ClassID parent = 0;
    ULONG32 argument_count = 0;
    ClassID arguments[kMaxArguments] = {};
  };
  // System types that decide what a class is, by their tokens in the core library.
  struct KnownTypes {
    ModuleID core = 0;
    mdTypeDef value_type = 0, enumeration = 0, delegate = 0, thread = 0;
  };

  void begin(ClassID id) noexcept;
  const ClassFacts& finish() noexcept;
  void find_known_types() noexcept;
  void shape_class(std::uint32_t shape) noexcept;
  bool shape_array(std::uint32_t shape) noexcept;
  void shape_element(std::uint32_t shape) noexcept;
  void shape_type(std::uint32_t shape, const TypeInfo& type) noexcept;
  void shape_text(std::uint32_t shape, std::string_view text) noexcept;
  void add_children(std::uint32_t shape, std::span<const ClassID> ids, bool more) noexcept;
  std::span<const std::string_view> name_levels(const Module& module, mdTypeDef token) noexcept;
  std::string_view keep_part(const NameText& text) noexcept;
  void judge(const TypeInfo& type) noexcept;
  void judge_array() noexcept;

  ProfilerInfo* info_ = nullptr;
  Modules* modules_ = nullptr;
  KnownTypes types_;
  std::span<TypeShape> shapes_;
  std::span<Pending> pending_;  // beside shapes_
  std::span<std::string_view> levels_;
  std::span<char> parts_;
  std::uint32_t shape_count_ = 0;
  std::size_t level_count_ = 0;
  std::size_t part_bytes_ = 0;
  ClassFacts facts_;
  NameText name_;
};

}  // namespace holdfast::clr
