#include "clrprofiler/settled_contexts.h"

#include <algorithm>

#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

// Finalizers begin at once. Who loads in this time may unload in it, too.
bool quiet(const ModuleGate& gate, std::uint64_t for_ns) noexcept {
  const std::uint32_t before = gate.moves();
  platforms::sleep_ns(for_ns);
  return gate.moves() == before;
}

// Contexts come and go, though at one moment none may be loaded. Other modules only come.
bool in_traffic(ProfilerInfo& info, const ModuleGate& gate) noexcept {
  const std::uint32_t gone_before = gate.gone();
  platforms::sleep_ns(kUnloadQuietNs);
  return gate.gone() != gone_before || has_collectible_modules(info);
}

}  // namespace

bool is_collectible_module(ProfilerInfo& info, ModuleID id) noexcept {
  constexpr int kModuleFlags = 3;  // the version of ICorProfilerInfo that brought them
  DWORD flags = 0;
  AssemblyID assembly = 0;
  if (info.version() < kModuleFlags)
    return false;  // nor were there collectible ones that can be read
  const HRESULT told = info->GetModuleInfo2(id, nullptr, 0, nullptr, nullptr, &assembly, &flags);
  return succeeded(told) && (flags & COR_PRF_MODULE_COLLECTIBLE) != 0;
}

bool has_collectible_modules(ProfilerInfo& info) noexcept {
  ComRef<ICorProfilerModuleEnum> loaded;
  if (!succeeded(info->EnumModules(loaded.out())) || !loaded) return true;
  ModuleID id = 0;
  ULONG got = 0;
  while (loaded->Next(1, &id, &got) == S_OK && got == 1)
    if (is_collectible_module(info, id)) return true;
  return false;
}

Result<void> SettledContexts::settle(Arena& arena) noexcept {
  if (info_.has(Needs::kHeapObjects)) {
    const Result<void> settled = settle_held(arena);
    if (!settled) release();
    return settled;
  }
  HF_CHECK_OK(settle_still());
  gate_.close_loads();
  return {};
}

Result<void> SettledContexts::settle_held(Arena& arena) noexcept {
  const std::uint64_t until = platforms::monotonic_ns() + kUnloadPatienceNs;
  for (;;) {
    gate_.close_loads();
    if (!has_collectible_modules(info_)) return {};
    HF_CHECK_OK(collect());
    const Arena::Mark before = arena.mark();
    HF_TRY(all_whole, hold(arena));
    if (all_whole) return {};
    arena.rewind(before);
    gate_.open_loads();
    if (platforms::monotonic_ns() >= until)
      return make_error(ErrorCode::kTooMany, kUnloadPatienceNs);
    platforms::sleep_ns(kUnloadQuietNs);  // finalizers begin at once
  }
}

Result<void> SettledContexts::settle_still() noexcept {
  if (!has_collectible_modules(info_) && !in_traffic(info_, gate_)) return {};
  if (!quiet(gate_, kUnloadStillNs)) return make_error(ErrorCode::kTooMany, kUnloadStillNs);
  const std::uint64_t until = platforms::monotonic_ns() + kUnloadPatienceNs;
  do {
    HF_CHECK_OK(collect());
    if (quiet(gate_, kUnloadQuietNs)) return {};
  } while (platforms::monotonic_ns() < until);
  return make_error(ErrorCode::kTooMany, kUnloadPatienceNs);
}

Result<void> SettledContexts::collect() noexcept {
  ++collections_;
  const std::uint64_t began = platforms::monotonic_ns();
  const Result<void> collected = collection_.collect(info_);
  longest_collection_ns_ = std::max(longest_collection_ns_, platforms::monotonic_ns() - began);
  return collected;
}

// On the thread that has forced collections: the classes of what holds a context are looked up.
Result<bool> SettledContexts::hold(Arena& arena) noexcept {
  struct Work {
    HeldContexts& contexts;
    Arena& arena;
    Result<bool> done{false};
  } work{held_, arena};
  const auto body = [](void* context) noexcept {
    auto& asked = *static_cast<Work*>(context);
    asked.done = asked.contexts.hold(asked.arena);
  };
  HF_CHECK_OK(collection_.call_there(body, &work));
  return work.done;
}

void SettledContexts::release() noexcept {
  held_.let_go();
  gate_.open_loads();
}

}  // namespace holdfast::clr
