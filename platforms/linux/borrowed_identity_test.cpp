#include "platforms/borrowed_identity.h"

#include <doctest/doctest.h>
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <unistd.h>

#include <initializer_list>

#include "platforms/held_signals.h"
#include "platforms/process_for_tests.h"

using namespace holdfast::platforms;

namespace {

constexpr std::uint32_t kNobody = 65534;

}  // namespace

TEST_CASE("root is somebody else for a while, with that one's rights alone, and then root again") {
  if (::geteuid() != 0) {
    MESSAGE("not root: only the refusal is tried");
    const BorrowedIdentity theirs(::geteuid() + 1, kNobody);
    CHECK(theirs.error() == EPERM);
    return;
  }
  const int wrong = run_in_child([] {
    const gid_t groups[] = {4, 24};
    if (::setgroups(2, groups) != 0) return 1;
    {
      const BorrowedIdentity theirs(kNobody, kNobody);
      if (theirs.error() != 0 || ::geteuid() != kNobody || ::getegid() != kNobody) return 2;
      if (::getgroups(0, nullptr) != 0 || ::getuid() != 0) return 3;
      if (::eaccess("/root", W_OK) == 0) return 4;
    }
    gid_t back[4];
    return ::geteuid() == 0 && ::getegid() == 0 && ::getgroups(4, back) == 2 && back[1] == 24 ? 0
                                                                                              : 5;
  });
  CHECK(wrong == 0);
}

TEST_CASE("who is not root can borrow nobody's identity, and may ask for his own") {
  const int wrong = run_in_child([] {
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) return 1;
    const std::uint32_t own = ::geteuid();
    const BorrowedIdentity same(own, ::getegid());
    const BorrowedIdentity group(own, ::getegid() + 1);  // the VM will decide
    const BorrowedIdentity other(own + 1, 1);
    const bool right = same.error() == 0 && group.error() == 0 && other.error() == EPERM;
    return right && ::geteuid() == own ? 0 : 2;
  });
  CHECK(wrong == 0);
}

TEST_CASE("a signal that was held back is seen, and arrives at the end") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    const int status = run_in_child([signal] {
      ::signal(signal, SIG_DFL);  // doctest has a handler
      const HeldSignals outer;
      {
        const HeldSignals inner;
        ::raise(signal);
        if (!HeldSignals::waiting()) return 1;
      }
      return HeldSignals::waiting() ? 0
                                    : 2;  // still held by the outer one; it ends us on the way out
    });
    CHECK(status == 200 + signal);
  }
}
