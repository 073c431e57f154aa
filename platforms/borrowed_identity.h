// For a while, the rights of another user and no more: what root does in somebody's container it does as that somebody.
// Why: the files that we make there belong to whom they should; VMs answer their own user alone; and what a hostile container
//      tricks us into doing, it could have done itself.
// Shape:  effective user and group, and no other groups, until the end of the scope. The real user stays, so the other cannot debug us.
//         Of the whole process: for a command with one thread.
// Zone:   offline.   Errors: error(): errno when we may not; then nothing has changed.
// Source: credentials(7).
#pragma once

#include <cstdint>

namespace holdfast::platforms {

class BorrowedIdentity {
 public:
  BorrowedIdentity(std::uint32_t user, std::uint32_t group) noexcept;
  ~BorrowedIdentity();
  BorrowedIdentity(const BorrowedIdentity&) = delete;
  BorrowedIdentity& operator=(const BorrowedIdentity&) = delete;
  int error() const noexcept { return error_; }

 private:
  void give_back() noexcept;
  static constexpr int kMaxGroups = 256;  // of ours, to be given back; root has few
  int error_ = 0;
  bool borrowed_ = false;
  std::uint32_t own_user_ = 0;
  std::uint32_t own_group_ = 0;
  int group_count_ = 0;
  std::uint32_t groups_[kMaxGroups];
};

}  // namespace holdfast::platforms
