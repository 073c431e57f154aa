#include "jvmpi/heap/told_roots.h"

#include <algorithm>
#include <cstring>

#include "common/string_table.h"

namespace holdfast::jvmpi {

namespace {

RootKind kind_of(RecordTag tag) noexcept {
  switch (tag) {
    case RecordTag::kJniGlobal:
      return RootKind::kJniGlobal;
    case RecordTag::kJniLocal:
    case RecordTag::kNativeStack:  // what native code was handed or hands back
      return RootKind::kJniLocal;
    case RecordTag::kJavaFrame:
      return RootKind::kStackLocal;
    case RecordTag::kStickyClass:
      return RootKind::kSystemClass;
    case RecordTag::kThreadBlock:
      return RootKind::kThread;
    case RecordTag::kMonitorUsed:
      return RootKind::kMonitor;
    default:
      return RootKind::kOther;
  }
}

// No process has memory below. A thread that has ended, or never began, has no environment; a VM whose environments lie within its threads
// tells their offset then.
constexpr VmId kLeastEnvironment = 4096;

std::uint64_t handle_of(jmethodID method) noexcept {
  return reinterpret_cast<std::uintptr_t>(method);
}

// 0: no trace has that frame.
std::uint64_t method_at(std::span<const JVMPI_CallTrace> traces, VmId env,
                        std::uint32_t depth) noexcept {
  for (const JVMPI_CallTrace& trace : traces) {
    if (reinterpret_cast<std::uintptr_t>(trace.env_id) != env) continue;
    const bool told = trace.frames != nullptr && trace.num_frames > 0 &&
                      depth < static_cast<std::uint32_t>(trace.num_frames);
    return told ? handle_of(trace.frames[depth].method_id) : 0;
  }
  return 0;
}

std::uint16_t depth_of(std::uint32_t depth) noexcept {
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(depth, 0xFFFF));
}

// What an object is an instance of; nullptr: an array, a class object, or not known.
const BookedClass* class_of(const ClassBook& book, ClassId number) noexcept {
  if (!number.valid() || number.value < kFirstBookedNumber) return nullptr;
  const std::uint32_t place = number.value - kFirstBookedNumber;
  return place % 2 == 0 && place / 2 < book.size() ? book.classes()[place / 2] : nullptr;
}

RootKind settled_kind(const ClassBook& book, const SnapshotBuilder& builder,
                      const RawRoot& root) noexcept {
  const ClassId number = builder.class_of(root.object);
  const BookedClass* const of = class_of(book, number);
  if (root.kind == RootKind::kThread)
    return of != nullptr && of->is_thread ? RootKind::kThread : RootKind::kOther;
  const bool is_class =
      number == ClassId{kNumberOfClassObjects} || (of != nullptr && of->name == "java.lang.Class");
  return is_class ? RootKind::kSystemClass : RootKind::kOther;
}

}  // namespace

Result<ToldRoots> ToldRoots::make(Arena& arena) noexcept {
  ToldRoots roots;
  roots.arena_ = &arena;
  HF_TRY(threads, arena.make_zeroed<ToldThread>(kMostThreads));
  HF_TRY(objects, arena.make_zeroed<VmId>(kMostThreads));
  roots.threads_ = threads;
  roots.thread_objects_ = objects;
  return roots;
}

ThreadId ToldRoots::thread_of(VmId env) noexcept {
  if (env < kLeastEnvironment) return ThreadId{};
  for (std::uint32_t i = 0; i < thread_count_; ++i)
    if (threads_[i].env == env) return ThreadId{i};
  if (thread_count_ == kMostThreads) return ThreadId{};
  threads_[thread_count_] = ToldThread{env, 0, {}};
  return ThreadId{thread_count_++};
}

bool ToldRoots::take(const HeapRecord& root, std::span<const JVMPI_CallTrace> traces,
                     ObjectId object, SnapshotBuilder& builder) noexcept {
  if (!object.valid()) return !builder.overflowed();
  RawRoot raw;
  raw.object = object;
  raw.kind = kind_of(root.tag);
  raw.thread = thread_of(root.thread);
  if (root.depth != HeapRecord::kNoDepth) {
    raw.depth = depth_of(root.depth);
    raw.method = method_at(traces, root.thread, root.depth);
  }
  return builder.add_root(raw);
}

void ToldRoots::take_thread(VmId object) noexcept {
  if (thread_object_count_ < kMostThreads) thread_objects_[thread_object_count_++] = object;
}

std::string_view ToldRoots::kept(const char* text) noexcept {
  if (text == nullptr) return {};
  const std::size_t bytes = ::strnlen(text, StringTable::kMaxNameBytes);
  auto copy = arena_->make<char>(bytes);
  if (!copy) return {};
  std::copy_n(text, bytes, copy->data());
  return {copy->data(), bytes};
}

void ToldRoots::name_threads(VmRequests& vm) noexcept {
  for (std::uint32_t i = 0; i < thread_object_count_; ++i)
    vm.ask(kThreadStart, thread_objects_[i], [&](const JVMPI_Event& event) {
      const auto& start = event.u.thread_start;
      const ThreadId thread = thread_of(reinterpret_cast<std::uintptr_t>(start.thread_env_id));
      if (!thread.valid()) return;
      threads_[thread.value].object = thread_objects_[i];
      threads_[thread.value].name = kept(start.thread_name);
    });
}

void ToldRoots::name_methods(VmRequests& vm, ClassReader& classes,
                             std::span<const RawRoot> roots) noexcept {
  std::uint64_t framed = 0;
  for (const RawRoot& root : roots) framed += root.method != 0 ? 1 : 0;
  auto made = arena_->make<ToldMethod>(framed);
  if (!made) return;  // frames without names
  std::span<ToldMethod> methods = *made;
  std::size_t used = 0;
  for (const RawRoot& root : roots)
    if (root.method != 0) methods[used++] = ToldMethod{root.method, nullptr, {}};
  const auto by_handle = [](const ToldMethod& a, const ToldMethod& b) {
    return a.handle < b.handle;
  };
  std::sort(methods.begin(), methods.end(), by_handle);
  const auto end = std::unique(methods.begin(), methods.end(),
                               [](const auto& a, const auto& b) { return a.handle == b.handle; });
  methods_ = methods.first(std::min(static_cast<std::size_t>(end - methods.begin()), kMostMethods));
  for (ToldMethod& method : methods_) {
    auto* const handle = reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(method.handle));
    const VmId id = vm.class_of(handle);
    if (id == 0) continue;
    method.of = classes.know(id);
    vm.ask(kClassLoad, id, [&](const JVMPI_Event& event) {
      const auto& load = event.u.class_load;
      for (jint i = 0; load.methods != nullptr && i < load.num_methods; ++i)
        if (load.methods[i].method_id == handle) method.name = kept(load.methods[i].method_name);
    });
  }
}

void ToldRoots::settle_kinds(const ClassBook& book, SnapshotBuilder& builder) noexcept {
  for (RawRoot& root : builder.raw_roots())
    if (root.kind == RootKind::kThread || root.kind == RootKind::kSystemClass)
      root.kind = settled_kind(book, builder, root);
}

MethodId ToldRoots::method_of(void* context, std::uint64_t handle) noexcept {
  const auto& self = *static_cast<const ToldRoots*>(context);
  const auto at = std::lower_bound(
      self.methods_.begin(), self.methods_.end(), handle,
      [](const ToldMethod& method, std::uint64_t wanted) { return method.handle < wanted; });
  if (at == self.methods_.end() || at->handle != handle) return MethodId{};
  return MethodId{static_cast<std::uint32_t>(at - self.methods_.begin())};
}

}  // namespace holdfast::jvmpi
