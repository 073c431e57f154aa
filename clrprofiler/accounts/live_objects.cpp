#include "clrprofiler/accounts/live_objects.h"

#include <algorithm>

namespace holdfast::clr {

Result<void> LiveObjects::open(WeakHandles& handles, AccountBook& book, std::uint32_t room,
                               Arena& arena) noexcept {
  HF_TRY(followed, arena.make<Followed>(room));
  handles_ = &handles;
  book_ = &book;
  followed_ = followed;
  count_ = next_ = 0;
  return {};
}

bool LiveObjects::follow(ObjectHandleID handle, AccountBook::LiveTag tag) noexcept {
  if (count_ == followed_.size()) look_at_all();
  if (count_ == followed_.size()) return false;
  followed_[count_++] = {handle, tag};
  return true;
}

// From the end to the front, so that the last one, which takes the place of a dead one, has been asked for already.
void LiveObjects::look(std::uint32_t most, std::uint64_t collections) noexcept {
  for (std::uint32_t looks = std::min(most, count_); looks > 0; --looks) {
    if (next_ == 0 || next_ > count_) next_ = count_;
    Followed& followed = followed_[--next_];
    if (book_->follows(followed.tag) && !handles_->is_dead(followed.handle)) continue;
    handles_->destroy(followed.handle);
    book_->died(followed.tag, collections);
    followed = followed_[--count_];
  }
}

void LiveObjects::close() noexcept {
  for (const Followed& followed : followed_.first(count_)) handles_->destroy(followed.handle);
  count_ = next_ = 0;
}

}  // namespace holdfast::clr
