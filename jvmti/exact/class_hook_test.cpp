#include "jvmti/exact/class_hook.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/accounts/account_fixture.h"
#include "common/reservation.h"
#include "jvmti/exact/account_state.h"
#include "jvmti/exact/pool_writer.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

using Bytecode = std::vector<std::byte>;

// One method "<init>" that makes an int array, or only returns.
Bytecode class_named(std::string_view name, bool allocates) {
  PoolWriter pool(1);
  const unsigned self = pool.class_ref(name);
  const unsigned method = pool.utf8(allocates ? "make" : "<init>");
  const unsigned type = pool.utf8("()V");
  const unsigned code_name = pool.utf8("Code");
  const std::vector<unsigned> code =
      allocates ? std::vector<unsigned>{0x04, 0xBC, 10, 0x57, 0xB1} : std::vector<unsigned>{0xB1};
  ClassBytes<4096> out;
  out.u4(0xCAFEBABE);
  out.u2(0);
  out.u2(48);
  out.u2(pool.count());
  out.append(pool.bytes());
  for (const unsigned each : {0x21u, self, 0u, 0u, 0u, 1u}) out.u2(each);
  for (const unsigned each : {9u, method, type, 1u, code_name}) out.u2(each);
  out.u4(static_cast<std::uint32_t>(12 + code.size()));
  out.u2(1);
  out.u2(1);
  out.u4(static_cast<std::uint32_t>(code.size()));
  for (const unsigned each : code) out.u1(each);
  for (int i = 0; i < 3; ++i) out.u2(0);
  return {out.span().begin(), out.span().end()};
}

struct Hooked {
  Hooked() {
    REQUIRE(reservation.open(64 << 20));
    auto taken = reservation.take_arena(16 << 20, ledger, MemoryCategory::kAccounts);
    REQUIRE(taken);
    arena = std::move(*taken);
    PatternError error;
    auto made = AccountPatterns::make("shop.*", arena, error);
    REQUIRE(made);
    patterns = *made;
    REQUIRE(hook.open(patterns, nullptr, ledger, MemoryCategory::kAccounts));
  }
  // The class's new bytes; empty: it stays as it is.
  Bytecode load(std::string_view name, const Bytecode& file) { return load(name, file, hook); }
  Bytecode load(std::string_view name, const Bytecode& file, ClassHook& by) {
    Bytecode kept;
    by.load(
        name, file, {},
        [](void* to, std::span<const std::byte> made) noexcept {
          static_cast<Bytecode*>(to)->assign(made.begin(), made.end());
          return true;
        },
        &kept);
    return kept;
  }
  bool mentions(const Bytecode& bytes, std::string_view text) const {
    const std::string all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return all.find(text) != std::string::npos;
  }
  Ledger ledger{std::uint64_t{1} << 30};
  Reservation reservation;
  Arena arena;
  AccountPatterns patterns;
  ClassHook hook;
};

}  // namespace

TEST_CASE("class_hook: without Object nothing is rewritten") {
  Hooked vm;
  CHECK(vm.load("lib/Box", class_named("lib/Box", true)).empty());
  CHECK(vm.load("java/lang/Thread", class_named("java/lang/Thread", false)).empty());
  CHECK(vm.hook.counts().core_classes == 0);
}

TEST_CASE("class_hook: arrays are counted everywhere, accounts entered in their own classes") {
  Hooked vm;
  REQUIRE_FALSE(vm.load("java/lang/Object", class_named("java/lang/Object", false)).empty());
  const Bytecode library = vm.load("lib/Box", class_named("lib/Box", true));
  CHECK(vm.mentions(library, "hf$array"));
  CHECK_FALSE(vm.mentions(library, "hf$enter"));
  const Bytecode shop = vm.load("shop/Cart", class_named("shop/Cart", true));
  CHECK(vm.mentions(shop, "hf$array"));
  CHECK(vm.mentions(shop, "hf$enter"));
  CHECK(vm.mentions(shop, "java/util/Objects"));
  CHECK(vm.load("lib/Empty", class_named("lib/Empty", false)).empty());
  CHECK(vm.hook.counts().classes_left_alone == 0);
}

TEST_CASE("class_hook: where methods are told apart each enters a number of its own") {
  TestBook names({AccountMode::kExact, kByMethod, 0}, "shop.*");
  Ledger ledger{std::uint64_t{1} << 30};
  Hooked vm;
  ClassHook hook;
  REQUIRE(hook.open(names.book.patterns(), &names.book, ledger, MemoryCategory::kAccounts));
  vm.load("java/lang/Object", class_named("java/lang/Object", false), hook);
  const Bytecode shop = vm.load("shop/Cart", class_named("shop/Cart", true), hook);
  const auto number = static_cast<std::uint32_t>(entered_by(1, names.book.name("shop.Cart.make")));
  CHECK(number > kAccountMask);
  constexpr char kIntegerConstant = 3;
  std::string constant(1, kIntegerConstant);
  for (const unsigned shift : {24u, 16u, 8u, 0u})
    constant += static_cast<char>(number >> shift & 0xFFu);
  CHECK(vm.mentions(shop, constant));
}

TEST_CASE("class_hook: what is no class is left alone and counted") {
  Hooked vm;
  vm.load("java/lang/Object", class_named("java/lang/Object", false));
  Bytecode cut = class_named("shop/Cart", true);
  cut.resize(cut.size() / 2);
  CHECK(vm.load("shop/Cart", cut).empty());
  CHECK(vm.load("shop/Cart", Bytecode(4, std::byte{0})).empty());
  CHECK(vm.hook.counts().classes_left_alone == 2);
}

TEST_CASE("class_hook: stopped, it leaves every class as it is") {
  Hooked vm;
  REQUIRE_FALSE(vm.load("java/lang/Object", class_named("java/lang/Object", false)).empty());
  vm.hook.stop();
  vm.patterns = {};
  CHECK(vm.load("shop/Cart", class_named("shop/Cart", true)).empty());
}

TEST_CASE("class_hook: no memory, no hook") {
  Ledger ledger(1 << 20);
  ClassHook hook;
  const AccountPatterns patterns;
  CHECK_FALSE(hook.open(patterns, nullptr, ledger, MemoryCategory::kAccounts));
  CHECK(ledger.total_bytes() == 0);
}
