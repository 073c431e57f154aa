#include "clrprofiler/names/modules.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "clrprofiler/names/platform_module.h"
#include "clrprofiler/names/runtime_text.h"

namespace holdfast::clr {

namespace {

constexpr std::size_t kNameBytes = 96;  // of an assembly, on the average
constexpr std::size_t kMaxPathUnits = 4096;
constexpr std::uint32_t kCoreCandidates =
    64;  // the core library is the first module that is loaded

using Path = RuntimeText<kMaxPathUnits>;
using AssemblyName = RuntimeText<Metadata::kMaxUnits>;

struct ModuleFacts {
  NameText path;
  NameText name;
  DWORD flags = 0;
};

std::uint64_t spread(ModuleID id) noexcept {
  return (std::uint64_t{id} * 0x9E3779B97F4A7C15u) >> 20u;
}

std::string_view file_stem(std::string_view path) noexcept {
  path = path.substr(path.find_last_of("/\\") + 1);
  return path.substr(0, path.rfind('.'));
}

AssemblyID read_path(const ProfilerInfo& info, ModuleID id, ModuleFacts& out) noexcept {
  constexpr int kModuleFlags = 3;  // the version of ICorProfilerInfo that brought them
  Path path;
  AssemblyID assembly = 0;
  const HRESULT answer =
      info.version() >= kModuleFlags
          ? info->GetModuleInfo2(id, nullptr, path.size(), path.out_count(), path.data(), &assembly,
                                 &out.flags)
          : info->GetModuleInfo(id, nullptr, path.size(), path.out_count(), path.data(), &assembly);
  if (succeeded(answer)) path.append_to(out.path);
  return assembly;
}

void read_name(const ProfilerInfo& info, AssemblyID assembly, ModuleFacts& out) noexcept {
  AssemblyName name;
  const HRESULT answer = assembly == 0
                             ? E_FAIL
                             : info->GetAssemblyInfo(assembly, name.size(), name.out_count(),
                                                     name.data(), nullptr, nullptr);
  if (succeeded(answer)) name.append_to(out.name);
  if (out.name.view().empty()) out.name.append(file_stem(out.path.view()));
  if (out.name.view().empty()) out.name.append("(module without a name)");
}

IMetaDataImport* open_metadata(const ProfilerInfo& info, ModuleID id) noexcept {
  IUnknown* import = nullptr;
  const HRESULT answer =
      info->GetModuleMetaData(id, ofRead, &kIMetaDataImportVersions[0].iid, &import);
  return succeeded(answer) ? reinterpret_cast<IMetaDataImport*>(import) : nullptr;
}

void name_loader(const Module& module, std::span<LoaderRow> rows, StringTable& strings) noexcept {
  NameText name;
  name.append(module.name);
  if (module.dynamic) name.append(module.collectible ? " (dynamic, collectible)" : " (dynamic)");
  if (!module.dynamic && module.collectible) name.append(" (collectible)");
  rows[module.loader.value].name = strings.intern(name.view());
  rows[module.loader.value].builtin = !module.collectible;
}

}  // namespace

void Modules::close() noexcept {
  for (const Module& module : all())
    if (module.metadata) module.metadata.import()->Release();
  modules_ = {};
  slots_ = {};
  count_ = 0;
  text_used_ = 0;
}

Result<void> Modules::open(ProfilerInfo& info, Arena& arena, std::uint32_t more_modules) noexcept {
  info_ = &info;
  ComRef<ICorProfilerModuleEnum> loaded;
  ULONG count = 0;
  if (!succeeded(info->EnumModules(loaded.out())) || !loaded ||
      !succeeded(loaded->GetCount(&count)))
    count = 0;
  const std::uint32_t room = std::min(count, kMaxModules - more_modules) + more_modules;
  HF_TRY(modules, arena.make_filled<Module>(room, Module{}));
  HF_TRY(slots, arena.make_filled<std::uint32_t>(std::bit_ceil(2 * room), 0));
  HF_TRY(text, arena.make<char>(room * kNameBytes));
  modules_ = modules;
  slots_ = slots;
  text_ = text;
  if (loaded) find_core(*loaded.get(), count);
  return {};
}

// Everything else is judged by where this one lies.
void Modules::find_core(ICorProfilerModuleEnum& loaded, std::uint32_t count) noexcept {
  for (std::uint32_t i = 0; i < std::min(count, kCoreCandidates) && core_ == 0; ++i) {
    ModuleID id = 0;
    ULONG got = 0;
    if (!succeeded(loaded.Next(1, &id, &got)) || got != 1) return;
    ModuleFacts facts;
    read_name(*info_, read_path(*info_, id, facts), facts);
    if (!is_core_library(facts.name.view())) continue;
    take_for_core(id, facts.path.view());
  }
}

void Modules::take_for_core(ModuleID id, std::string_view path) noexcept {
  core_ = id;
  core_path_.clear();
  core_path_.append(path);
}

const Module& Modules::of(ModuleID id) noexcept {
  if (slots_.empty() || id == 0) return unknown();
  for (std::size_t i = spread(id) & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i] != 0 && modules_[slots_[i] - 1].id == id) return modules_[slots_[i] - 1];
    if (slots_[i] != 0) continue;
    if (count_ == modules_.size()) {
      ++left_out_;
      return unknown();
    }
    Module& module = modules_[count_];
    slots_[i] = ++count_;
    module.id = id;
    fetch(module);
    return module;
  }
}

const Module& Modules::core() noexcept { return of(core_); }

const Module& Modules::unknown() noexcept {
  if (unknown_.loader.value == 0) {
    unknown_.name = "(unknown module)";
    unknown_.loader = LoaderId{loader_count_++};
  }
  return unknown_;
}

void Modules::fetch(Module& module) noexcept {
  ModuleFacts facts;
  read_name(*info_, read_path(*info_, module.id, facts), facts);
  module.name = keep(facts.name.view());
  module.collectible = (facts.flags & COR_PRF_MODULE_COLLECTIBLE) != 0;
  module.dynamic = (facts.flags & COR_PRF_MODULE_DYNAMIC) != 0;
  if (core_ == 0 && is_core_library(module.name)) take_for_core(module.id, facts.path.view());
  module.platform = core_ != 0 && !module.dynamic &&
                    is_platform_module(core_path_.view(), facts.path.view(), module.name);
  module.metadata = Metadata(open_metadata(*info_, module.id));
  if (!module.platform) module.loader = LoaderId{loader_count_++};
}

// An arena's array each would be 64 bytes; what does not fit is cut.
std::string_view Modules::keep(std::string_view text) noexcept {
  const std::size_t bytes = std::min(text.size(), text_.size() - text_used_);
  char* const start = text_.data() + text_used_;
  std::memcpy(start, text.data(), bytes);
  text_used_ += bytes;
  return {start, bytes};
}

Result<void> Modules::fill_loaders(Arena& arena, Catalog& catalog) const noexcept {
  HF_TRY(rows, arena.make_filled<LoaderRow>(loader_count_, LoaderRow{}));
  rows[0].name = catalog.strings.intern(kPlatformLoaderName);
  rows[0].builtin = true;
  for (const Module& module : all())
    if (!module.platform) name_loader(module, rows, catalog.strings);
  if (unknown_.loader.value != 0) name_loader(unknown_, rows, catalog.strings);
  catalog.loaders = rows;
  return {};
}

}  // namespace holdfast::clr
