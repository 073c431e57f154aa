#include "clrprofiler/names/function_names.h"

#include "clrprofiler/names/runtime_text.h"

namespace holdfast::clr {

namespace {

constexpr std::string_view kNamelessMethod = "(method without a name)";

struct FunctionInfo {
  ClassID type = 0;  // 0: a generic class whose exact arguments the frame would have to tell
  ModuleID module = 0;
  mdToken token = 0;
  ULONG32 method_arguments = 0;
};

bool read_dynamic(ClassReader& reader, FunctionID function, NameText& name) noexcept {
  constexpr int kDynamicFunctions = 8;  // the version of ICorProfilerInfo that brought them
  if (reader.info().version() < kDynamicFunctions) return false;
  ICorProfilerInfo& info = *reader.info();
  BOOL dynamic = 0;
  if (!succeeded(info.IsFunctionDynamic(function, &dynamic)) || dynamic == 0) return false;
  RuntimeText<Metadata::kMaxUnits> units;
  ModuleID module = 0;
  PCCOR_SIGNATURE signature = nullptr;
  ULONG signature_bytes = 0;
  if (succeeded(info.GetDynamicFunctionInfo(function, &module, &signature, &signature_bytes,
                                            units.size(), units.out_count(), units.data())))
    units.append_to(name);
  return true;
}

}  // namespace

MethodRow name_function(ClassReader& reader, FunctionID function, StringTable& strings) noexcept {
  NameText name;
  if (read_dynamic(reader, function, name)) {
    if (name.view().empty()) name.append(kNamelessMethod);
    return {strings.intern("(dynamic method)"), strings.intern(name.view())};
  }
  FunctionInfo found;
  const HRESULT answer = reader.info()->GetFunctionInfo2(
      function, 0, &found.type, &found.module, &found.token, 0, &found.method_arguments, nullptr);
  if (!succeeded(answer)) return {StringId{0}, strings.intern(kNamelessMethod)};
  const Result<mdTypeDef> owner =
      reader.modules().of(found.module).metadata.method(found.token, name);
  if (!owner) {
    name.append("(method ");
    name.append_hex(found.token);
    name.append(")");
  } else if (found.method_arguments > 0) {
    name.append("<");
    for (ULONG32 i = 1; i < found.method_arguments && !name.is_cut(); ++i) name.append(",");
    name.append(">");
  }
  const StringId method = strings.intern(name.view());
  const ClassFacts& type =
      found.type == 0 && owner ? reader.read(found.module, *owner) : reader.read(found.type);
  return {strings.intern(type.name), method};
}

}  // namespace holdfast::clr
