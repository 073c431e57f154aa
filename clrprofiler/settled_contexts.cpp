#include "clrprofiler/settled_contexts.h"

#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

bool is_collectible(ProfilerInfo& info, ModuleID id) noexcept {
  constexpr int kModuleFlags = 3;  // the version of ICorProfilerInfo that brought them
  DWORD flags = 0;
  AssemblyID assembly = 0;
  if (info.version() < kModuleFlags)
    return false;  // nor were there collectible ones that can be read
  const HRESULT told = info->GetModuleInfo2(id, nullptr, 0, nullptr, nullptr, &assembly, &flags);
  return succeeded(told) && (flags & COR_PRF_MODULE_COLLECTIBLE) != 0;
}

// Finalizers begin at once. Who loads in this time may unload in it, too.
bool quiet(const UnloadGate& gate, std::uint64_t for_ns) noexcept {
  const std::uint32_t before = gate.moves();
  platforms::sleep_ns(for_ns);
  return gate.moves() == before;
}

// Contexts come and go, though at one moment none may be loaded. Other modules only come.
bool in_traffic(ProfilerInfo& info, const UnloadGate& gate) noexcept {
  const std::uint32_t gone_before = gate.gone();
  platforms::sleep_ns(kUnloadQuietNs);
  return gate.gone() != gone_before || has_collectible_modules(info);
}

}  // namespace

bool has_collectible_modules(ProfilerInfo& info) noexcept {
  ComRef<ICorProfilerModuleEnum> loaded;
  if (!succeeded(info->EnumModules(loaded.out())) || !loaded) return true;
  ModuleID id = 0;
  ULONG got = 0;
  while (loaded->Next(1, &id, &got) == S_OK && got == 1)
    if (is_collectible(info, id)) return true;
  return false;
}

Result<std::uint32_t> settle_contexts(ProfilerInfo& info, ForcedCollection& collection,
                                      const UnloadGate& gate) noexcept {
  std::uint32_t collections = 0;
  const bool can_hold = info.has(Needs::kHeapObjects);
  if (!has_collectible_modules(info) && (can_hold || !in_traffic(info, gate))) return collections;
  if (!can_hold && !quiet(gate, kUnloadStillNs))
    return make_error(ErrorCode::kTooMany, kUnloadStillNs);
  const std::uint64_t until = platforms::monotonic_ns() + kUnloadPatienceNs;
  do {
    HF_CHECK_OK(collection.collect(info));
    ++collections;
    if (quiet(gate, kUnloadQuietNs)) return collections;
  } while (platforms::monotonic_ns() < until);
  return make_error(ErrorCode::kTooMany, kUnloadPatienceNs);
}

}  // namespace holdfast::clr
