#include "clrprofiler/accounts/sample_writer.h"

#include "common/time_units.h"
#include "platforms/clock.h"

namespace holdfast::clr {

Result<void> SampleWriter::open(ProfilerInfo& info, AccountBook& book, WeakHandles& handles,
                                LiveObjects& live, Arena& arena) noexcept {
  info_ = &info;
  book_ = &book;
  handles_ = &handles;
  live_ = &live;
  arena_ = &arena;
  HF_CHECK_OK(functions_.open(info, modules_, book, arena));
  HF_CHECK_OK(classes_.open(arena));
  before_names_ = arena.mark();
  const Result<void> opened = open_names();
  has_names_ = opened.ok();
  return opened;
}

Result<void> SampleWriter::open_names() noexcept {
  HF_CHECK_OK(modules_.open(*info_, *arena_, kMoreModules));
  return reader_.open(*info_, modules_, *arena_);
}

// More modules may be loaded than there were: where the room is too small for them by now, classes have no names.
void SampleWriter::forget() noexcept {
  functions_.forget();
  classes_.forget();
  modules_.close();
  arena_->rewind(before_names_);
  has_names_ = open_names().ok();
}

bool SampleWriter::passes_class(StringId name) noexcept {
  const SampleFilter& filter = book_->settings().filter;
  return !filter.looks_at_classes() || filter.passes_class(book_->names().view(name));
}

// Samples wait for tenths of a second at most, which is nothing for what is asked of their time.
void SampleWriter::write(const AllocationSample& sample) noexcept {
  const StringId name = class_name(sample.type);
  if (!passes_class(name)) {
    book_->pass_over();
    if (sample.handle != nullptr) handles_->destroy(sample.handle);
    return;
  }
  const SampleMoment moment{sample.raises, sample.born, platforms::monotonic_ns() / kNsPerMs};
  const AccountBook::LiveTag tag = book_->sampled(key_of(sample, name), sample.bytes, moment);
  if (sample.handle == nullptr) return book_->died(tag);
  if (tag != 0 && live_->follow(sample.handle, tag)) return;
  book_->died(tag);
  handles_->destroy(sample.handle);
}

AllocationKey SampleWriter::key_of(const AllocationSample& sample, StringId name) noexcept {
  AllocationKey key;
  key.class_name = name;
  if (!book_->patterns().has_any()) return key;
  if ((book_->settings().dimensions & kByAnnotations) != 0)
    key.annotation = book_->name(book_->annotations().line_of(sample.mark));
  if (sample.thread[0] != '\0') key.thread = book_->name(sample.thread);
  for (const FunctionID function : std::span(sample.frames).first(sample.frame_count)) {
    const FrameAccount& frame = functions_.of(function);
    if (frame.account == kUnaccounted || frame.account == key.account) continue;
    if (key.account != kUnaccounted) {
      key.principal = frame.account;
      return key;
    }
    key.account = frame.account;
    key.method = frame.method;
  }
  const bool untold = sample.stack_cut || sample.frame_count == 0;
  if (key.account == kUnaccounted && untold) book_->lose(&AccountLosses::stacks_cut);
  return key;
}

StringId SampleWriter::class_name(ClassID id) noexcept {
  if (const StringId* known = classes_.find(id)) return *known;
  return classes_.add(id, has_names_ ? book_->name(reader_.read(id).name) : StringId{0});
}

}  // namespace holdfast::clr
