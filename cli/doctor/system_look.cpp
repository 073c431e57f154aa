#include "cli/doctor/system_look.h"

#include <cstring>
#include <filesystem>

#include "cli/attach/library_choice.h"
#include "cli/attach/target.h"
#include "common/control/control_socket.h"
#include "common/options.h"
#include "common/version.h"
#include "platforms/file.h"
#include "platforms/foreign_files.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

// A directory of ours is made where it is not there yet, so what is above it counts.
std::vector<std::string> usable_sockets() {
  std::vector<std::string> found;
  const control::SocketPlaces places = control::usual_places(Options{});
  for (std::size_t i = 0; i < places.count; ++i) {
    const fs::path place(places.places[i].path);
    std::error_code ignored;
    const fs::path tried = fs::exists(place, ignored) ? place : place.parent_path();
    const std::string text = tried.empty() ? "." : tried.string();
    if (platforms::check_directory_writable(text.c_str()) == 0) found.push_back(place.string());
  }
  return found;
}

}  // namespace

std::string reason_text(int error) { return std::strerror(error); }

Finding unknown(std::string subject, const std::string& what, int error) {
  return {Verdict::kUnknown, std::move(subject), what + ": " + reason_text(error)};
}

DiskLook look_at_disk(const std::string& path) {
  DiskLook look;
  look.path = path;
  look.error = platforms::check_directory_writable(path.c_str());
  if (look.error != 0) return look;
  look.free_bytes = platforms::free_disk_bytes(path.c_str());
  look.no_exec = platforms::on_no_exec_mount(path.c_str());
  return look;
}

LibraryLook look_at_library(const std::string& asked) {
  const LibraryChoice choice = choose_library(asked, own_directory());
  LibraryLook look{choice.refusal, choice.path, {}};
  if (look.refusal.good()) look.mark = read_library_mark(choice.path);
  return look;
}

SystemLook look_at_system(const std::string& asked_library) {
  SystemLook look;
  look.system = platforms::read_system_facts("");
  look.own = platforms::read_process_facts("", 0);
  look.groups = platforms::read_group_facts("", 0);
  look.child = platforms::try_child();
  look.numbers = check_numbers();
  look.library = look_at_library(asked_library);
  std::error_code error;
  look.working = look_at_disk(fs::current_path(error).string());
  look.temporary = look_at_disk("/tmp");
  look.sockets = usable_sockets();
  const RuntimePlaces places = runtime_places_here();
  look.java = find_java_runtimes(places);
  look.dotnet = find_dotnet_runtimes(places);
  look.own_version = std::string(kVersion);
  look.own_build = std::string(build_description());
  return look;
}

}  // namespace holdfast::cli
