// Who knows the class of a struct that a field embeds, from where the struct is defined and its type arguments.
// Why two: the runtime's own call loads what is not loaded yet, and for that its caller has to be a thread that the runtime knows: on any other the
//      process dies (.NET 8 always; 10.0.12 where a generic struct had to be loaded, in an ASP.NET Core service). Who is no such thread looks into
//      memory (frozen/picture_names).
// Zone:   capture, application running.   Errors: 0: nobody knows it.
// Source: ICorProfilerInfo2::GetClassFromTokenAndTypeArgs.
#pragma once

#include <span>

#include "clrprofiler/profiler_info.h"

namespace holdfast::clr {

class StructTypes {
 public:
  virtual ~StructTypes() = default;
  virtual ClassID find(ModuleID module, mdTypeDef token, std::span<ClassID> arguments) noexcept = 0;
};

// On a thread that has called ForceGC alone; may trigger a collection.
class AskedStructs final : public StructTypes {
 public:
  explicit AskedStructs(ProfilerInfo& info) noexcept : info_(info) {}
  ClassID find(ModuleID module, mdTypeDef token, std::span<ClassID> arguments) noexcept override {
    ClassID found = 0;
    const HRESULT answer = info_->GetClassFromTokenAndTypeArgs(
        module, token, static_cast<ULONG32>(arguments.size()), arguments.data(), &found);
    return succeeded(answer) ? found : 0;
  }

 private:
  ProfilerInfo& info_;
};

}  // namespace holdfast::clr
