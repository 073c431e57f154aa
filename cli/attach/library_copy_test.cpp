#include "cli/attach/library_copy.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "platforms/fault_points.h"
#include "platforms/process.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using platforms::Descriptor;
using platforms::FaultPoint;
using platforms::FaultScope;
using platforms::ScratchDirectory;

// A process whose root is a directory of ours: what a container's is.
struct Contained {
  Contained() {
    target.process.pid = platforms::process_id();
    target.process.effective_user = ::geteuid();
    target.other_root = true;
    library.write("libholdfast.so", "the agent");
    files.root = Descriptor(::open(root.path(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  AttachOutcome place(LibraryCopy& copy) {
    AttachOutcome read = copy.read(library.file("libholdfast.so"));
    return read.good() ? copy.place(target, files) : read;
  }
  std::size_t left(const std::string& folder) const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(root.file(folder)), {}));
  }
  ScratchDirectory root, library;
  Target target;
  TargetFiles files;
};

mode_t mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777u : 0;
}

}  // namespace

TEST_CASE("a copy is the process user's alone, and gone with its object") {
  Contained here;
  std::filesystem::create_directory(here.root.file("tmp"));
  {
    LibraryCopy copy;
    REQUIRE(here.place(copy).good());
    CHECK(copy.copied());
    CHECK(copy.path().starts_with("/tmp/.holdfast-"));
    CHECK(copy.path().ends_with("/libholdfast.so"));
    const std::string real = here.root.path() + copy.path();
    CHECK(here.root.read(copy.path().substr(1)) == "the agent");
    CHECK(mode_of(real) == 0500);
    CHECK(mode_of(std::filesystem::path(real).parent_path()) == 0700);
  }
  CHECK(here.left("tmp") == 0);
}

TEST_CASE("no copy where the process sees our file") {
  Contained here;
  here.target.other_root = false;
  LibraryCopy copy;
  REQUIRE(here.place(copy).good());
  CHECK_FALSE(copy.copied());
  CHECK(copy.path() == here.library.file("libholdfast.so"));
}

TEST_CASE("the next place is taken, down to the working directory") {
  Contained here;
  std::filesystem::create_directory_symlink("/tmp", here.root.file("tmp"));
  std::filesystem::create_directories(here.root.file("var/tmp"));
  {
    LibraryCopy copy;
    REQUIRE(here.place(copy).good());
    CHECK(copy.path().starts_with("/var/tmp/"));
  }
  std::filesystem::remove(here.root.file("var/tmp"));
  here.root.write("var/tmp", "a file");
  std::filesystem::create_directory(here.root.file("app"));
  here.files.working = Descriptor(::open(here.root.file("app").c_str(), O_PATH | O_DIRECTORY));
  here.files.working_path = "/app";
  {
    LibraryCopy copy;
    REQUIRE(here.place(copy).good());
    CHECK(copy.path().starts_with("/app/.holdfast-"));
  }
  CHECK(here.left("app") == 0);
}

TEST_CASE("nowhere: each place is named with its reason, links among them") {
  Contained here;
  std::filesystem::create_directory_symlink("/tmp", here.root.file("tmp"));
  here.root.write("dev", "a file");
  LibraryCopy copy;
  const AttachOutcome outcome = here.place(copy);
  CHECK(outcome.code == ExitCode::kRefused);
  for (const char* said : {"/tmp: Too many levels of symbolic links", "/var/tmp: No such file",
                           "/dev/shm: Not a directory", "-agentpath"})
    CHECK_MESSAGE(outcome.text.find(said) != std::string::npos, outcome.text);
}

TEST_CASE("a full disk leaves nothing behind") {
  if (!platforms::kFaultPointsBuilt) return;
  for (const FaultPoint point : {FaultPoint::kCreateFile, FaultPoint::kWrite}) {
    Contained here;
    std::filesystem::create_directory(here.root.file("tmp"));
    const FaultScope fault(point, {.times = 4, .error = ENOSPC});
    LibraryCopy copy;
    const AttachOutcome outcome = here.place(copy);
    CHECK(outcome.text.find("/tmp: No space left") != std::string::npos);
    CHECK_FALSE(copy.copied());
    CHECK(here.left("tmp") == 0);
  }
}

TEST_CASE("what cannot be removed is told") {
  Contained here;
  std::filesystem::create_directory(here.root.file("tmp"));
  LibraryCopy copy;
  REQUIRE(here.place(copy).good());
  const std::filesystem::path folder =
      std::filesystem::path(here.root.path() + copy.path()).parent_path();
  here.root.write(std::filesystem::relative(folder, here.root.path()).string() + "/other", "");
  copy.remove();
  CHECK(copy.left_behind() == copy.path());
  CHECK(with_copy_left({}, copy.left_behind()).note ==
        "a copy of the library was left at " + copy.path());
  CHECK(with_copy_left({}, copy.left_behind()).good());
  CHECK(with_copy_left(refused("no"), copy.left_behind()).text ==
        "no (a copy of the library was left at " + copy.path() + ")");
  CHECK(with_copy_left({}, "").note.empty());
}

TEST_CASE("a library that cannot be read") {
  Contained here;
  LibraryCopy copy;
  CHECK_FALSE(copy.read(here.library.file("none.so")).good());
}
