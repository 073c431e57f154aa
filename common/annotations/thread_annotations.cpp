#include "common/annotations/thread_annotations.h"

#include "common/accounts/account_figures.h"

namespace holdfast {

std::size_t ThreadAnnotations::arena_bytes() noexcept {
  constexpr std::size_t kBytesALine = 20;  // string_table.h
  return kMostLines * kBytesALine + kMostText + (std::size_t{128} << 10);
}

Result<void> ThreadAnnotations::open(Arena& arena, std::uint32_t kinds,
                                     const SampleFilter& filter) noexcept {
  filter_ = filter;
  kinds_ = kinds;
  if (kinds == 0 && !filter.looks_at_annotations()) return {};
  HF_TRY(lines, StringTable::make(arena, kMostLines, kMostText));
  platforms::MutexLock lock(mutex_);
  lines_ = lines;
  other_ = lines_.intern(kOtherName);
  wanted_ = true;
  return {};
}

ThreadAnnotations::Mark ThreadAnnotations::mark_of(std::span<const char> block) noexcept {
  if (!wanted_) return 0;
  const AnnotationTexts texts = read_annotations(block);
  const bool passes = filter_.passes(texts);
  char text[kMaxAnnotationLine];
  // Nobody will ask for the line of one that does not pass.
  const std::string_view line(text, passes ? write_annotations(texts, kinds_, text) : 0);
  platforms::MutexLock lock(mutex_);
  ++figures_.said;
  figures_.cut += texts.was_cut ? 1 : 0;
  StringId id = lines_.intern(line);
  if (id == StringId{0} && !line.empty()) {
    id = other_;
    ++figures_.other;
  }
  return id.value << 1 | (passes && filter_.looks_at_annotations() ? 1u : 0u);
}

std::string_view ThreadAnnotations::line_of(Mark mark) const noexcept {
  if (mark >> 1 == 0) return {};
  platforms::MutexLock lock(mutex_);
  return lines_.view(StringId{mark >> 1});  // texts stay where they are
}

ThreadAnnotations::Figures ThreadAnnotations::figures() const noexcept {
  platforms::MutexLock lock(mutex_);
  Figures figures = figures_;
  figures.lines = lines_.size();
  return figures;
}

}  // namespace holdfast
