// The modules of one dump: name, metadata and kind, fetched at first sight and given back together.
// Why modules as loaders: the profiling API knows no AssemblyLoadContext. What it tells is a module, its assembly, its AppDomain
//      (one on .NET, whatever the contexts) and whether it can be unloaded. A context that loads an assembly again makes a module
//      of its own, so a plugin that leaks ten times is ten rows of one name, as equal class loaders are on a JVM. Which modules
//      share a context only the heap tells: objects of collectible types refer to their context's LoaderAllocator, which
//      LoaderRow.object has room for.
// Shape:  loader 0 is the runtime's own modules together ("platform"); every other module is a row: "shop", "Plugin (collectible)",
//         "Rules (dynamic)", "Rules (dynamic, collectible)". 56 B a module + its name, sized at open() for those that are loaded
//         and `more_modules` that come while the dump runs; the rest share the row "(unknown module)" with classes that have none.
// Zone:   capture, application running or in a suspension of ours: open() may trigger a collection, and both need a thread whose
//         synchronous calls the runtime obeys (docs/design/dotnet.md).
// Errors: open(): kOutOfBudget. What the runtime does not tell is left out: a module has a name in any case.
// Source: ICorProfilerInfo::GetModuleInfo, ICorProfilerInfo3::GetModuleInfo2 (COR_PRF_MODULE_FLAGS).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "clrprofiler/names/metadata.h"
#include "clrprofiler/profiler_info.h"
#include "common/arena.h"
#include "common/snapshot/catalog.h"

namespace holdfast::clr {

struct Module {
  ModuleID id = 0;
  Metadata metadata;      // false in a condition when there is none
  std::string_view name;  // of the assembly
  LoaderId loader{0};
  bool platform = false;
  bool collectible = false;
  bool dynamic = false;  // emitted at run time
};

class Modules {
 public:
  static constexpr std::uint32_t kMoreModules = 256;
  static constexpr std::uint32_t kMaxModules = 1u << 18;

  Modules() = default;
  ~Modules() { close(); }
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  // `info` and `arena` outlive this object; what is made in `arena` afterwards does not touch it.
  Result<void> open(ProfilerInfo& info, Arena& arena,
                    std::uint32_t more_modules = kMoreModules) noexcept;
  // Gives all metadata back; before the arena does so with its pages.
  void close() noexcept;
  const Module& of(ModuleID id) noexcept;
  // The module of System.Object, if the runtime has shown it yet.
  const Module& core() noexcept;
  // In the place of one that is not known: it has a name and a loader, but no metadata.
  const Module& unknown() noexcept;
  std::span<const Module> all() const noexcept { return modules_.first(count_); }
  std::uint32_t left_out() const noexcept { return left_out_; }

  std::uint32_t loader_count() const noexcept { return loader_count_; }
  // One row for each loader seen so far; catalog.strings exists.
  Result<void> fill_loaders(Arena& arena, Catalog& catalog) const noexcept;

 private:
  void find_core(ICorProfilerModuleEnum& loaded, std::uint32_t count) noexcept;
  void fetch(Module& module) noexcept;
  void take_for_core(ModuleID id, std::string_view path) noexcept;
  std::string_view keep(std::string_view text) noexcept;

  ProfilerInfo* info_ = nullptr;
  std::span<Module> modules_;
  std::span<std::uint32_t> slots_;  // index + 1, 0 is free; a power of two
  std::span<char> text_;            // of names
  std::size_t text_used_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t left_out_ = 0;
  std::uint32_t loader_count_ = 1;
  ModuleID core_ = 0;
  NameText core_path_;
  Module unknown_;
};

}  // namespace holdfast::clr
