#include "analysis/dominator_search.h"

#include <cstring>

#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kLeave =
    0xFFFFFFFFu;  // on the stack: all referents of the current object are done
constexpr std::size_t kStoreGrant = std::size_t{1}
                                    << 16;  // stored references drawn from the arena at a time
constexpr std::size_t kRowSlack = 2;        // the implied referent and kLeave

// An array at the arena's end that grows in place, because nothing else is made in the meantime.
class StoredReferences {
 public:
  explicit StoredReferences(Arena& arena) noexcept : arena_(arena) {}
  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t* end() noexcept { return data_ + size_; }
  void set_end(const std::uint32_t* end) noexcept {
    size_ = static_cast<std::uint32_t>(end - data_);
  }
  std::span<std::uint32_t> span() const noexcept { return {data_, size_}; }
  Result<void> make_room(std::uint64_t count) noexcept {
    if (capacity_ - size_ >= count) return {};
    return grow(count);
  }

 private:
  Result<void> grow(std::uint64_t count) noexcept {
    const std::uint64_t wanted = count - (capacity_ - size_);
    const std::uint64_t step = (wanted + kStoreGrant - 1) / kStoreGrant *
                               kStoreGrant;  // a multiple of the arena's alignment
    HF_TRY(piece, arena_.make<std::uint32_t>(step));
    if (data_ == nullptr) data_ = piece.data();
    if (piece.data() != data_ + capacity_) return make_error(ErrorCode::kInconsistent);
    capacity_ += piece.size();
    return {};
  }

  Arena& arena_;
  std::uint32_t* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::size_t capacity_ = 0;
};

class Search {
 public:
  Search(const CountedReferences& references, StrengthSet holding, DominatorArrays& arrays,
         Arena& arena) noexcept
      : references_(references),
        snapshot_(references.snapshot()),
        holding_(holding),
        a_(arrays),
        arena_(arena),
        stored_(arena),
        stack_(arrays.stack) {}

  Result<SearchOutcome> run(const CancelToken& cancel) noexcept {
    std::memset(a_.number.data(), 0xFF, a_.number.size_bytes());
    HF_CHECK_OK(mark_plain_objects(cancel));
    a_.vertex[0] = ObjectId::kNoneValue;
    a_.parent[0] = a_.semi[0] = a_.cross_start[0] = a_.cross_start[1] = 0;
    for (const Lifespan lifespan : kLifespans) {
      first_ = count_ + 1;
      HF_CHECK_OK(search_roots(lifespan, cancel));
      a_.held_up_to[static_cast<std::size_t>(lifespan)] = count_;
    }
    a_.held = count_;
    a_.cross = stored_.span();
    return SearchOutcome{spilled_};
  }

 private:
  Result<void> search_roots(Lifespan lifespan, const CancelToken& cancel) noexcept {
    // Until its turn comes a root object carries the root bit alone: visited for all who refer to it.
    for (const RootRecord& root : snapshot_.roots) {
      std::uint32_t& number = a_.number[root.object.value];
      if (snapshot_.lifespan(root) == lifespan && number == DominatorArrays::kUnvisited)
        number = DominatorArrays::kRootBit;
    }
    // Roots and referents are taken last first, as a capture takes them from its stack: then memory is read forward.
    for (std::size_t i = snapshot_.roots.size(); i-- > 0;) {
      const std::uint32_t object = snapshot_.roots[i].object.value;
      if (a_.number[object] == DominatorArrays::kRootBit) HF_CHECK_OK(search_from(object, cancel));
    }
    return {};
  }

  Result<void> mark_plain_objects(const CancelToken& cancel) noexcept {
    const std::uint32_t n = snapshot_.object_count();
    HF_TRY(plain, arena_.make_filled<std::uint64_t>(n / 64 + 1, 0));
    plain_ = plain;
    return forward_in_strides(0, n, cancel, [&](std::uint32_t from, std::uint32_t to) {
      for (std::uint32_t object = from; object < to; ++object) {
        const ClassReferences& row = references_.of(object);
        const bool counts_class_object =
            row.class_object != ObjectId::kNoneValue && !row.class_object_is_root;
        plain_[object / 64] |= std::uint64_t{!row.mixed && !counts_class_object} << (object % 64);
      }
    });
  }
  bool is_plain(std::uint32_t object) const noexcept {
    return (plain_[object / 64] >> (object % 64) & 1u) != 0;
  }

  Result<void> search_from(std::uint32_t root, const CancelToken& cancel) noexcept {
    HF_CHECK_OK(enter(root, 0, DominatorArrays::kRootBit));
    while (top_ != 0) {
      if (++steps_ % DominatorArrays::kCancelStride == 0) HF_CHECK_OK(cancel.check());
      const std::uint32_t object = stack_[--top_];
      if (object == kLeave) {
        current_ = a_.parent[current_];
        continue;
      }
      const std::uint32_t number = a_.number[object];
      if (number == DominatorArrays::kUnvisited) {
        HF_CHECK_OK(enter(object, current_, 0));
      } else if (a_.semi[number] > current_) {
        a_.semi[number] =
            current_;  // a forward reference: it was reached on a longer way in the meantime
      }
    }
    return {};
  }

  Result<void> enter(std::uint32_t object, std::uint32_t from, std::uint32_t root_bit) noexcept {
    const std::uint32_t begin = snapshot_.first_ref[object];
    const std::uint32_t end = snapshot_.first_ref[object + 1];
    prefetch_next();
    const std::uint32_t v = ++count_;
    a_.number[object] = v | root_bit;
    a_.vertex[v] = object;
    a_.parent[v] = a_.semi[v] = from;
    HF_CHECK_OK(make_room(end - begin + kRowSlack));
    scanned_ += end - begin + 1;
    const std::uint32_t base = top_;
    stack_[top_++] = kLeave;
    scan_row(object, begin, end, v);
    a_.cross_start[v + 1] = stored_.size();
    if (top_ == base + 1) {
      top_ = base;  // nothing below: the search never leaves for it
    } else {
      current_ = v;
    }
    return {};
  }

  // The object that is most likely entered after this one's subtree: its row, whose start was prefetched when it was pushed.
  void prefetch_next() const noexcept {
    if (top_ == 0 || stack_[top_ - 1] == kLeave) return;
    prefetch(snapshot_.target.data() + snapshot_.first_ref[stack_[top_ - 1]]);
  }

  // Where the row's references go. Locals of one scan: as members they would be loaded and stored again for each reference.
  struct Ends {
    std::uint32_t* pushed;
    std::uint32_t* stored;
  };

  void scan_row(std::uint32_t object, std::uint32_t begin, std::uint32_t end,
                std::uint32_t v) noexcept {
    Ends ends{stack_.data() + top_, stored_.end()};
    const ObjectId* const target = snapshot_.target.data();
    if (is_plain(object)) {
      for (std::uint32_t i = begin; i < end; ++i) look_at(target[i].value, v, ends);
    } else {
      scan_mixed_row(object, begin, end, v, ends);
    }
    top_ = static_cast<std::uint32_t>(ends.pushed - stack_.data());
    stored_.set_end(ends.stored);
  }

  void scan_mixed_row(std::uint32_t object, std::uint32_t begin, std::uint32_t end, std::uint32_t v,
                      Ends& ends) noexcept {
    const ClassReferences& row = references_.of(object);
    if (row.class_object != ObjectId::kNoneValue && !row.class_object_is_root)
      look_at(row.class_object, v, ends);
    for (std::uint32_t i = begin; i < end; ++i) {
      const Strength strength = row.mixed ? strength_of(snapshot_.label[i]) : Strength::kStrong;
      if ((holding_ & strength_bit(strength)) != 0) look_at(snapshot_.target[i].value, v, ends);
    }
  }

  void look_at(std::uint32_t target, std::uint32_t v, Ends& ends) noexcept {
    const std::uint32_t number = a_.number[target];
    if (number == DominatorArrays::kUnvisited) {
      *ends.pushed++ = target;
      prefetch(&snapshot_.first_ref[target]);
    } else if (number - first_ <
               v - first_) {  // not itself, and no root object, whose root bit makes it larger
      *ends.stored++ = number;
    }
  }

  Result<void> make_room(std::uint64_t references) noexcept {
    HF_CHECK_OK(stored_.make_room(references));
    if (stack_.size() - top_ >= references) return {};
    return spill();
  }

  // The free memory of the results is used up: a stack that is certainly large enough, after the room that stored references
  // may still need.
  Result<void> spill() noexcept {
    const std::uint64_t left = references_.reference_bound() - scanned_ + 2 * kRowSlack;
    HF_CHECK_OK(stored_.make_room(left));
    HF_TRY(larger, arena_.make<std::uint32_t>(top_ + left + snapshot_.object_count() + kRowSlack));
    std::memcpy(larger.data(), stack_.data(), top_ * sizeof(std::uint32_t));
    stack_ = larger;
    spilled_ = true;
    return {};
  }

  const CountedReferences& references_;
  const Snapshot& snapshot_;
  const StrengthSet holding_;
  DominatorArrays& a_;
  Arena& arena_;
  StoredReferences stored_;
  std::span<std::uint64_t>
      plain_;  // a bit an object: all its stored references count and no other, so its class is not asked
  std::span<std::uint32_t>
      stack_;  // unvisited referents of all open objects, each object's above a kLeave
  std::uint32_t top_ = 0;
  std::uint32_t count_ = 0;    // objects numbered so far
  std::uint32_t first_ = 1;    // the lowest number that a reference may lead to and count
  std::uint32_t current_ = 0;  // number of the open object whose referents are on top
  std::uint32_t steps_ = 0;
  std::uint64_t scanned_ = 0;
  bool spilled_ = false;
};

}  // namespace

Result<SearchOutcome> search_depth_first(const CountedReferences& references, StrengthSet holding,
                                         DominatorArrays& arrays, Arena& arena,
                                         const CancelToken& cancel) noexcept {
  Search search(references, holding, arrays, arena);
  return search.run(cancel);
}

}  // namespace holdfast::analysis
