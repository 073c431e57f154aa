#include "jvmti/vm_facts.h"

#include <doctest/doctest.h>

#include "jvmti/fake_vm.h"

using namespace holdfast;
using namespace holdfast::jvmti;

TEST_CASE("the main name is a class or a jar, without path and arguments") {
  CHECK(main_name_of("shop.Main --port 80") == "shop.Main");
  CHECK(main_name_of("/opt/app/shop.jar serve") == "shop.jar");
  CHECK(main_name_of("/opt/my app/shop.jar serve") == "shop.jar");
  CHECK(main_name_of("shop.jar") == "shop.jar");
  CHECK(main_name_of("module/shop.Main x") == "shop.Main");
  CHECK(main_name_of("shop.Main x.jar") == "shop.Main");
  CHECK(main_name_of("shop.Main /tmp/x.jar") == "shop.Main");
  CHECK(main_name_of("") == "");
}

TEST_CASE("facts come from system properties, and stay empty where there are none") {
  FakeVm vm;
  void* env = nullptr;
  REQUIRE(vm.vm().GetEnv(&env, JVMTI_VERSION_1_2) == JNI_OK);
  VmFlags flags;
  flags.collector = "G1";
  const VmFacts facts = read_vm_facts(*static_cast<jvmtiEnv*>(env), flags);
  CHECK(std::string_view(facts.vm_name) == "Fake VM");
  CHECK(std::string_view(facts.main_name) == "shop.Main");
  CHECK(std::string_view(facts.collector) == "G1");
  CHECK(facts.command_line_hash != 0);
  CHECK(vm.memory_blocks == 0);
  vm.properties.clear();
  CHECK(std::string_view(read_vm_facts(*static_cast<jvmtiEnv*>(env), VmFlags{}).vm_name).empty());
}
