// What the agent asks of a module's metadata: names of types, methods and fields, by token.
// Why a view: the runtime owns the tables; nothing is copied but the name that is asked for.
// Shape:  one pointer, not owned (modules.h gives it back). A name is appended to the caller's NameText; types have at most 1,023
//         units (the runtime refuses to load longer ones), what is longer ends with "…".
// Zone:   capture. The tables are read only and the reader of each call takes no lock that a stopped thread could hold.
// Errors: kUnsupported: there is no metadata (its module is gone or was never readable); kVm with the HRESULT: no such token.
// Source: ECMA-335 II.22 (tables), II.23.1 (attributes).
#pragma once

#include <cstdint>
#include <span>

#include "clrprofiler/com.h"
#include "clrprofiler/names/name_text.h"

namespace holdfast::clr {

struct TypeDef {
  DWORD flags = 0;  // CorTypeAttr
  mdToken extends =
      0;  // typedef, typeref or typespec; its row is 0 for System.Object, interfaces and <Module>
  bool is_interface() const noexcept { return (flags & tdClassSemanticsMask) == tdInterface; }
};

struct FieldDef {
  mdTypeDef owner = 0;
  DWORD flags = 0;  // CorFieldAttr
  std::span<const std::uint8_t> signature;
  bool is_static() const noexcept { return (flags & fdStatic) != 0; }
};

class Metadata {
 public:
  static constexpr std::size_t kMaxUnits = 1024;  // of a name, its terminating zero included
  static constexpr std::size_t kMaxNesting =
      64;  // C# programs have 2 or 3; metadata may hold a loop

  Metadata() = default;
  explicit Metadata(IMetaDataImport* import) noexcept : import_(import) {}
  explicit operator bool() const noexcept { return import_ != nullptr; }
  IMetaDataImport* import() const noexcept { return import_; }

  // "Namespace.Name`1", or "Name`1" alone for a nested type. Appends nothing on an error.
  Result<TypeDef> type_def(mdTypeDef token, NameText& name) const noexcept;
  // The type and what it is nested in, the outermost first. A chain beyond kMaxNesting loses its outer part.
  Result<std::span<const mdTypeDef>> nesting(mdTypeDef token,
                                             std::span<mdTypeDef, kMaxNesting> room) const noexcept;
  // The type that has the method.
  Result<mdTypeDef> method(mdMethodDef token, NameText& name) const noexcept;
  Result<FieldDef> field(mdFieldDef token, NameText& name) const noexcept;
  // Declared fields, static and instance, in the order of metadata; no more than there is room for.
  Result<std::span<const mdFieldDef>> fields(mdTypeDef token,
                                             std::span<mdFieldDef> room) const noexcept;
  // `name` with its namespace, or nested in `outer` and without one.
  Result<mdTypeDef> find(const char16_t* name, mdTypeDef outer = 0) const noexcept;
  // The scope of a typeref: an assembly, or the typeref that it is nested in. `name` is for find().
  Result<mdToken> type_ref(mdTypeRef token, std::span<char16_t, kMaxUnits> name) const noexcept;

 private:
  IMetaDataImport* import_ = nullptr;
};

}  // namespace holdfast::clr
