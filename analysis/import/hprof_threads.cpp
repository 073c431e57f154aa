#include "analysis/import/hprof_threads.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace holdfast::analysis {
namespace {

RootKind kind_of(HeapTag tag) noexcept {
  switch (tag) {
    case HeapTag::kRootStickyClass:
      return RootKind::kSystemClass;
    case HeapTag::kRootThreadObject:
      return RootKind::kThread;
    case HeapTag::kRootJavaFrame:
    case HeapTag::kRootNativeStack:
      return RootKind::kStackLocal;
    case HeapTag::kRootJniLocal:
      return RootKind::kJniLocal;
    case HeapTag::kRootJniGlobal:
    case HeapTag::kRootJniMonitor:
      return RootKind::kJniGlobal;
    case HeapTag::kRootMonitorUsed:
      return RootKind::kMonitor;
    case HeapTag::kRootFinalizing:
      return RootKind::kFinalizer;
    default:
      return RootKind::kOther;
  }
}

// Held by a thread's stack rather than for itself.
bool is_local(HeapTag tag) noexcept {
  return tag == HeapTag::kRootJavaFrame || tag == HeapTag::kRootJniLocal ||
         tag == HeapTag::kRootNativeStack || tag == HeapTag::kRootThreadBlock;
}

class RootReader {
 public:
  RootReader(const HprofSurvey& survey, const HprofClasses& classes, const ObjectIndex& index,
             bool like_mat)
      : survey_(survey), classes_(classes), index_(index), like_mat_(like_mat) {}

  HprofRoots read() {
    read_threads();
    for (const HprofRoot& root : survey_.roots.span()) add(root);
    const bool sticky = std::ranges::any_of(survey_.roots.span(), [](const HprofRoot& root) {
      return root.tag == HeapTag::kRootStickyClass;
    });
    if (!sticky) add_boot_classes();
    std::ranges::sort(out_.locals, {}, [](const ThreadLocalReference& one) {
      return std::tuple(one.thread_object, one.object);
    });
    return std::move(out_);
  }

 private:
  void read_threads() {
    for (const HprofRoot& root : survey_.roots.span())
      if (root.tag == HeapTag::kRootThreadObject)
        out_.threads.push_back({root.thread_serial, root.frame, index_.find(root.id), ""});
    std::ranges::stable_sort(out_.threads, {}, &HprofThread::serial);
    const auto end = std::unique(
        out_.threads.begin(), out_.threads.end(),
        [](const HprofThread& a, const HprofThread& b) { return a.serial == b.serial; });
    out_.threads.erase(end, out_.threads.end());
  }

  ThreadId thread_of(std::uint32_t serial) const {
    const auto at = std::ranges::lower_bound(out_.threads, serial, {}, &HprofThread::serial);
    if (at == out_.threads.end() || at->serial != serial) return {};
    return ThreadId{static_cast<std::uint32_t>(at - out_.threads.begin())};
  }

  void add(const HprofRoot& root) {
    RootRecord record;
    record.object = ObjectId{index_.find(root.id)};
    record.kind = kind_of(root.tag);
    if (is_local(root.tag) || root.tag == HeapTag::kRootThreadObject)
      record.thread = thread_of(root.thread_serial);
    if (!record.object.valid()) {
      ++out_.dropped;
      return;
    }
    const bool named_frame =
        root.tag == HeapTag::kRootJavaFrame || root.tag == HeapTag::kRootJniLocal;
    if (like_mat_ && is_local(root.tag) && record.thread.valid()) {
      const std::uint32_t holder = out_.threads[record.thread.value].object;
      if (holder != ObjectIndex::kNone)
        out_.locals.push_back({holder, record.object.value});
      else
        ++out_.dropped;
      return;
    }
    if (named_frame && record.thread.valid() && root.frame != kNoFrame)
      add_frame(root.frame, record);
    out_.roots.push_back(record);
  }

  // The method of the thread's frame number `frame`, 0 the topmost.
  void add_frame(std::uint32_t frame, RootRecord& record) {
    const HprofTrace* const trace = survey_.trace(out_.threads[record.thread.value].trace_serial);
    if (trace == nullptr || frame >= trace->frames) return;
    const unsigned id = survey_.header.id_bytes;
    record.depth = static_cast<std::uint16_t>(std::min<std::uint32_t>(frame, UINT16_MAX));
    record.method =
        method_of(load_id(&survey_.file()[trace->body + 12 + std::uint64_t{frame} * id], id));
  }

  MethodId method_of(std::uint64_t frame_id) {
    const auto [at, fresh] = method_numbers_.try_emplace(
        frame_id, MethodId{static_cast<std::uint32_t>(out_.methods.size())});
    if (!fresh) return at->second;
    const std::byte* const frame = survey_.frame(frame_id);
    if (frame == nullptr) return at->second = MethodId{};
    const unsigned id = survey_.header.id_bytes;
    const std::uint32_t class_serial = load_big_endian<std::uint32_t>(frame + 4 * id);
    out_.methods.push_back({frame_id, class_of_serial(class_serial),
                            std::string(survey_.text(load_id(frame + id, id)))});
    return at->second;
  }

  std::string class_of_serial(std::uint32_t serial) {
    if (class_serials_.empty())
      for (std::uint32_t c = 0; c < classes_.dumped(); ++c)
        if (const std::byte* loaded = survey_.loaded_class(classes_.ids[c]))
          class_serials_.try_emplace(load_big_endian<std::uint32_t>(loaded), c);
    const auto at = class_serials_.find(serial);
    return at == class_serials_.end() ? std::string() : classes_.names[at->second];
  }

  void add_boot_classes() {
    for (std::uint32_t c = 0; c < classes_.dumped(); ++c) {
      const ObjectId object{index_.find(classes_.ids[c])};
      if (classes_.loader_ids[c] != 0 || classes_.names[c].ends_with("[]") || !object.valid())
        continue;
      RootRecord record;
      record.object = object;
      record.kind = RootKind::kSystemClass;
      out_.roots.push_back(record);
    }
  }

  const HprofSurvey& survey_;
  const HprofClasses& classes_;
  const ObjectIndex& index_;
  const bool like_mat_;
  HprofRoots out_;
  std::unordered_map<std::uint64_t, MethodId> method_numbers_;
  std::unordered_map<std::uint32_t, std::uint32_t> class_serials_;
};

}  // namespace

HprofRoots read_hprof_roots(const HprofSurvey& survey, const HprofClasses& classes,
                            const ObjectIndex& index, bool like_mat) {
  return RootReader(survey, classes, index, like_mat).read();
}

}  // namespace holdfast::analysis
