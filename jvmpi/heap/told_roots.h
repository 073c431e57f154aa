// GC roots of a dump, the threads that hold them, and the methods of their frames.
// Shape:  take(): one root record. A thread is numbered by its environment, when a root or a thread first names it; 32 B a thread, 32 B a
//         root of a frame. The dump's call traces, which live as long as its event, tell the method of a frame.
//         name_threads(), name_methods(): afterwards, while ids still hold: one request a thread, two a method.
//         settle_kinds(): what a record's tag leaves open, once every object's class is known.
// Zone:   capture, GC off.
// Errors: beyond kMostThreads, kMostMethods the root stays, its thread or method is missing.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/snapshot/builder.h"
#include "jvmpi/heap/class_reader.h"

namespace holdfast::jvmpi {

struct ToldThread {
  VmId env = 0;
  VmId object = 0;
  std::string_view name;
};

struct ToldMethod {
  std::uint64_t handle = 0;
  const BookedClass* of = nullptr;
  std::string_view name;
};

class ToldRoots {
 public:
  static constexpr std::uint32_t kMostThreads = 4096;
  static constexpr std::size_t kMostMethods = 8192;

  static Result<ToldRoots> make(Arena& arena) noexcept;

  // False: the builder has no room.
  bool take(const HeapRecord& root, std::span<const JVMPI_CallTrace> traces, ObjectId object,
            SnapshotBuilder& builder) noexcept;
  // An object whose class is java.lang.Thread or below it.
  void take_thread(VmId object) noexcept;
  void name_threads(VmRequests& vm) noexcept;
  void name_methods(VmRequests& vm, ClassReader& classes, std::span<const RawRoot> roots) noexcept;
  static void settle_kinds(const ClassBook& book, SnapshotBuilder& builder) noexcept;

  std::span<const ToldThread> threads() const noexcept { return threads_.first(thread_count_); }
  std::span<const ToldMethod> methods() const noexcept { return methods_; }
  // For SnapshotBuilder::seal(); context is this.
  static MethodId method_of(void* context, std::uint64_t handle) noexcept;

 private:
  ThreadId thread_of(VmId env) noexcept;
  std::string_view kept(const char* text) noexcept;

  Arena* arena_ = nullptr;
  std::span<ToldThread> threads_;
  std::span<VmId> thread_objects_;
  std::span<ToldMethod> methods_;  // by handle
  std::uint32_t thread_count_ = 0;
  std::uint32_t thread_object_count_ = 0;
};

}  // namespace holdfast::jvmpi
