// What the VM allocated for an answer and wants back through Deallocate, and the local references of a stretch of code.
// Why: every JVMTI list and string leaks when forgotten, and a local reference alive during the walk shows up as a GC root.
// Shape:  two owners, movable by nobody.   Zone: event, capture.   Errors: none.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace holdfast::jvmti {

template <class T>
class VmMemory {
 public:
  explicit VmMemory(jvmtiEnv& env) noexcept : env_(env) {}
  ~VmMemory() { reset(); }
  VmMemory(const VmMemory&) = delete;
  VmMemory& operator=(const VmMemory&) = delete;

  // Where the VM puts its pointer; what was held before goes back first.
  T** out() noexcept { return reset(), &data_; }
  T* data() noexcept { return data_; }
  std::span<T> items(jint count) noexcept {
    return data_ == nullptr || count <= 0 ? std::span<T>{}
                                          : std::span<T>(data_, static_cast<std::size_t>(count));
  }
  std::string_view text() const noexcept {
    return data_ == nullptr ? std::string_view{} : std::string_view(data_);
  }

 private:
  void reset() noexcept {
    if (data_ != nullptr) env_.Deallocate(reinterpret_cast<unsigned char*>(data_));
    data_ = nullptr;
  }
  jvmtiEnv& env_;
  T* data_ = nullptr;
};

// All local references made inside go when it ends, however many there are.
class LocalFrame {
 public:
  explicit LocalFrame(JNIEnv& jni) noexcept
      : jni_(jni), open_(jni.PushLocalFrame(kCapacity) == JNI_OK) {
    if (!open_) jni.ExceptionClear();
  }
  ~LocalFrame() {
    if (open_) jni_.PopLocalFrame(nullptr);
  }
  LocalFrame(const LocalFrame&) = delete;
  LocalFrame& operator=(const LocalFrame&) = delete;
  bool open() const noexcept { return open_; }

 private:
  static constexpr jint kCapacity = 64;  // a promise of room, not a limit
  JNIEnv& jni_;
  bool open_;
};

}  // namespace holdfast::jvmti
