// What grows old while the application runs: the classes that pile up, and how old sampled objects are and became.
#include <algorithm>

#include "analysis/report/report_parts.h"
#include "analysis/square_root.h"
#include "common/ages/loitering.h"

namespace holdfast::analysis {
namespace {

using Figures = Offset<flatbuffers::Vector<std::uint64_t>>;

std::span<const AgeSuspect> suspects_of(const DumpAges& ages) noexcept {
  return std::span(ages.verdict.suspects)
      .first(std::min<std::size_t>(ages.verdict.count, kMostAgeSuspects));
}

std::uint64_t whole(double estimate) noexcept {
  return estimate <= 0 ? 0 : static_cast<std::uint64_t>(estimate + 0.5);
}

// By doublings of the age; what comes after the last that has any is left out.
Figures write_doublings(ReportJob& job, const float (&objects)[kAgeDoublings]) noexcept {
  std::size_t count = kAgeDoublings;
  while (count > 0 && whole(objects[count - 1]) == 0) --count;
  std::uint64_t* list = nullptr;
  const Figures offset = job.builder().CreateUninitializedVector(count, &list);
  for (std::size_t i = 0; i < count; ++i) list[i] = whole(objects[i]);
  return offset;
}

std::uint32_t sum_of(const std::uint32_t (&samples)[kAgeDoublings]) noexcept {
  std::uint32_t sum = 0;
  for (const std::uint32_t one : samples) sum += one;
  return sum;
}

std::uint64_t standard_error(float variance) noexcept {
  return whole(square_root(static_cast<double>(variance)));
}

std::uint64_t collections_since(const DumpAges& ages, std::uint64_t born) noexcept {
  const std::uint64_t now = ages.sampled.question.now;
  return now - std::min(now, born);
}

std::uint64_t followed_ms(const SampledAges& ages) noexcept {
  if (ages.span.samples == 0) return 0;
  return std::max(ages.question.now_ms, ages.span.began_ms + 1) - ages.span.began_ms;
}

std::uint64_t live_bytes(const SampledAges& ages) noexcept {
  double bytes = ages.rest.all_bytes();
  for (const SampledClass& of : ages.classes) bytes += of.all_bytes();
  return whole(bytes);
}

Offset<report::AgingSuspect> write_suspect(ReportJob& job, const AgeSuspect& s) noexcept {
  const std::uint32_t name = job.text(fixed_text(s.name));
  return report::CreateAgingSuspect(job.builder(), name, s.instances, s.shallow_bytes,
                                    s.more_instances, s.more_bytes, s.collections, s.window_ms,
                                    s.looks, s.old_samples, s.ages, s.old_percent,
                                    s.confidence_percent);
}

Offset<report::AgingClassRow> write_class(ReportJob& job, const DumpAges& ages,
                                          const SampledClass& of) noexcept {
  const std::uint32_t name = job.text(ages.names.view(of.name));
  const Figures live = write_doublings(job, of.objects);
  const Figures died = write_doublings(job, of.life.died_objects);
  const ClassLife& life = of.life;
  const Silence silence = silence_of(life, ages.sampled.span, ages.sampled.question.now_ms);
  return report::CreateAgingClassRow(
      job.builder(), name, of.all_samples(), whole(of.all_objects()), whole(of.all_bytes()),
      whole(of.old_objects()), whole(of.old_bytes()), live, sum_of(life.died_samples), died,
      collections_since(ages, life.last_born), standard_error(of.old_objects_variance),
      standard_error(of.old_bytes_variance), life.samples, life.collections,
      collections_since(ages, life.first_born), silence.samples, silence.ms,
      static_cast<float>(silence.chance));
}

// By old bytes, largest first.
Result<std::span<const SampledClass*>> ranked(ReportJob& job, const DumpAges& ages) noexcept {
  HF_TRY(order, job.arena.make<const SampledClass*>(ages.sampled.classes.size()));
  std::size_t count = 0;
  for (const SampledClass& of : ages.sampled.classes) order[count++] = &of;
  std::sort(order.begin(), order.end(), [](const SampledClass* a, const SampledClass* b) {
    const double first = a->old_bytes(), second = b->old_bytes();
    if (first != second) return first > second;
    return a->all_bytes() != b->all_bytes() ? a->all_bytes() > b->all_bytes()
                                            : a->name.value < b->name.value;
  });
  return order;
}

}  // namespace

Result<Offset<report::AgingFacts>> write_aging(ReportJob& job) noexcept {
  const DumpAges* const ages = job.findings.aging;
  if (ages == nullptr || !ages->verdict.on) return Offset<report::AgingFacts>();
  const std::span<const AgeSuspect> found = suspects_of(*ages);
  HF_TRY(suspects, write_rows<report::AgingSuspect>(
                       job, found.size(), kAgingSuspectBytes,
                       [&](std::size_t i) -> Result<Offset<report::AgingSuspect>> {
                         return write_suspect(job, found[i]);
                       }));
  HF_TRY(order, ranked(job, *ages));
  const std::size_t listed = std::min(job.counts.aging_classes, order.size());
  HF_TRY(classes, write_rows<report::AgingClassRow>(
                      job, listed, aging_row_bytes(),
                      [&](std::size_t i) -> Result<Offset<report::AgingClassRow>> {
                        return write_class(job, *ages, *order[i]);
                      }));
  const AgeVerdict& verdict = ages->verdict;
  return report::CreateAgingFacts(job.builder(), verdict.collections, verdict.utc_ms,
                                  verdict.candidates, verdict.looks, ages->sampled_told,
                                  ages->sample_interval_bytes, suspects, classes,
                                  static_cast<std::uint32_t>(order.size()),
                                  live_bytes(ages->sampled), followed_ms(ages->sampled));
}

}  // namespace holdfast::analysis
