#include "clrprofiler/roots/module_fields.h"

#include <algorithm>

namespace holdfast::clr {
namespace {

constexpr GUID kMetadata2 = kIMetaDataImportVersions[1].iid;
constexpr std::uint8_t kFieldSignature = 0x06;

bool is_collectible(ProfilerInfo& info, ModuleID module) noexcept {
  DWORD flags = 0;
  const HRESULT answer =
      info->GetModuleInfo2(module, nullptr, 0, nullptr, nullptr, nullptr, &flags);
  return !succeeded(answer) || (flags & COR_PRF_MODULE_COLLECTIBLE) != 0;
}

AppDomainID domain_of(ProfilerInfo& info, ModuleID module) noexcept {
  AppDomainID domain = 0;
  ULONG32 count = 0;
  info->GetAppDomainsContainingModule(module, 1, &count, &domain);
  return count == 0 ? 0 : domain;
}

// Bytes that a compressed number takes (II.23.2); 0: none that is whole.
std::size_t number_bytes(std::span<const std::uint8_t> at) noexcept {
  if (at.empty()) return 0;
  const std::size_t bytes = at[0] < 0x80 ? 1 : at[0] < 0xC0 ? 2 : 4;
  return bytes <= at.size() ? bytes : 0;
}

}  // namespace

ModuleFields::~ModuleFields() {
  for (const FieldsOfModule& row : modules_.first(size_)) row.metadata->Release();
}

Result<void> ModuleFields::open(ProfilerInfo& info, Arena& arena) noexcept {
  ComRef<ICorProfilerModuleEnum> listed;
  HF_CHECK_OK(check(info->EnumModules(listed.out())));
  ULONG count = 0;
  HF_CHECK_OK(check(listed->GetCount(&count)));
  count = std::min<ULONG>(count, kMostModules);
  HF_TRY(ids, arena.make_filled<ModuleID>(count, 0));
  HF_TRY(rows, arena.make_filled<FieldsOfModule>(count, FieldsOfModule{}));
  modules_ = rows;
  ULONG fetched = 0;
  if (count != 0) HF_CHECK_OK(check(listed->Next(count, ids.data(), &fetched)));
  const auto got = ids.first(std::min(fetched, count));
  std::sort(got.begin(), got.end());
  for (const ModuleID id : got) add(info, id);
  modules_ = rows.first(size_);
  return {};
}

bool ModuleFields::add(ProfilerInfo& info, ModuleID module) noexcept {
  if (is_collectible(info, module)) {
    ++collectible_;
    return false;
  }
  IUnknown* found = nullptr;
  const HRESULT answer = info->GetModuleMetaData(module, ofRead, &kMetadata2, &found);
  if (answer != S_OK || found == nullptr) return false;  // S_FALSE: a module without metadata
  modules_[size_++] = {module, reinterpret_cast<IMetaDataImport*>(found), domain_of(info, module)};
  return true;
}

const FieldsOfModule* ModuleFields::find(ModuleID module) const noexcept {
  const auto at =
      std::lower_bound(modules_.begin(), modules_.end(), module,
                       [](const FieldsOfModule& row, ModuleID id) { return row.module < id; });
  return at != modules_.end() && at->module == module ? &*at : nullptr;
}

bool StaticField::read(IMetaDataImport& metadata, mdFieldDef field) noexcept {
  name = {};
  owner = 0;
  holds_object = holds_reference = false;
  ULONG units = 0;  // with the zero
  DWORD attributes = 0;
  PCCOR_SIGNATURE signature = nullptr;
  ULONG signature_bytes = 0;
  const HRESULT answer =
      metadata.GetFieldProps(field, &owner, buffer, kMostNameUnits, &units, &attributes, &signature,
                             &signature_bytes, nullptr, nullptr, nullptr);
  if (!succeeded(answer)) return false;
  if (units != 0 && units <= kMostNameUnits) name = {buffer, units - 1};
  if ((attributes & fdStatic) == 0 || (attributes & (fdLiteral | fdHasFieldRVA)) != 0) return true;
  const FieldHolds held = field_holds({signature, signature_bytes});
  holds_object = held != FieldHolds::kNoObject;
  holds_reference = held == FieldHolds::kReference;
  return true;
}

FieldHolds field_holds(std::span<const std::uint8_t> signature) noexcept {
  if (signature.size() < 2 || signature[0] != kFieldSignature) return FieldHolds::kNoObject;
  std::span<const std::uint8_t> rest = signature.subspan(1);
  while (!rest.empty() && (rest[0] == ELEMENT_TYPE_CMOD_REQD || rest[0] == ELEMENT_TYPE_CMOD_OPT)) {
    const std::size_t bytes = number_bytes(rest.subspan(1));
    if (bytes == 0) return FieldHolds::kNoObject;
    rest = rest.subspan(1 + bytes);
  }
  if (rest.empty()) return FieldHolds::kNoObject;
  const bool generic = rest[0] == ELEMENT_TYPE_GENERICINST;
  if (generic && rest.size() < 2) return FieldHolds::kNoObject;
  switch (rest[generic ? 1 : 0]) {
    case ELEMENT_TYPE_STRING:
    case ELEMENT_TYPE_CLASS:
    case ELEMENT_TYPE_ARRAY:
    case ELEMENT_TYPE_OBJECT:
    case ELEMENT_TYPE_SZARRAY:
      return FieldHolds::kReference;
    case ELEMENT_TYPE_VALUETYPE:
      return FieldHolds::kBox;
    default:
      return FieldHolds::kNoObject;
  }
}

bool is_generic_type(IMetaDataImport& metadata, mdTypeDef type) noexcept {
  HCORENUM listed = nullptr;
  mdGenericParam parameter = 0;
  ULONG count = 0;
  const HRESULT answer = metadata.EnumGenericParams(&listed, type, &parameter, 1, &count);
  if (listed != nullptr) metadata.CloseEnum(listed);
  return !succeeded(answer) || count != 0;
}

}  // namespace holdfast::clr
