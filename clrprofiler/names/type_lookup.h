// Where a type is that a module's metadata refers to.
// Why by name: a reference names an assembly, and the runtime's are but forwarders (System.Runtime); the type itself lies in the
//      core library nearly always. The API resolves no references.
// Shape:  typedef: there already. typeref: the core library first, then every module seen so far; the first that has the name.
//         A wrong one of two types with equal names can only give a field inside a struct another name.
// Zone:   capture.   Errors: kUnsupported: neither typedef nor typeref, or nowhere found; those of Metadata.
#pragma once

#include "clrprofiler/names/modules.h"

namespace holdfast::clr {

struct TypePlace {
  ModuleID module = 0;
  mdTypeDef token = 0;
};

Result<TypePlace> find_type(Modules& modules, ModuleID from, mdToken token) noexcept;

}  // namespace holdfast::clr
