#include "jvmti/exact/account_state.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::jvmti;

TEST_CASE("account_state: what is put together comes apart again") {
  for (const AccountId account : {AccountId{0}, AccountId{1}, AccountId{kMaxAccounts}})
    for (const std::uint32_t name : {0u, 1u, kMostMethodNames - 1}) {
      const std::int32_t entered = entered_by(account, StringId{name});
      CHECK(entered >= 0);
      const AccountState state = account_state(static_cast<std::uint32_t>(entered), kMaxAccounts);
      CHECK(account_in(state) == account);
      CHECK(method_in(state).value == name);
      CHECK(principal_in(state) == kMaxAccounts);
      CHECK(~state != 0);
    }
}

TEST_CASE("account_state: a method without a number is not told") {
  CHECK(entered_by(7, StringId{kMostMethodNames}) == 7);
  CHECK(entered_by(7, StringId{}) == 7);
}
