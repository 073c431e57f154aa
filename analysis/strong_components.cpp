#include "analysis/strong_components.h"

#include <algorithm>

#include "common/cancel.h"
#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kUnvisited = 0;
constexpr std::uint32_t kFirstDone = 0xFFFFFFFEu;  // number of the first finished component

// number[v] is 0 before the search meets v; then its search index, or the lowest that it reaches; then kFirstDone - component.
// Search indices stay below every kFirstDone - component, so a finished object never counts as the lowest that is reached.
static_assert(std::uint64_t{kMaxObjects} * 2 < kFirstDone);

class ComponentSearch {
 public:
  ComponentSearch(const CountedReferences& references, const ComponentScope& scope,
                  std::span<std::uint32_t> number, const CancelToken& cancel) noexcept
      : references_(references),
        snapshot_(references.snapshot()),
        scope_(scope),
        number_(number),
        cancel_(cancel) {}

  Result<std::uint32_t> run(Arena& arena) noexcept {
    const std::uint32_t n = snapshot_.object_count();
    HF_TRY(stacks, arena.make<std::uint32_t>(n));
    HF_TRY(next_reference, arena.make<std::uint32_t>(n));
    HF_TRY(reaches_lower, arena.make_filled<std::uint64_t>((std::size_t{n} + 63) / 64, 0));
    stacks_ = stacks;
    next_reference_ = next_reference;
    reaches_lower_ = reaches_lower;
    waiting_ = n;
    for (const RootRecord& root : snapshot_.roots) HF_CHECK_OK(search_from(root.object.value));
    for (std::uint32_t v = 0; scope_.every_object && v < n; ++v) HF_CHECK_OK(search_from(v));
    return components_;
  }

 private:
  Result<void> search_from(std::uint32_t object) noexcept {
    if (number_[object] != kUnvisited) return {};
    enter(object);
    while (depth_ > 0) HF_CHECK_OK(step());
    return {};
  }

  void enter(std::uint32_t object) noexcept {
    number_[object] = ++index_;
    reaches_lower_[object >> 6] &= ~(std::uint64_t{1} << (object & 63));
    next_reference_[depth_] = 0;
    stacks_[depth_++] = object;
    prefetch(snapshot_.target.data() + snapshot_.first_ref[object]);
  }

  // Follows the top object's references until one leads to an unvisited object, or none is left.
  Result<void> step() noexcept {
    const std::uint32_t object = stacks_[depth_ - 1];
    std::uint32_t& next = next_reference_[depth_ - 1];
    const std::uint32_t first = snapshot_.first_ref[object];
    const std::uint32_t stored = snapshot_.first_ref[object + 1] - first;
    const ClassReferences& row = references_.of(object);
    while (next <= stored) {
      if (++steps_ % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      const std::uint32_t target = target_of(row, object, first, stored, next++);
      if (target == ObjectId::kNoneValue) continue;
      if (number_[target] == kUnvisited) {
        --next;  // looked at again when the target is finished, as one that is visited
        enter(target);
        return {};
      }
      if (number_[target] < number_[object]) lower(object, number_[target]);
    }
    leave(object);
    return {};
  }

  // The implied reference to the class object comes behind the stored ones.
  std::uint32_t target_of(const ClassReferences& row, std::uint32_t object, std::uint32_t first,
                          std::uint32_t stored, std::uint32_t at) const noexcept {
    if (at == stored) {
      const bool counts = scope_.class_references && row.class_object != object;
      return counts ? row.class_object : ObjectId::kNoneValue;
    }
    const bool holds = !row.mixed || (scope_.holding &
                                      strength_bit(strength_of(snapshot_.label[first + at]))) != 0;
    return holds ? snapshot_.target[first + at].value : ObjectId::kNoneValue;
  }

  void lower(std::uint32_t object, std::uint32_t number) noexcept {
    number_[object] = number;
    reaches_lower_[object >> 6] |= std::uint64_t{1} << (object & 63);
  }

  // An object that reaches none below itself ends its component: itself and what waits with numbers from its own on.
  void leave(std::uint32_t object) noexcept {
    --depth_;
    if ((reaches_lower_[object >> 6] >> (object & 63) & 1u) != 0) {
      stacks_[--waiting_] = object;
      return;
    }
    const std::uint32_t done = kFirstDone - components_++;
    const std::uint32_t own = number_[object];
    while (waiting_ < stacks_.size() && number_[stacks_[waiting_]] >= own)
      number_[stacks_[waiting_++]] = done;
    number_[object] = done;
  }

  const CountedReferences& references_;
  const Snapshot& snapshot_;
  const ComponentScope& scope_;
  std::span<std::uint32_t> number_;
  const CancelToken& cancel_;
  std::span<std::uint32_t>
      stacks_;  // [n] the way down from the front, objects that wait for their component from the back
  std::span<std::uint32_t> next_reference_;  // [n] of each object on the way down
  std::span<std::uint64_t> reaches_lower_;   // a bit an object
  std::uint32_t depth_ = 0;
  std::uint32_t waiting_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t components_ = 0;
  std::uint32_t steps_ = 0;
};

void count_objects(std::span<std::uint32_t> number, std::span<std::uint32_t> objects,
                   StrongComponents& found) noexcept {
  for (std::uint32_t& v : number) {
    v = v == kUnvisited ? ObjectId::kNoneValue : kFirstDone - v;
    if (v != ObjectId::kNoneValue) ++objects[v];
  }
  for (std::uint32_t c = 0; c < objects.size(); ++c) {
    if (c == 0 || objects[c] > objects[found.largest]) found.largest = c;
    if (objects[c] < 2) continue;
    ++found.cyclic;
    found.cyclic_objects += objects[c];
  }
}

}  // namespace

Result<StrongComponents> strong_components(const CountedReferences& references,
                                           const ComponentScope& scope, Arena& arena,
                                           const CancelToken& cancel) noexcept {
  StrongComponents found;
  HF_TRY(number,
         arena.make_filled<std::uint32_t>(references.snapshot().object_count(), kUnvisited));
  {
    ArenaScope scratch(arena);
    ComponentSearch search(references, scope, number, cancel);
    HF_TRY(count, search.run(arena));
    found.count = count;
  }
  HF_TRY(objects, arena.make_filled<std::uint32_t>(found.count, 0));
  count_objects(number, objects, found);
  found.component = number;
  found.objects = objects;
  return found;
}

}  // namespace holdfast::analysis
