// Names of the methods whose frames hold roots, asked after the pause.
// Why after: a jmethodID is all the walk keeps; a name costs a VM call, and most methods appear many times.
// Shape:  distinct handles sorted, one MethodRow each; 8 B a root of scratch, O(roots log roots).
// Zone:   capture, application running again.
// Errors: kOutOfBudget. A method that the VM no longer knows keeps an empty name.
#pragma once

#include <cstdint>
#include <span>

#include "common/snapshot/builder.h"
#include "jvmti/class_scan.h"

namespace holdfast::jvmti {

class MethodNames {
 public:
  // The distinct methods of `roots`, in `scratch`, which must outlive this object.
  Result<void> collect(std::span<const RawRoot> roots, Arena& scratch) noexcept;
  // Fills catalog.methods from `arena`, in the order of numbers. What sift() needs stays there, too.
  Result<void> read(const VmAccess& vm, Arena& arena, Catalog& catalog) noexcept;
  // After read(): constants of compiled code become such.
  void sift(std::span<RawRoot> roots) const noexcept;
  std::size_t size() const noexcept { return handles_.size(); }
  MethodId find(std::uint64_t handle) const noexcept;
  // For SnapshotBuilder::seal(); context is the MethodNames.
  static MethodId method_of(void* context, std::uint64_t handle) noexcept;

 private:
  std::span<std::uint64_t> handles_;    // sorted, distinct; the index is the MethodId
  std::span<const bool> has_bytecode_;  // by MethodId, after read(): it is not native
};

}  // namespace holdfast::jvmti
