// The Java and .NET runtimes of this machine, found where they usually are.
// Why: `holdfast demo` needs a Java to run its service on, and `holdfast doctor` says what the programs here may run on.
// Shape:  Java: JAVA_HOME, each `java` of PATH, /usr/lib/jvm/*, where we may run it; the version is what the file `release` of its home says. .NET: below
//         DOTNET_ROOT, beside the `dotnet` of PATH, /usr/share/dotnet, /usr/lib/dotnet, /usr/local/share/dotnet, ~/.dotnet: the folders
//         of shared/Microsoft.NETCore.App. No program is run. One that is found by two ways is listed once, in the order above.
// Zone:   offline.   Errors: none; what cannot be read is not listed, a version that is not known is 0 or empty.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

struct Runtime {
  std::string home;     // without links
  std::string program;  // of Java: its launcher
  std::string version;  // "17.0.17", "9.0.1"
  unsigned major = 0;   // 8, 17, 9; 0: not known
  bool openj9 = false;
};

// Where to look: the environment's, but in tests.
struct RuntimePlaces {
  std::string java_home, path, dotnet_root, user_home;
  std::string jvm_folder = "/usr/lib/jvm";
  std::vector<std::string> dotnet_folders = {"/usr/share/dotnet", "/usr/lib/dotnet",
                                             "/usr/local/share/dotnet"};
};
RuntimePlaces runtime_places_here();

std::vector<Runtime> find_java_runtimes(const RuntimePlaces& places);
// What is wrong with a JAVA_HOME that gives none of these; empty: nothing, or it is not set.
std::string java_home_trouble(const RuntimePlaces& places);
std::vector<Runtime> find_dotnet_runtimes(const RuntimePlaces& places);

// The value of a line NAME="value" in a JDK's file `release`; empty where there is none.
std::string release_value(std::string_view release, std::string_view name);
// 8 of "1.8.0_392", 17 of "17.0.17", 9 of "9.0.1"; 0 of what is no version.
unsigned major_version(std::string_view version);

}  // namespace holdfast::cli
