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
#include "platforms/local_socket.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

// Not the last place, dir=, which is each agent's own.
std::vector<std::string> usable_sockets() {
  std::vector<std::string> found;
  const control::SocketPlaces places = control::usual_places(Options{});
  for (std::size_t i = 0; i < places.count; ++i)
    if (places.places[i].made_by_us && usable_for_sockets(places.places[i].path))
      found.emplace_back(places.places[i].path);
  return found;
}

}  // namespace

// What is there is only opened: an agent refuses another user's, one that others may enter, and a link.
bool usable_for_sockets(const std::string& directory) {
  const auto writable = [](const std::string& path) {
    return platforms::check_directory_writable(path.c_str()) == 0;
  };
  if (!platforms::file_exists(directory.c_str()))
    return writable(fs::path(directory).parent_path().string());
  const int opened = platforms::open_private_directory(directory.c_str());
  if (opened < 0) return false;
  platforms::close_socket(opened);
  return writable(directory);
}

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

DiskLook look_at_working_directory() {
  std::error_code error;
  const std::string path = fs::current_path(error).string();
  if (!error) return look_at_disk(path);
  DiskLook look;
  look.path = ".";
  look.error = error.value();
  return look;
}

LibraryLook look_at_library(const std::string& asked) {
  const LibraryChoice choice = choose_library(asked, own_directory());
  LibraryLook look{choice.refusal, choice.path, {}, choice.source};
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
  look.working = look_at_working_directory();
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
