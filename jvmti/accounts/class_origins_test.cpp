#include "jvmti/accounts/class_origins.h"

#include <doctest/doctest.h>

#include <string>

#include "jvmti/fake_vm.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

// One class, loaded from a jar, in a module.
struct OriginVm {
  FakeVm vm;
  JNIEnv* jni = nullptr;
  std::uint32_t type = 0;
  std::uint32_t mirror = 0;
  ClassOrigins origins;
  ClassOrigins::Origin origin;

  explicit OriginVm(bool domain_is_a_field = false) {
    if (domain_is_a_field) vm.classes[vm.class_class].fields.emplace_back("protectionDomain");
    vm.native_domains = !domain_is_a_field;
    const std::uint32_t module = vm.add_class("Ljava/lang/Module;", 0, {"name"});
    const std::uint32_t url = vm.add_class("Ljava/net/URL;", 0, {"path"});
    const std::uint32_t source = vm.add_class("Ljava/security/CodeSource;", 0, {"location"});
    const std::uint32_t domain =
        vm.add_class("Ljava/security/ProtectionDomain;", 0, {"codesource"});
    type = vm.add_class("Lshop/Cart;");
    mirror = vm.classes[type].mirror;
    const std::uint32_t its_domain =
        hold(mirror, domain_is_a_field ? "protectionDomain" : "getProtectionDomain0",
             vm.add_object(domain));
    const std::uint32_t its_source = hold(its_domain, "codesource", vm.add_object(source));
    text(hold(its_source, "location", vm.add_object(url)), "path", "/srv/shop.jar");
    text(hold(mirror, "module", vm.add_object(module)), "name", "shop.core");
    vm.phase = JVMTI_PHASE_LIVE;
    REQUIRE(vm.vm().GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_6) == JNI_OK);
  }
  std::uint32_t hold(std::uint32_t object, const char* field, std::uint32_t held) {
    vm.object_fields[{object, field}] = held;
    return held;
  }
  void text(std::uint32_t object, const char* field, std::string value) {
    vm.strings[hold(object, field, vm.add_object(vm.string_class))] = std::move(value);
  }
  bool read() {
    return origins.read(*jni, reinterpret_cast<jclass>((std::uintptr_t{mirror} + 1) << 4), origin);
  }
};

std::string jar_of(std::string path) { return std::string(jar_name(path.data(), path.size())); }

}  // namespace

TEST_CASE("a jar's name is the last part of where code was loaded from") {
  CHECK(jar_of("/srv/lib/shop.jar") == "shop.jar");
  CHECK(jar_of("shop.jar") == "shop.jar");
  CHECK(jar_of("file:/srv/app.jar!/") == "app.jar");
  CHECK(jar_of("file:/srv/app.jar!/BOOT-INF/lib/my%20own%2D1.jar!/") == "my own-1.jar");
  CHECK(jar_of("/srv/classes/") == "classes");
  CHECK(jar_of("/srv/100%.jar") == "100%.jar");
  CHECK(jar_of("/srv/a%2") == "a%2");
  CHECK(jar_of("/srv/a%zz.jar") == "a%zz.jar");
  CHECK(jar_of("") == "");
  CHECK(jar_of("/") == "");
}

TEST_CASE("module and jar are read where the class keeps them, before and from JDK 25 on") {
  for (const bool field : {false, true}) {
    CAPTURE(field);
    OriginVm run(field);
    REQUIRE(run.origins.open_modules(*run.jni).ok());
    REQUIRE(run.origins.open_jars(*run.jni).ok());
    CHECK(run.read());
    CHECK(run.origin.names.module == "shop.core");
    CHECK(run.origin.names.jar == "shop.jar");
    CHECK(run.vm.local_references == 0);
  }
}

TEST_CASE("what nobody asks for is not looked up, and what is not there is empty") {
  OriginVm run;
  CHECK(run.read());
  CHECK(run.origin.names.module == "");
  CHECK(run.origin.names.jar == "");
  REQUIRE(run.origins.open_jars(*run.jni).ok());
  run.vm.object_fields.clear();  // the boot loader's classes have no domain
  CHECK(run.read());
  CHECK(run.origin.names.jar == "");
  CHECK(run.vm.local_references == 0);
}

TEST_CASE("a VM without modules or domains says so") {
  FakeVm vm;
  JNIEnv* jni = nullptr;
  REQUIRE(vm.vm().GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_6) == JNI_OK);
  ClassOrigins origins;
  CHECK(origins.open_modules(*jni).error().code == ErrorCode::kUnsupported);
  CHECK(origins.open_jars(*jni).error().code == ErrorCode::kUnsupported);
  CHECK(vm.local_references == 0);
}

TEST_CASE("a thread is in Java while it asks for a domain, and no other is") {
  OriginVm run;
  REQUIRE(run.origins.open_jars(*run.jni).ok());
  JNIEnv* other = nullptr;
  REQUIRE(run.vm.vm().GetEnv(reinterpret_cast<void**>(&other), JNI_VERSION_1_6) == JNI_OK);
  int asked = 0;
  run.vm.on_java_call = [&](JNIEnv* caller) {
    ++asked;
    CHECK(run.origins.calling_java(caller));
    CHECK_FALSE(run.origins.calling_java(other));
  };
  CHECK(run.read());
  CHECK(asked == 1);
  CHECK_FALSE(run.origins.calling_java(run.jni));
}

TEST_CASE("an exception of the application's own is left alone, and the class asked for again") {
  OriginVm run;
  REQUIRE(run.origins.open_modules(*run.jni).ok());
  run.vm.fail("ExceptionCheck", 1);
  CHECK_FALSE(run.read());
  run.vm.forgive();
  CHECK(run.read());
}
