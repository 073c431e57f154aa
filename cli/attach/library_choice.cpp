#include "cli/attach/library_choice.h"

#include <cstring>
#include <filesystem>

#include "platforms/process.h"

namespace holdfast::cli {
namespace {

constexpr const char* kLibrary = "libholdfast.so";

// Where distributions keep libraries of several machines side by side (CMAKE_INSTALL_LIBDIR below /usr).
#if defined(__x86_64__)
constexpr const char* kMachineFolder = "x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr const char* kMachineFolder = "aarch64-linux-gnu";
#else
constexpr const char* kMachineFolder = "holdfast";
#endif

std::vector<std::string> usual_places(const std::string& command_directory) {
  std::vector<std::string> places;
  if (!command_directory.empty()) {
    for (const char* below : {"", "/../lib", "/../lib64", "/../lib/holdfast"})
      places.push_back(command_directory + below);
    places.push_back(command_directory + "/../lib/" + kMachineFolder);
  }
  for (const char* usual : {"/usr/local/lib", "/usr/local/lib/holdfast", "/usr/lib",
                            "/usr/lib/holdfast", "/opt/holdfast", "/opt/holdfast/lib"})
    places.emplace_back(usual);
  return places;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

LibraryChoice checked(const std::string& path, LibrarySource source) {
  LibraryChoice choice;
  choice.source = source;
  std::error_code error;
  choice.path = std::filesystem::canonical(path, error).string();
  if (error) {
    choice.refusal = {ExitCode::kWrongUsage, path + ": " + error.message()};
    return choice;
  }
  const int unreadable = platforms::read_elf_file(choice.path.c_str(), choice.facts);
  if (unreadable == ENOEXEC)
    choice.refusal = {ExitCode::kBadInput, path + ": not a library (no ELF file)"};
  else if (unreadable != 0)
    choice.refusal = refused(path + ": " + std::strerror(unreadable));
  return choice;
}

LibraryChoice not_found(const std::vector<std::string>& places) {
  std::string text = std::string(kLibrary) + " is in none of";
  for (const std::string& place : places) text += ' ' + place;
  LibraryChoice choice;
  choice.refusal = {ExitCode::kWrongUsage, text + "; give its path with --library"};
  return choice;
}

const char* libc_name(platforms::LibcKind libc) {
  return libc == platforms::LibcKind::kMusl ? "musl" : "glibc";
}

}  // namespace

LibraryChoice choose_library(const std::string& asked, const std::string& command_directory) {
  if (!asked.empty()) return checked(asked, LibrarySource::kOption);
  const char* variable = platforms::environment_value("HOLDFAST_LIB");
  if (variable != nullptr && *variable != '\0') return checked(variable, LibrarySource::kVariable);
  const std::vector<std::string> places = usual_places(command_directory);
  for (const std::string& place : places)
    if (const std::string path = place + '/' + kLibrary; is_file(path))
      return checked(path, LibrarySource::kUsualPlace);
  return not_found(places);
}

std::string own_directory() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().string();
}

AttachOutcome check_fit(const LibraryChoice& library, const Target& target,
                        const platforms::ElfFacts& program) {
  const platforms::ElfFacts& own = library.facts;
  if (own.machine != program.machine || own.word_bits != program.word_bits)
    return refused(library.path + " is for " + platforms::machine_name(own.machine) + " (" +
                   std::to_string(own.word_bits) + " bits), " + named(target.process) + " is " +
                   platforms::machine_name(program.machine) + " (" +
                   std::to_string(program.word_bits) +
                   " bits); give the library for it with"
                   " --library");
  const auto unknown = platforms::LibcKind::kUnknown;
  if (own.libc != unknown && target.libc != unknown && own.libc != target.libc)
    return refused(library.path + " is for " + libc_name(own.libc) + ", " + named(target.process) +
                   " runs on " + libc_name(target.libc) +
                   "; give the library for it with --library");
  return {};
}

}  // namespace holdfast::cli
