#include "analysis/states/backlogs.h"

#include <algorithm>
#include <string_view>

#include "analysis/set_sweep.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kMaxSuperclasses = 64;

struct Waiting {
  ObjectId queue;
  std::uint64_t count = 0;
};

class BacklogSearch {
 public:
  BacklogSearch(const BacklogQuestion& question, Arena& arena, const CancelToken& cancel) noexcept
      : q_(question),
        s_(question.references.snapshot()),
        catalog_(s_.catalog),
        arena_(arena),
        cancel_(cancel) {}

  Result<std::span<const Backlog>> run() noexcept {
    HF_TRY(rows, arena_.make_filled<Backlog>(kMostBacklogs, Backlog{}));
    HF_TRY(frames,
           arena_.make_filled<BacklogFrame>(kMostBacklogs * kMostBacklogFrames, BacklogFrame{}));
    ArenaScope scratch(arena_);
    HF_CHECK_OK(find_fields());
    HF_TRY(tally, arena_.make_filled<std::uint32_t>(catalog_.classes.size() + 1, 0));
    tally_ = tally;
    std::size_t count = 0;
    HF_CHECK_OK(add_finalizer_roots(rows, count));
    HF_CHECK_OK(find_queues());
    for (std::size_t i = 0; i < queue_count_ && count < rows.size(); ++i)
      HF_CHECK_OK(describe(queues_[i], rows[count++]));
    for (std::size_t i = 0; i < count; ++i) {
      const auto room = frames.subspan(i * kMostBacklogFrames, kMostBacklogFrames);
      rows[i].thread = thread_of(rows[i]);
      rows[i].frames = frames_of(rows[i].thread, room);
    }
    return std::span<const Backlog>(rows.first(count));
  }

 private:
  // -- classes and fields by name --

  std::uint32_t field_of(const ClassRow& row, std::string_view name) const noexcept {
    for (std::uint32_t f = row.first_field; f < row.first_field + row.field_count; ++f)
      if (f < catalog_.fields.size() && catalog_.strings.view(catalog_.fields[f]) == name) return f;
    return Catalog::kNoField;
  }

  Result<void> find_fields() noexcept {
    HF_TRY(is_queue, arena_.make_filled<std::uint8_t>(catalog_.classes.size() + 1, 0));
    is_queue_ = is_queue;
    ClassId queue;
    for (std::uint32_t c = 0; c < catalog_.class_count(); ++c) {
      const ClassRow& row = catalog_.classes[c];
      const std::string_view name = catalog_.strings.view(row.name);
      if (!name.starts_with("java.lang.ref.")) continue;
      if (name == "java.lang.ref.ReferenceQueue") {
        queue = ClassId{c};
        head_ = field_of(row, "head");
      } else if (name == "java.lang.ref.Reference") {
        next_ = field_of(row, "queueNext");
        if (next_ == Catalog::kNoField) next_ = field_of(row, "next");
      }
    }
    if (!queue.valid()) return {};
    for (std::uint32_t c = 0; c < catalog_.class_count(); ++c) {
      ClassId at{c};
      for (std::uint32_t step = 0; at.valid() && step < kMaxSuperclasses; ++step) {
        if (at == queue) is_queue_[c] = 1;
        at = catalog_.classes[at.value].superclass;
      }
    }
    return {};
  }

  std::size_t class_index(ObjectId object) const noexcept {
    return std::min<std::size_t>(s_.class_of[object.value].value, catalog_.classes.size());
  }
  std::string_view class_name_of(ObjectId object) const noexcept {
    return catalog_.class_name(s_.class_of[object.value]);
  }
  ObjectId by_field(ObjectId from, std::uint32_t field) const noexcept {
    if (field == Catalog::kNoField) return {};
    for (std::uint32_t i = s_.first_ref[from.value]; i < s_.first_ref[from.value + 1]; ++i) {
      const RefLabel label = s_.label[i];
      if (label.is_instance_field() &&
          catalog_.field_index(s_.class_of[from.value], label.index()) == field)
        return s_.target[i];
    }
    return {};
  }
  ObjectId referent_of(ObjectId reference) const noexcept {
    for (std::uint32_t i = s_.first_ref[reference.value]; i < s_.first_ref[reference.value + 1];
         ++i)
      if (strength_of(s_.label[i]) != Strength::kStrong) return s_.target[i];
    return {};
  }

  // -- chains --

  // visit(reference) for each that waits in the queue. A chain that never ends is cut at the number of all objects.
  template <class Visit>
  Result<void> for_each_waiting(ObjectId queue, Visit visit) const noexcept {
    ObjectId at = by_field(queue, head_);
    for (std::uint32_t steps = 0; at.valid() && steps < s_.object_count(); ++steps) {
      if (steps % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      visit(at);
      const ObjectId next = by_field(at, next_);
      if (next == at) break;
      at = next;
    }
    return {};
  }

  // The queues with the most references, the largest first.
  Result<void> find_queues() noexcept {
    if (head_ == Catalog::kNoField || next_ == Catalog::kNoField) return {};
    for (std::uint32_t v = 0; v < s_.object_count(); ++v) {
      if (v % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      if (is_queue_[class_index(ObjectId{v})] == 0) continue;
      Waiting one{ObjectId{v}, 0};
      HF_CHECK_OK(for_each_waiting(one.queue, [&](ObjectId) { ++one.count; }));
      if (one.count >= (is_finalizers(one.queue) ? 1 : kFewestWaiting)) keep(one);
    }
    return {};
  }
  void keep(const Waiting& one) noexcept {
    std::size_t at = std::min(queue_count_, kMostBacklogs - 1);
    if (queue_count_ == kMostBacklogs && queues_[at].count >= one.count) return;
    for (; at > 0 && queues_[at - 1].count < one.count; --at) queues_[at] = queues_[at - 1];
    queues_[at] = one;
    queue_count_ = std::min(queue_count_ + 1, kMostBacklogs);
  }

  // What waits there are references for finalizers: they say so themselves.
  bool is_finalizers(ObjectId queue) const noexcept {
    const ObjectId first = by_field(queue, head_);
    if (!first.valid()) return false;
    const ClassId id = s_.class_of[first.value];
    return id.value < catalog_.class_count() &&
           catalog_.classes[id.value].referent == Strength::kFinal;
  }

  Result<void> describe(const Waiting& of, Backlog& row) noexcept {
    row.queue = of.queue;
    row.waiting = of.count;
    row.finalizers = is_finalizers(of.queue);
    name_holder(row);
    ArenaScope scratch(arena_);
    HF_TRY(members, arena_.make<std::uint32_t>(of.count));
    std::size_t count = 0;
    HF_CHECK_OK(for_each_waiting(of.queue, [&](ObjectId reference) {
      if (count < members.size()) members[count++] = reference.value;
    }));
    const auto all = members.first(count);
    std::uint64_t ignored = 0;
    row.reference_class = most_common(
        all, [](std::uint32_t v) { return ObjectId{v}; }, ignored);
    row.referent_class = most_common(
        all, [this](std::uint32_t v) { return referent_of(ObjectId{v}); }, row.referents);
    for (std::size_t i = 0; i < all.size() && !row.first_referent.valid(); ++i) {
      const ObjectId referent = referent_of(ObjectId{all[i]});
      if (referent.valid() && s_.class_of[referent.value] == row.referent_class)
        row.first_referent = referent;
    }
    HF_TRY(bytes, retained_by(all));
    row.retained_bytes = bytes;
    return {};
  }

  template <class Of>
  ClassId most_common(std::span<const std::uint32_t> members, Of of,
                      std::uint64_t& instances) noexcept {
    std::size_t best = tally_.size() - 1;
    bool any = false;
    for (const std::uint32_t v : members) {
      const ObjectId object = of(v);
      if (!object.valid()) continue;
      const std::size_t c = class_index(object);
      if (++tally_[c] > tally_[best] || !any) best = c;
      any = true;
    }
    instances = any ? tally_[best] : 0;
    std::fill(tally_.begin(), tally_.end(), 0u);
    return any && best + 1 < tally_.size() ? ClassId{static_cast<std::uint32_t>(best)} : ClassId{};
  }

  // As a set. `members` are sorted by position.
  Result<std::uint64_t> retained_by(std::span<std::uint32_t> members) noexcept {
    const Dominators& d = q_.dominators;
    if (d.position.empty()) return std::uint64_t{0};
    std::sort(members.begin(), members.end(),
              [&](std::uint32_t a, std::uint32_t b) { return d.position[a] < d.position[b]; });
    HF_TRY(sweep, SetSweep::make(d, 1, arena_));
    for (const std::uint32_t v : members)
      if (d.position[v] != ObjectId::kNoneValue) sweep.add(0, d.position[v]);
    return sweep.retained_bytes(0);
  }

  // The neighbour on the shortest path that names a field of the queue.
  void name_holder(Backlog& row) const noexcept {
    const std::uint32_t parent = q_.reachability.parent[row.queue.value];
    if (parent >= s_.object_count()) return;
    row.holder = ObjectId{parent};
    for (std::uint32_t i = s_.first_ref[parent]; i < s_.first_ref[parent + 1]; ++i)
      if (s_.target[i] == row.queue) row.held_by = s_.label[i];
  }

  // -- a VM whose queue is outside of the heap --

  Result<void> add_finalizer_roots(std::span<Backlog> rows, std::size_t& count) noexcept {
    std::size_t waiting = 0;
    for (const RootRecord& root : s_.roots) waiting += root.kind == RootKind::kFinalizer ? 1 : 0;
    if (waiting == 0) return {};
    ArenaScope scratch(arena_);
    HF_TRY(members, arena_.make<std::uint32_t>(waiting));
    std::size_t size = 0;
    for (const RootRecord& root : s_.roots)
      if (root.kind == RootKind::kFinalizer) members[size++] = root.object.value;
    Backlog& row = rows[count++];
    row.finalizers = true;
    row.waiting = waiting;
    row.referent_class = most_common(
        members, [](std::uint32_t v) { return ObjectId{v}; }, row.referents);
    HF_TRY(bytes, retained_by(members));
    row.retained_bytes = bytes;
    return {};
  }

  // -- the thread --

  // One that is made for finalizers is known by its class, or by what it calls. Any other is one of whose locals the queue is, or an
  // object that refers to it: a cleaner's thread has the cleaner.
  ThreadId thread_of(const Backlog& row) const noexcept {
    if (row.finalizers) {
      for (std::uint32_t t = 0; t < catalog_.threads.size(); ++t)
        if (catalog_.threads[t].object.valid() && is_finalizer_thread(catalog_.threads[t]))
          return ThreadId{t};
      return thread_in_finalizer(row.queue.valid());
    }
    for (const RootRecord& root : s_.roots)
      if (is_local_root(root.kind) && root.thread.value < catalog_.threads.size() &&
          (root.object == row.queue || refers_to(root.object, row.queue)))
        return root.thread;
    return {};
  }
  bool is_finalizer_thread(const ThreadRow& thread) const noexcept {
    return is_finalizer_thread_class(class_name_of(thread.object));
  }
  static bool is_finalizer_thread_class(std::string_view of) noexcept {
    return of == "java.lang.ref.Finalizer$FinalizerThread" ||
           of == "java.lang.Daemons$FinalizerDaemon";
  }
  bool refers_to(ObjectId from, ObjectId to) const noexcept {
    constexpr std::uint32_t kFewReferences = 64;  // a thread's own object, not a table
    const std::uint32_t begin = s_.first_ref[from.value], end = s_.first_ref[from.value + 1];
    if (end - begin > kFewReferences) return false;
    return std::find(s_.target.begin() + begin, s_.target.begin() + end, to) !=
           s_.target.begin() + end;
  }
  // A CLR's finalizer thread is the one whose lowest frame is a finalizer's; a JVM's runs the method of its class.
  ThreadId thread_in_finalizer(bool of_heap) const noexcept {
    ThreadId found;
    std::uint32_t deepest = 0;
    for (const RootRecord& root : s_.roots) {
      if (!root.thread.valid() || root.method.value >= catalog_.methods.size()) continue;
      const MethodRow& method = catalog_.methods[root.method.value];
      const bool finalize =
          of_heap ? is_finalizer_thread_class(catalog_.strings.view(method.class_name))
                  : catalog_.strings.view(method.name) == "Finalize";
      if (!finalize || (found.valid() && root.depth <= deepest)) continue;
      found = root.thread;
      deepest = root.depth;
    }
    return found;
  }

  std::span<const BacklogFrame> frames_of(ThreadId thread,
                                          std::span<BacklogFrame> room) const noexcept {
    std::size_t count = 0;
    if (!thread.valid()) return {};
    for (const RootRecord& root : s_.roots) {
      if (!is_local_root(root.kind) || root.thread != thread || !root.method.valid()) continue;
      const auto used = room.first(count);
      if (std::any_of(used.begin(), used.end(),
                      [&](const BacklogFrame& f) { return f.depth == root.depth; }))
        continue;
      std::size_t at = std::min(count, room.size() - 1);
      if (count == room.size() && room[at].depth <= root.depth) continue;
      for (; at > 0 && room[at - 1].depth > root.depth; --at) room[at] = room[at - 1];
      room[at] = {root.method, root.depth};
      count = std::min(count + 1, room.size());
    }
    return room.first(count);
  }

  const BacklogQuestion& q_;
  const Snapshot& s_;
  const Catalog& catalog_;
  Arena& arena_;
  const CancelToken& cancel_;
  std::uint32_t head_ = Catalog::kNoField;
  std::uint32_t next_ = Catalog::kNoField;
  std::span<std::uint8_t> is_queue_;
  std::span<std::uint32_t> tally_;
  Waiting queues_[kMostBacklogs];
  std::size_t queue_count_ = 0;
};

}  // namespace

Result<std::span<const Backlog>> find_backlogs(const BacklogQuestion& question, Arena& arena,
                                               const CancelToken& cancel) noexcept {
  return BacklogSearch(question, arena, cancel).run();
}

}  // namespace holdfast::analysis
