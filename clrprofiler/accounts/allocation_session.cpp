#include "clrprofiler/accounts/allocation_session.h"

#include "clrprofiler/accounts/allocation_stack.h"
#include "platforms/clock.h"
#include "platforms/thread.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kAllocationSampling = 0x80000000000;
constexpr std::uint64_t kCollections = 0x1;
constexpr UINT32 kInformational = 4;
constexpr UINT32 kVerbose = 5;
constexpr USHORT kFirstThatSamples = 10;

}  // namespace

EventListener<AllocationSession> AllocationSession::listener_;

bool AllocationSession::is_sampled_by(ProfilerInfo& info) noexcept {
  USHORT major = 0;
  COR_PRF_RUNTIME_TYPE type = COR_PRF_DESKTOP_CLR;
  const HRESULT told = info->GetRuntimeInformation(nullptr, &type, &major, nullptr, nullptr,
                                                   nullptr, 0, nullptr, nullptr);
  return succeeded(told) && type == COR_PRF_CORE_CLR && major >= kFirstThatSamples;
}

std::uint64_t AllocationSession::least_interval_bytes(ProfilerInfo& info) noexcept {
  return is_sampled_by(info) ? kSampledEveryBytes : kLeastTickInterval;
}

// -- begin and end --

// It listens before it begins: the first events come inside.
Result<void> AllocationSession::begin(ProfilerInfo& info, SampleRing& ring, WeakHandles& handles,
                                      SamplingPace& pace, const Settings& settings) noexcept {
  info_ = &info;
  ring_ = &ring;
  handles_ = &handles;
  settings_ = settings;
  pace_ = &pace;
  listener_.listen(*this);
  const bool sampled = is_sampled_by(info);
  const std::uint64_t keywords =
      (sampled ? kAllocationSampling : kCollections) | (settings.collections ? kCollections : 0);
  const Result<void> begun = session_.begin(info, {keywords, sampled ? kInformational : kVerbose});
  if (!begun) stop_listening();
  return begun;
}

void AllocationSession::end() noexcept {
  stop_listening();
  session_.end();
}

// -- events --

void AllocationSession::deliver(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version,
                                const BYTE* data, ULONG bytes) noexcept {
  if (!is_allocation_event(id)) return;
  listener_.deliver([&](AllocationSession& session) {
    session.on_event(provider, id, version, {data, bytes});
  });
}

void AllocationSession::on_event(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version,
                                 Payload payload) noexcept {
  if (!session_.tells(provider)) return;
  if (id == kCollectionEnd) return count_collection(payload);
  Allocation told;
  if (!read_allocation(id, version, payload, told)) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const ThreadAnnotations::Mark mark = mark_of_caller();
  if (settings_.annotations != nullptr && !settings_.annotations->passes(mark)) {
    passed_over_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::uint32_t raises = pace_->raises();
  if (!pace_->keeps(told.bytes, told.probability, raises)) return;
  const std::uint64_t began_ns = platforms::monotonic_ns();
  take(told, raises, mark);
  pace_->took(began_ns, platforms::monotonic_ns());
}

// By the runtime's own numbers: sessions of others have the same end told twice.
void AllocationSession::count_collection(Payload payload) noexcept {
  std::uint32_t number = 0;
  if (!settings_.collections || !read_collection_end(payload, number)) return;
  std::uint32_t first = 0;
  if (first_collection_.compare_exchange_strong(first, number, std::memory_order_relaxed))
    first = number;
  if (number < first) return;
  const std::uint64_t count = std::uint64_t{number} - first + 1;
  std::uint64_t seen = collections();
  while (seen < count && !collections_.compare_exchange_weak(seen, count)) continue;
}

ThreadAnnotations::Mark AllocationSession::mark_of_caller() const noexcept {
  return settings_.marks == nullptr ? 0
                                    : static_cast<ThreadAnnotations::Mark>(settings_.marks->get());
}

void AllocationSession::take(const Allocation& told, std::uint32_t raises,
                             ThreadAnnotations::Mark mark) noexcept {
  const SampleRing::Claim claim = ring_->claim();
  if (claim.sample == nullptr) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  AllocationSample& sample = *claim.sample;
  sample.type = told.type;
  sample.bytes = told.bytes;
  sample.raises = raises;
  sample.born = collections();
  sample.mark = mark;
  sample.handle = handles_->make(told.object);
  sample.thread[0] = '\0';
  if (settings_.by_thread) platforms::calling_thread_name(sample.thread);
  if (settings_.by_stack)
    take_allocating_stack(**info_, sample);
  else
    sample.frame_count = 0;
  ring_->publish(claim);
}

}  // namespace holdfast::clr
