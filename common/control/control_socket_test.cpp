#include "common/control/control_socket.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "common/control/socket_name.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::control;
namespace fs = std::filesystem;

namespace {

SocketPlaces place(const std::string& path, bool made_by_us = true) {
  SocketPlaces places;
  places.add(path.c_str(), "", made_by_us);
  return places;
}

std::string own_name(int k = 1) {
  const std::string pid = std::to_string(platforms::process_id());
  return "holdfast-" + pid + (k == 1 ? "" : "-" + std::to_string(k)) + ".sock";
}

// As a process leaves it that was killed.
void leave_a_dead_socket(const std::string& directory, const char* name) {
  const int opened = platforms::open_own_directory(directory.c_str());
  const int listening = platforms::listen_in(opened, name, 1);
  REQUIRE(listening >= 0);
  platforms::close_socket(listening);
  platforms::close_socket(opened);
}

}  // namespace

TEST_CASE("the first directory that will do") {
  const platforms::ScratchDirectory scratch;
  SocketPlaces places;
  places.add(scratch.file("missing").c_str(), "/holdfast", true);
  scratch.write("plain", "");
  places.add(scratch.file("plain").c_str(), "", true);
  places.add(scratch.file("with space").c_str(), "", true);
  places.add(scratch.path(), "", false);
  ControlSocket socket;
  REQUIRE(socket.open(places).ok());
  CHECK(scratch.has("with space/" + own_name()));
  CHECK(is_socket_name(socket.name()));
  CHECK(socket.open(places).error().code == ErrorCode::kRefused);
  socket.close();
  CHECK_FALSE(scratch.has("with space/" + own_name()));
  socket.close();
}

TEST_CASE("no directory will do") {
  const std::uint64_t before = platforms::open_descriptors_for_test();
  const platforms::ScratchDirectory scratch;
  ControlSocket socket;
  CHECK(socket.open(SocketPlaces{}).error().code == ErrorCode::kIo);
  fs::create_directory_symlink(scratch.path(), scratch.file("link"));
  CHECK(socket.open(place(scratch.file("link"))).error().code == ErrorCode::kIo);
  CHECK(socket.open(place(scratch.file("no/where"))).error().code == ErrorCode::kIo);
  CHECK(platforms::open_descriptors_for_test() == before);
}

TEST_CASE("dir= is used as it is, but not where others may write") {
  const platforms::ScratchDirectory scratch;
  fs::permissions(scratch.path(), fs::perms::owner_all | fs::perms::group_read);
  ControlSocket socket;
  REQUIRE(socket.open(place(scratch.path(), false)).ok());
  socket.close();
  fs::permissions(scratch.path(), fs::perms::all);
  CHECK_FALSE(socket.open(place(scratch.path(), false)).ok());
  fs::permissions(scratch.path(), fs::perms::owner_all);
}

TEST_CASE("sockets of the dead go; the living, other files and other names stay") {
  const platforms::ScratchDirectory scratch;
  const std::string path = scratch.path();
  leave_a_dead_socket(path, "holdfast-1.sock");
  leave_a_dead_socket(path, own_name().c_str());
  leave_a_dead_socket(path, "other.sock");
  scratch.write("holdfast-2.sock", "a plain file");
  const int directory = platforms::open_own_directory(path.c_str());
  const int living = platforms::listen_in(directory, "holdfast-3.sock", 1);
  ControlSocket socket;
  REQUIRE(socket.open(place(path)).ok());
  CHECK(socket.name() == own_name());
  CHECK_FALSE(scratch.has("holdfast-1.sock"));
  CHECK(scratch.has("other.sock"));
  CHECK(scratch.has("holdfast-2.sock"));
  CHECK(scratch.has("holdfast-3.sock"));
  platforms::close_socket(living);
  platforms::close_socket(directory);
}

TEST_CASE("two processes with the same number in one directory; each removes its own") {
  const platforms::ScratchDirectory scratch;
  ControlSocket first, second, third;
  REQUIRE(first.open(place(scratch.path())).ok());
  REQUIRE(second.open(place(scratch.path())).ok());
  CHECK(second.name() == own_name(2));
  first.close();
  REQUIRE(third.open(place(scratch.path())).ok());
  CHECK(third.name() == own_name());
  second.close();
  CHECK(scratch.has(own_name()));
  CHECK_FALSE(scratch.has(own_name(2)));
}

TEST_CASE("more processes with the same number than there are names") {
  const platforms::ScratchDirectory scratch;
  ControlSocket sockets[kMaxSameNumber + 1];
  for (unsigned i = 0; i < kMaxSameNumber; ++i)
    REQUIRE(sockets[i].open(place(scratch.path())).ok());
  CHECK_FALSE(sockets[kMaxSameNumber].open(place(scratch.path())).ok());
}

TEST_CASE("a file that somebody put in the place of ours is not removed") {
  const platforms::ScratchDirectory scratch;
  ControlSocket socket;
  REQUIRE(socket.open(place(scratch.path())).ok());
  fs::remove(scratch.file(own_name()));
  scratch.write(own_name(), "not ours");
  socket.close();
  CHECK(scratch.has(own_name()));
}

TEST_CASE("a directory with a long path: reached, swept and left as any other") {
  const platforms::ScratchDirectory scratch;
  const std::string deep = scratch.file(std::string(150, 'd'));
  ControlSocket first, second;
  REQUIRE(first.open(place(deep)).ok());
  leave_a_dead_socket(deep, "holdfast-1.sock");
  REQUIRE(second.open(place(deep)).ok());
  CHECK(second.name() == own_name(2));
  CHECK_FALSE(fs::exists(deep + "/holdfast-1.sock"));
  const int client = platforms::connect_to((deep + "/" + own_name()).c_str());
  CHECK(client >= 0);
  platforms::close_socket(client);
  first.close();
  second.close();
  CHECK(fs::is_empty(deep));
}

TEST_CASE("a directory that is kept locked is not waited for long") {
  const platforms::ScratchDirectory scratch;
  const int directory = platforms::open_own_directory(scratch.path());
  const int lock = platforms::lock_directory(directory);
  REQUIRE(lock >= 0);
  ControlSocket socket;
  CHECK_FALSE(socket.open(place(scratch.path())).ok());
  platforms::close_socket(lock);
  CHECK(socket.open(place(scratch.path())).ok());
  platforms::close_socket(directory);
}

TEST_CASE("the usual places, and texts that are too long are left out") {
  Options options;
  const SocketPlaces usual = usual_places(options);
  REQUIRE(usual.count >= 3);
  CHECK(std::string(usual.places[usual.count - 1].path) == ".");
  CHECK_FALSE(usual.places[usual.count - 1].made_by_us);
  const std::string user = std::to_string(platforms::effective_user());
  CHECK(std::string(usual.places[usual.count - 2].path) == "/tmp/holdfast-" + user);
  CHECK(std::string(usual.places[usual.count - 3].path) == "/run/user/" + user + "/holdfast");
  SocketPlaces places;
  places.add(std::string(kMaxPlaceText, 'x').c_str(), "", true);
  CHECK(places.count == 0);
}
