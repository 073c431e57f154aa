// What the collector did until the dump, and since the report before.
#include "analysis/report/report_parts.h"

namespace holdfast::analysis {
namespace {

std::uint64_t since(std::uint64_t now, std::uint64_t before) noexcept {
  return now == kUnknownCount || before == kUnknownCount || now < before ? kUnknownCount
                                                                         : now - before;
}

// Heard as one: nobody stopped listening in between.
std::uint64_t reclaimed_since(const HeardCollections& now,
                              const HeardCollections& before) noexcept {
  const bool one = before.count != 0 && now.since_utc_ms == before.since_utc_ms;
  return one ? since(now.reclaimed_bytes, before.reclaimed_bytes) : kUnknownCount;
}

void add_since(report::CollectionFactsBuilder& facts, const DumpRecord& record) noexcept {
  const CollectionFigures& now = record.collections;
  const CollectionFigures& before = record.collections_reported;
  facts.add_last_report_utc_ms(record.last_report_utc_ms);
  facts.add_since_report_young(since(now.young, before.young));
  facts.add_since_report_full(since(now.full, before.full));
  facts.add_since_report_concurrent(since(now.cycles, before.cycles));
  facts.add_since_report_pause_ns(since(now.pause_ns, before.pause_ns));
  facts.add_since_report_reclaimed_bytes(reclaimed_since(now.heard, before.heard));
}

}  // namespace

Offset<report::CollectionFacts> write_collections(ReportJob& job) noexcept {
  const CollectionFigures& now = job.record.collections;
  if (!now.known()) return {};
  report::CollectionFactsBuilder facts(job.builder());
  facts.add_young(now.young);
  facts.add_full(now.full);
  facts.add_concurrent(now.cycles);
  facts.add_pause_ns(now.pause_ns);
  facts.add_last_pause_ns(now.last_pause_ns);
  facts.add_heard(now.heard.count);
  facts.add_heard_since_utc_ms(now.heard.since_utc_ms);
  facts.add_longest_pause_ns(now.heard.longest_pause_ns);
  facts.add_reclaimed_bytes(now.heard.reclaimed_bytes);
  facts.add_before_bytes(now.heard.before_bytes);
  facts.add_after_bytes(now.heard.after_bytes);
  if (job.record.last_report_utc_ms != 0) add_since(facts, job.record);
  return facts.Finish();
}

}  // namespace holdfast::analysis
