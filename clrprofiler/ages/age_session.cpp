#include "clrprofiler/ages/age_session.h"

#include <utility>

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kCollections = 0x1;
constexpr std::uint64_t kSurvivalAndMovement = 0x400000;
constexpr UINT32 kInformational = 4;
constexpr std::uint64_t kShareOfMemory = 8;

}  // namespace

EventListener<AgeSession> AgeSession::listener_;

Result<void> AgeSession::reserve(Ledger& ledger) noexcept {
  const std::uint64_t most = ledger.limit_bytes() / kShareOfMemory;
  std::size_t ranges = AgeRanges::kMostRanges;
  while (ranges > kLeastRanges && AgeRanges::bytes_for(ranges) > most) ranges /= 2;
  const std::size_t bytes = AgeRanges::bytes_for(ranges);
  if (bytes > most) return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(bytes));
  HF_CHECK_OK(reservation_.open(bytes));
  HF_TRY(arena, reservation_.take_arena(bytes, ledger, MemoryCategory::kAccounts));
  arena_ = std::move(arena);
  return recorder_.open(arena_, ranges);
}

// It listens before it begins: the first events come inside.
Result<void> AgeSession::begin(ProfilerInfo& info) noexcept {
  recorder_.restart();
  listener_.listen(*this);
  const Result<void> begun =
      session_.begin(info, {kCollections | kSurvivalAndMovement, kInformational});
  if (!begun) stop_listening();
  return begun;
}

void AgeSession::end() noexcept {
  stop_listening();
  session_.end();
}

void AgeSession::deliver(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version, const BYTE* data,
                         ULONG bytes) noexcept {
  if (!is_age_event(id)) return;
  listener_.deliver([&](AgeSession& session) {
    session.on_event(provider, id, version, {data, bytes});
  });
}

}  // namespace holdfast::clr
