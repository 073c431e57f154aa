// What the VM calls its things: classes, loaders, fields, threads, methods. Filled before the pause, sealed with the snapshot.
// Why neutral: JVMTI, HPROF and the CLR all fit; names are source-like ("java.lang.Object[]", "int[]", "shop.Session").
// Shape:  classes[c], c < 2^32; class 0 .. class_count-1; the class object (mirror) of class c is object mirror[c].
//         Field slots: a field of class C has slot = C.interface_field_count + (declared fields of all superclasses, the
//         topmost first) + its ordinal among C's declared fields. This is JVMTI's field index; other VMs set
//         interface_field_count = 0. So the name of slot s in an object of class C is found by walking up from C to the
//         class S with chain_offset(S) <= s - interface_field_count(C) < chain_offset(S) + field_count(S).
//         Cost: 36 B a class, 4 B a field (names apart).
// Zone:   capture (fill), any but stopped (read).
// Errors: none here; the builder answers kOutOfBudget.
#pragma once

#include <cstdint>
#include <span>

#include "common/snapshot/kinds.h"
#include "common/string_table.h"
#include "common/typed_index.h"

namespace holdfast {

enum ClassFlag : std::uint8_t {
  kClassArray = 1u << 0,
  kClassInterface = 1u << 1,
  kClassPlatform =
      1u
      << 2,  // belongs to the runtime library (boot or platform loader; the CLR's own assemblies)
  kClassClass = 1u << 3,       // the class of class objects (java.lang.Class)
  kClassLoaderKind = 1u << 4,  // instances are class loaders
  kClassThread = 1u << 5,      // instances are threads
};

struct ClassRow {
  StringId name;
  LoaderId loader;
  ClassId superclass;
  ObjectId mirror;                 // the class object, where the VM has one
  std::uint32_t first_field = 0;   // into fields
  std::uint32_t field_count = 0;   // declared by this class, static ones included
  std::uint32_t chain_offset = 0;  // declared fields of all superclasses
  std::uint32_t interface_field_count = 0;
  Strength referent =
      Strength::kStrong;  // reference classes: how `referent` holds; kStrong: an ordinary class
  std::uint8_t flags = 0;
};

struct LoaderRow {
  StringId
      name;  // class of the loader, with its own name where it has one: "app", "jdk.internal…AppClassLoader"
  ObjectId object;       // invalid for the boot loader
  bool builtin = false;  // its classes are never unloaded
};

// "int" for 'I' and so on, the letters of the class file format; "" for any other letter.
std::string_view primitive_name(char letter) noexcept;

// "platform" or "app" for the class of a loader whose classes are never unloaded, "" for any other class.
inline constexpr std::string_view kPlatformLoaderName = "platform";
std::string_view builtin_loader_name(std::string_view class_name) noexcept;

// A hidden class (before 15: an anonymous class of the VM), such as what java.lang.invoke spins. The VM may unload it before
// its loader, so its class object is no GC root by itself. Its name ends with an address or a hash, behind '/' (8 to 14: '.';
// HPROF: '+'): "java.lang.invoke.LambdaForm$MH/0x0000000040269400", "shop.Shop$$Lambda$2.1747585824". Where that begins;
// npos: any other class.
std::size_t hidden_class_suffix(std::string_view name) noexcept;

struct ThreadRow {
  StringId name;
  ObjectId object;
  std::uint64_t vm_id = 0;
  bool daemon = false;
};

struct MethodRow {
  StringId class_name;
  StringId name;
};

struct Catalog {
  StringTable strings;
  std::span<ClassRow> classes;
  std::span<LoaderRow> loaders;  // loader 0 is the boot loader
  std::span<StringId> fields;    // names, class by class
  std::span<ThreadRow> threads;
  std::span<MethodRow> methods;

  std::uint32_t class_count() const noexcept { return static_cast<std::uint32_t>(classes.size()); }
  // The field behind a slot, as in field_name(); kNoField: unknown.
  static constexpr std::uint32_t kNoField = 0xFFFFFFFFu;
  std::uint32_t field_index(ClassId id, std::uint32_t slot) const noexcept;
  // The name of the field behind a slot of an object of class `id` (or of its class object, for static slots); "" unknown.
  std::string_view field_name(ClassId id, std::uint32_t slot) const noexcept;
  std::string_view class_name(ClassId id) const noexcept;
  bool is_hidden(ClassId id) const noexcept;  // or an array of such
};

}  // namespace holdfast
