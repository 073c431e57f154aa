#include "clrprofiler/oom_exception.h"

#include <string_view>

namespace holdfast::clr {

namespace {

constexpr std::u16string_view kName = u"System.OutOfMemoryException";

bool is_named(ProfilerInfo& info, ClassID id) noexcept {
  ModuleID module = 0;
  mdTypeDef token = 0;
  if (!succeeded(info->GetClassIDInfo(id, &module, &token))) return false;
  constexpr DWORD kRead = 0;  // ofRead
  ComRef<IUnknown> opened;
  if (!succeeded(
          info->GetModuleMetaData(module, kRead, &kIMetaDataImportVersions[0].iid, opened.out())) ||
      !opened)
    return false;
  auto& metadata = *reinterpret_cast<IMetaDataImport*>(opened.get());
  char16_t name[kName.size() + 2] = {};
  ULONG units = 0;
  DWORD flags = 0;
  mdToken extends = 0;
  const HRESULT told =
      metadata.GetTypeDefProps(token, name, kName.size() + 2, &units, &flags, &extends);
  return succeeded(told) && std::u16string_view(name) == kName;
}

}  // namespace

bool OomException::is(ProfilerInfo& info, ObjectID exception) noexcept {
  ClassID id = 0;
  if (!succeeded(info->GetClassFromObject(exception, &id)) || id == 0) return false;
  if (const ClassID found = found_.load(std::memory_order_relaxed)) return id == found;
  std::atomic<ClassID>& other = others_[id / sizeof(void*) % kRemembered];
  if (other.load(std::memory_order_relaxed) == id) return false;
  if (!is_named(info, id)) {
    other.store(id, std::memory_order_relaxed);
    return false;
  }
  found_.store(id, std::memory_order_relaxed);
  return true;
}

}  // namespace holdfast::clr
