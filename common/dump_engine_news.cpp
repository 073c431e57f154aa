// How an analysis goes: written by the thread or the child that makes it, looked at by the capture thread, which waits for it.
#include <cstring>

#include "common/dump_engine.h"
#include "platforms/clock.h"

namespace holdfast {

void DumpEngine::begin_news(AnalysisNews& news) noexcept {
  news_ = &news;
  news.objects.store(capture_.snapshot.object_count(), std::memory_order_relaxed);
  news.references.store(capture_.snapshot.reference_count(), std::memory_order_relaxed);
  news.began_utc_ms.store(platforms::utc_ms(), std::memory_order_relaxed);
}

void DumpEngine::note_expected(void* engine, const ExpectedTime& time) noexcept {
  if (static_cast<DumpEngine*>(engine)->news_ == nullptr) return;
  AnalysisNews& news = *static_cast<DumpEngine*>(engine)->news_;
  news.expected_basic_ns.store(time.basic_ns, std::memory_order_relaxed);
  news.expected_ns.store(time.all_ns, std::memory_order_release);
}

void DumpEngine::note_thread_published(void* engine, const AnalysisOutcome& outcome) noexcept {
  auto& self = *static_cast<DumpEngine*>(engine);
  self.thread_basic_ = outcome;
  self.thread_news_.basic_is_there.store(true, std::memory_order_release);
}

void DumpEngine::look_at_analysis(void* engine) noexcept {
  auto& self = *static_cast<DumpEngine*>(engine);
  const AnalysisNews& news = *self.news_;
  DumpProgress& told = self.told_;
  bool changed = false;
  const std::uint64_t expected_ns = news.expected_ns.load(std::memory_order_acquire);
  if (expected_ns != told.expected.all_ns) {
    told.objects = news.objects.load(std::memory_order_relaxed);
    told.references = news.references.load(std::memory_order_relaxed);
    told.analysis_began_utc_ms = news.began_utc_ms.load(std::memory_order_relaxed);
    told.expected = {news.expected_basic_ns.load(std::memory_order_relaxed), expected_ns};
    changed = true;
  }
  if (news.basic_is_there.load(std::memory_order_acquire) && told.report_path[0] == '\0') {
    std::memcpy(told.report_path, self.thread_basic_.report_path, sizeof told.report_path);
    told.report_bytes = self.thread_basic_.report_bytes;
    changed = true;
  }
  if (changed) self.publish_told();
}

// While the child works, on the capture thread.
void DumpEngine::look_at_child(void* engine) noexcept {
  auto& self = *static_cast<DumpEngine*>(engine);
  self.news_ = &self.mailbox_->news;
  look_at_analysis(engine);
  if (self.told_.report_path[0] != '\0' ||
      self.mailbox_->phase.load(std::memory_order_acquire) != ChildPhase::kPublished)
    return;
  const ChildResult& basic = self.mailbox_->published;
  std::memcpy(self.told_.report_path, basic.report_path, sizeof self.told_.report_path - 1);
  self.told_.report_bytes = basic.report_bytes;
  self.publish_told();
}

}  // namespace holdfast
