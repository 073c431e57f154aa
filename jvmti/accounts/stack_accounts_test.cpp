#include "jvmti/accounts/stack_accounts.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "common/arena_for_test.h"
#include "jvmti/fake_vm.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

struct StackVm {
  FakeVm vm;
  TestArena memory;
  AccountPatterns patterns;
  MethodAccounts methods;
  ClassOrigins origins;
  JNIEnv* jni = nullptr;
  jvmtiEnv* env = nullptr;
  std::uint32_t shop, billing, library, outside;

  explicit StackVm(std::string_view text) {
    PatternError error;
    auto made = AccountPatterns::make(text, memory.arena(), error);
    REQUIRE_MESSAGE(made.ok(), error.text);
    patterns = *made;
    REQUIRE(methods.open(memory.arena()).ok());
    shop = method("Lshop/Cart;");
    billing = method("Lbilling/deep/Clerk$Line;");
    library = method("Ljava/util/HashMap;");
    outside = method("LMain;");
    vm.phase = JVMTI_PHASE_LIVE;
    REQUIRE(vm.vm().GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_6) == JNI_OK);
    REQUIRE(vm.vm().GetEnv(reinterpret_cast<void**>(&env), JVMTI_VERSION_11) == JNI_OK);
  }
  std::uint32_t method(std::string signature) {
    return vm.add_method(vm.add_class(std::move(signature)), "run");
  }
  StackReader reader() { return {*env, *jni, patterns, methods, origins}; }
  StackAccounts read(std::vector<std::uint32_t> stack) {
    vm.stack = std::move(stack);
    const Result<StackAccounts> found = read_stack_accounts(reader());
    REQUIRE(found.ok());
    CHECK(vm.local_references == 0);
    CHECK(vm.memory_blocks == 0);
    return *found;
  }
  std::string pair(std::vector<std::uint32_t> stack) {
    const StackAccounts found = read(std::move(stack));
    return std::string(patterns.name(found.account)) + " < " +
           std::string(patterns.name(found.principal));
  }
};

jmethodID id(std::uint32_t method) {
  return reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(method) + 1);
}

}  // namespace

TEST_CASE("the frame nearest to the top names the account, the next other account the principal") {
  StackVm run("shop+billing.*");
  const auto [s, b, l, o] = std::array{run.shop, run.billing, run.library, run.outside};
  CHECK(run.pair({s}) == "shop < (unaccounted)");
  CHECK(run.pair({l, l, s, o}) == "shop < (unaccounted)");
  CHECK(run.pair({l, s, o, b, o}) == "shop < billing.*");
  CHECK(run.pair({b, b, l, b, s, b}) == "billing.* < shop");
  CHECK(run.pair({s, s, s, l}) == "shop < (unaccounted)");
  CHECK(run.pair({l, o}) == "(unaccounted) < (unaccounted)");
  CHECK(run.pair({}) == "(unaccounted) < (unaccounted)");
  CHECK(run.read({run.library, run.billing, run.shop}).method == id(run.billing));
}

TEST_CASE("an account is found at every depth up to the limit, and beyond it the stack is cut") {
  StackVm run("shop+billing.*");
  for (std::size_t depth = 1; depth <= kMaxFrames + 2; ++depth) {
    CAPTURE(depth);
    std::vector<std::uint32_t> stack(depth, run.library);
    stack.back() = run.shop;
    const StackAccounts found = run.read(stack);
    CHECK((found.account == 1) == (depth <= kMaxFrames));
    CHECK(found.cut == (depth > kMaxFrames));
    stack.front() = run.billing;
    const StackAccounts both = run.read(stack);
    if (depth > 1) CHECK(both.account == 2);
    CHECK_FALSE(both.cut);
    if (depth > 1) CHECK((both.principal == 1) == (depth <= kMaxFrames));
  }
}

TEST_CASE("with one account nothing behind its first frame is looked at") {
  StackVm run("shop");
  std::vector<std::uint32_t> stack(300, run.outside);
  stack[1] = run.shop;
  run.vm.stack_calls = 0;
  CHECK(run.pair(stack) == "shop < (unaccounted)");
  CHECK(run.vm.stack_calls == 1);
}

TEST_CASE("a method's class is asked for once") {
  StackVm run("shop");
  CHECK(run.read({run.library, run.shop}).account == 1);
  run.vm.fail("GetMethodDeclaringClass", JVMTI_ERROR_INTERNAL);
  CHECK(run.read({run.library, run.shop}).account == 1);
}

TEST_CASE("what the VM does not tell is no account, and asked for again") {
  StackVm run("shop");
  for (const char* call : {"GetMethodDeclaringClass", "GetClassSignature"}) {
    CAPTURE(call);
    const std::uint32_t method = run.method("Lshop/Till;");
    run.vm.fail(call, JVMTI_ERROR_INTERNAL);
    CHECK(run.read({method}).account == kUnaccounted);
    run.vm.forgive();
    CHECK(run.read({method}).account == 1);
  }
  run.vm.fail("GetStackTrace", JVMTI_ERROR_INTERNAL);
  CHECK_FALSE(read_stack_accounts(run.reader()).ok());
}
