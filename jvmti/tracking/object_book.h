// The objects that have a number: each held weakly, so that none lives longer for it.
// Shape:  kMost of them, one weak global reference each. When it is full, that which was named the longest ago gives way.
// Zone:   capture; the child reads handles.   Errors: add() answers false where the VM refuses a reference.
#pragma once

#include <jni.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast::jvmti {

struct NumberedObject {
  std::uint64_t handle = 0;  // jweak
  std::uint32_t number = 0;
  std::uint32_t first_sequence = 0;
  std::uint32_t last_sequence = 0;  // of the dump that named it last
  std::uint64_t first_utc_ms = 0;
};

class ObjectBook {
 public:
  static constexpr std::size_t kMost = 512;

  bool add(JNIEnv& jni, jobject object, NumberedObject facts) noexcept;
  // It was named again.
  void touch(std::uint32_t number, std::uint32_t sequence) noexcept;
  // Takes out those that were collected; how many.
  std::uint32_t drop_collected(JNIEnv& jni) noexcept;
  void clear(JNIEnv& jni) noexcept;
  std::span<const NumberedObject> all() const noexcept { return {rows_, count_}; }

 private:
  void release(JNIEnv& jni, std::size_t row) noexcept;
  void make_room(JNIEnv& jni) noexcept;

  NumberedObject rows_[kMost];
  std::size_t count_ = 0;
};

}  // namespace holdfast::jvmti
