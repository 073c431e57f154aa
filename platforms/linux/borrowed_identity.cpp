#include "platforms/borrowed_identity.h"

#include <errno.h>
#include <grp.h>
#include <unistd.h>

#include <cstdlib>

namespace holdfast::platforms {

BorrowedIdentity::BorrowedIdentity(std::uint32_t user, std::uint32_t group) noexcept
    : own_user_(::geteuid()), own_group_(::getegid()) {
  if (user == own_user_ && group == own_group_) return;
  if (own_user_ != 0) {
    error_ = user == own_user_ ? 0 : EPERM;  // another group of our own user: the VM decides
    return;
  }
  group_count_ = ::getgroups(kMaxGroups, groups_);
  if (group_count_ < 0 || ::setgroups(0, nullptr) != 0) {
    error_ = errno;
    return;
  }
  borrowed_ = true;
  if (::setegid(group) == 0 && ::seteuid(user) == 0) return;
  error_ = errno;
  give_back();
}

BorrowedIdentity::~BorrowedIdentity() { give_back(); }

void BorrowedIdentity::give_back() noexcept {
  if (!borrowed_) return;
  borrowed_ = false;
  const bool back = ::seteuid(own_user_) == 0 && ::setegid(own_group_) == 0 &&
                    ::setgroups(static_cast<std::size_t>(group_count_), groups_) == 0;
  // To go on as somebody else without knowing it would be worse.
  if (!back) std::abort();
}

}  // namespace holdfast::platforms
