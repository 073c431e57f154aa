#include "clrprofiler/ages/age_session.h"

#include <utility>

#include "platforms/clock.h"
#include "platforms/thread.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kCollections = 0x1;
constexpr std::uint64_t kSurvivalAndMovement = 0x400000;
constexpr UINT32 kInformational = 4;
constexpr std::uint64_t kShareOfMemory = 8;
// Some 20 to 60 ms the first time in a process; on a machine with too much to do, more.
constexpr std::uint64_t kPatienceNs = 10'000'000'000;
// Events are microseconds.
constexpr std::uint64_t kLookNs = 50'000;

}  // namespace

std::atomic<AgeSession*> AgeSession::listening_{nullptr};
std::atomic<std::uint32_t> AgeSession::inside_{0};

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

Result<void> AgeSession::begin(ProfilerInfo& info) noexcept {
  if (!info.has(Needs::kEventPipe)) return make_error(ErrorCode::kUnsupported, info.version());
  info_ = &info;
  runtime_.forget();
  recorder_.restart();
  listening_.store(this);
  HF_CHECK_OK(call_.begin(&AgeSession::start_there, this));
  if (!call_.wait(platforms::monotonic_ns() + kPatienceNs)) {
    stop_listening();
    return make_error(ErrorCode::kDeadline, static_cast<std::int64_t>(kPatienceNs));
  }
  call_.close();
  if (!succeeded(answer_)) stop_listening();
  return check(answer_);
}

void AgeSession::stop_listening() noexcept {
  AgeSession* listens = this;
  listening_.compare_exchange_strong(listens, nullptr);
  while (inside_.load() != 0) platforms::sleep_ns(kLookNs);
}

void AgeSession::end() noexcept {
  stop_listening();
  if (session_ != 0 && call_.begin(&AgeSession::stop_there, this)) call_.close();
  session_ = 0;
}

void AgeSession::start_there(void* session) noexcept {
  auto& self = *static_cast<AgeSession*>(session);
  COR_PRF_EVENTPIPE_PROVIDER_CONFIG provider{
      RuntimeProvider::kName, kCollections | kSurvivalAndMovement, kInformational, nullptr};
  self.answer_ = (*self.info_)->EventPipeStartSession(1, &provider, 0, &self.session_);
}

void AgeSession::stop_there(void* session) noexcept {
  auto& self = *static_cast<AgeSession*>(session);
  (*self.info_)->EventPipeStopSession(self.session_);
}

// Sequentially consistent, all of it; see stop_listening().
void AgeSession::deliver(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version, const BYTE* data,
                         ULONG bytes) noexcept {
  if (!is_age_event(id)) return;
  inside_.fetch_add(1);
  AgeSession* const session = listening_.load();
  if (session != nullptr) session->on_event(provider, id, version, {data, bytes});
  inside_.fetch_sub(1);
}

}  // namespace holdfast::clr
