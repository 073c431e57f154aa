#include "cli/doctor/runtimes.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

namespace fs = std::filesystem;

struct Machine {
  Machine() {
    places.jvm_folder = scratch.file("jvm");
    places.dotnet_folders = {scratch.file("dotnet")};
  }
  void jdk(const std::string& name, const std::string& release) const {
    fs::create_directories(scratch.file(name + "/bin"));
    scratch.write(name + "/bin/java", "");
    ::chmod(scratch.file(name + "/bin/java").c_str(), 0755);
    if (!release.empty()) scratch.write(name + "/release", release);
  }
  platforms::ScratchDirectory scratch;
  RuntimePlaces places;
};

}  // namespace

TEST_CASE("runtimes: JAVA_HOME, PATH and the usual folder, each once") {
  Machine machine;
  machine.jdk("jvm/a-8", "JAVA_VERSION=\"1.8.0_392\"\n");
  machine.jdk("jvm/b-17", "IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.17\"\n");
  machine.jdk("own", "JAVA_VERSION=\"25\"\nJVM_VARIANT=\"Openj9\"\n");
  machine.jdk("nameless", "");
  fs::create_directories(machine.scratch.file("bin"));
  fs::create_symlink(machine.scratch.file("jvm/b-17/bin/java"), machine.scratch.file("bin/java"));
  machine.places.java_home = machine.scratch.file("own");
  machine.places.path =
      "::" + machine.scratch.file("bin") + ":/no/such:" + machine.scratch.file("nameless/bin");
  const auto found = find_java_runtimes(machine.places);
  REQUIRE(found.size() == 4);
  CHECK(found[0].major == 25);
  CHECK(found[0].openj9);
  CHECK(found[1].version == "17.0.17");
  CHECK(found[1].program.ends_with("jvm/b-17/bin/java"));
  CHECK(found[2].major == 0);
  CHECK(found[2].version.empty());
  CHECK(found[3].major == 8);
  CHECK_FALSE(found[3].openj9);
}

TEST_CASE("runtimes: a java that may not be run is passed over, and JAVA_HOME's is named") {
  Machine machine;
  machine.jdk("own", "JAVA_VERSION=\"17.0.17\"\n");
  machine.jdk("jvm/a-8", "JAVA_VERSION=\"1.8.0_392\"\n");
  machine.places.java_home = machine.scratch.file("own");
  CHECK(java_home_trouble(machine.places).empty());
  ::chmod(machine.scratch.file("own/bin/java").c_str(), 0644);
  const auto found = find_java_runtimes(machine.places);
  REQUIRE(found.size() == 1);
  CHECK(found[0].major == 8);
  CHECK(java_home_trouble(machine.places).starts_with("JAVA_HOME=" + machine.scratch.file("own")));
  machine.places.java_home = "/nope";
  CHECK(java_home_trouble(machine.places).starts_with("JAVA_HOME=/nope has no bin/java"));
  machine.places.java_home = "";
  CHECK(java_home_trouble(machine.places).empty());
}

TEST_CASE("runtimes: .NET's are folders of versions") {
  Machine machine;
  for (const char* version : {"9.0.1", "10.0.0-rc.1", "readme"})
    fs::create_directories(
        machine.scratch.file("dotnet/shared/Microsoft.NETCore.App/" + std::string(version)));
  machine.places.dotnet_root = machine.scratch.file("dotnet");
  const auto found = find_dotnet_runtimes(machine.places);
  REQUIRE(found.size() == 2);
  CHECK(found[0].major == 10);
  CHECK(found[1].version == "9.0.1");
}

TEST_CASE("runtimes: a machine without any, and damaged files") {
  Machine machine;
  machine.places.java_home = machine.scratch.file("none");
  CHECK(find_java_runtimes(machine.places).empty());
  CHECK(find_dotnet_runtimes(machine.places).empty());
  CHECK(release_value("JAVA_VERSION=\"17", "JAVA_VERSION") == "17");
  CHECK(release_value("JAVA_VERSION=17\nX", "JAVA_VERSION").empty());
  CHECK(major_version("") == 0);
  CHECK(major_version("99999999999999999999") == 0);
  CHECK(major_version("1.") == 0);
}
