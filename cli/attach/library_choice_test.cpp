#include "cli/attach/library_choice.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using platforms::ScratchDirectory;

void add_library(const ScratchDirectory& scratch, const std::string& folder) {
  std::filesystem::create_directories(scratch.file(folder));
  std::filesystem::copy_file("/proc/self/exe", scratch.file(folder + "/libholdfast.so"));
}

Target on(platforms::LibcKind libc) {
  Target target;
  target.process.pid = 4242;
  target.libc = libc;
  return target;
}

class Variable {
 public:
  explicit Variable(const std::string& value) { ::setenv("HOLDFAST_LIB", value.c_str(), 1); }
  ~Variable() { ::unsetenv("HOLDFAST_LIB"); }
};

}  // namespace

TEST_CASE("beside the command first, then in the usual folders around it") {
  ::unsetenv("HOLDFAST_LIB");
  ScratchDirectory scratch;
  const std::string real = std::filesystem::canonical(scratch.path()).string();
  std::filesystem::create_directories(scratch.file("bin"));
#if defined(__x86_64__)
  add_library(scratch, "lib/x86_64-linux-gnu");
  CHECK(choose_library("", scratch.file("bin")).path ==
        real + "/lib/x86_64-linux-gnu/libholdfast.so");
#endif
  add_library(scratch, "lib");
  CHECK(choose_library("", scratch.file("bin")).path == real + "/lib/libholdfast.so");
  add_library(scratch, "bin");
  CHECK(choose_library("", scratch.file("bin")).path == real + "/bin/libholdfast.so");
}

TEST_CASE("what was asked for comes first, then the variable; both must be there") {
  ScratchDirectory scratch;
  add_library(scratch, "bin");
  add_library(scratch, "an other");
  const std::string other = scratch.file("an other/libholdfast.so");
  const Variable variable(other);
  CHECK(choose_library("", scratch.file("bin")).path.ends_with("an other/libholdfast.so"));
  CHECK(choose_library("", "").source == LibrarySource::kVariable);
  CHECK(choose_library(scratch.file("none.so"), "").source == LibrarySource::kOption);
  CHECK(
      choose_library(scratch.file("bin/libholdfast.so"), "").path.ends_with("bin/libholdfast.so"));
  const LibraryChoice none = choose_library(scratch.file("none.so"), scratch.file("bin"));
  CHECK(none.refusal.code == ExitCode::kWrongUsage);
  CHECK(none.refusal.text.find("none.so") != std::string::npos);
}

TEST_CASE("nowhere: the line says where was looked") {
  ::unsetenv("HOLDFAST_LIB");
  if (std::filesystem::exists("/usr/lib/libholdfast.so")) return;
  const LibraryChoice choice = choose_library("", "/no/such/folder");
  CHECK(choice.refusal.code == ExitCode::kWrongUsage);
  for (const char* said : {"/no/such/folder", "/usr/local/lib", "/opt/holdfast", "--library"})
    CHECK(choice.refusal.text.find(said) != std::string::npos);
}

TEST_CASE("what is no library") {
  ScratchDirectory scratch;
  scratch.write("text.so", "hello");
  scratch.write("empty.so", "");
  CHECK(choose_library(scratch.file("text.so"), "").refusal.code == ExitCode::kBadInput);
  CHECK(choose_library(scratch.file("empty.so"), "").refusal.code == ExitCode::kBadInput);
  CHECK_FALSE(choose_library(scratch.path(), "").refusal.good());
}

TEST_CASE("machine, words and libc must fit; what is unknown is left to the VM's loader") {
  using platforms::LibcKind;
  LibraryChoice library;
  library.path = "/opt/libholdfast.so";
  library.facts = {62, 64, LibcKind::kGlibc};
  CHECK(check_fit(library, on(LibcKind::kGlibc), {62, 64, LibcKind::kGlibc}).good());
  CHECK(check_fit(library, on(LibcKind::kUnknown), {62, 64, LibcKind::kUnknown}).good());
  const AttachOutcome libc = check_fit(library, on(LibcKind::kMusl), {62, 64, LibcKind::kMusl});
  CHECK(libc.code == ExitCode::kRefused);
  CHECK(libc.text.find("is for glibc") != std::string::npos);
  CHECK(libc.text.find("runs on musl") != std::string::npos);
  CHECK_FALSE(check_fit(library, on(LibcKind::kGlibc), {183, 64, LibcKind::kGlibc}).good());
  CHECK_FALSE(check_fit(library, on(LibcKind::kGlibc), {62, 32, LibcKind::kGlibc}).good());
}
