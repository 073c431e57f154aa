// Class objects of int and its like, by their ids.
// Why: some VMs show them as classes like any other, and none may be asked for their fields (CLASS_LOAD).
// Shape:  nine weak references, made once: strong ones would be GC roots of ours in every dump. Their ids, while ids hold.
// Zone:   capture. open(), close(): collections may run. learn_ids(), has(): GC off.
// Errors: of a VM that tells no ids of references (before version 1.1 of JVMPI) none is known; no exception is left behind.
#pragma once

#include <algorithm>
#include <array>

#include "jvmpi/abi/jvmpi.h"
#include "jvmpi/records/byte_cursor.h"

namespace holdfast::jvmpi {

class PrimitiveClasses {
 public:
  // `vm` has version 1.1 at least, whatever it says of itself.
  void open(JNIEnv& jni, const JVMPI_Interface& vm) noexcept;
  void close(JNIEnv& jni) noexcept;
  void learn_ids() noexcept;
  void forget_ids() noexcept { ids_ = {}; }
  bool has(VmId id) const noexcept {
    return id != 0 && std::find(ids_.begin(), ids_.end(), id) != ids_.end();
  }

 private:
  static constexpr std::size_t kCount = 9;  // with void

  const JVMPI_Interface* vm_ = nullptr;
  JNIEnv* jni_ = nullptr;
  std::array<jweak, kCount> held_{};
  std::array<VmId, kCount> ids_{};
};

}  // namespace holdfast::jvmpi
