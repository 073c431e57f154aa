#include "platforms/linux/container_id.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace holdfast::platforms;

namespace {

const std::string kId = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const std::string kOther = "ffffffffffffffff0123456789abcdef0123456789abcdef0123456789abcdef";

std::string id_from(const std::string& cgroup, const std::string& mountinfo) {
  std::string pattern = (std::filesystem::temp_directory_path() / "hf-container-XXXXXX").string();
  const std::string root = ::mkdtemp(pattern.data());
  std::filesystem::create_directories(root + "/proc/self");
  std::ofstream(root + "/proc/self/cgroup") << cgroup;
  std::ofstream(root + "/proc/self/mountinfo") << mountinfo;
  char id[64];
  read_container_id(root.c_str(), id, sizeof id);
  std::filesystem::remove_all(root);
  return id;
}

// Docker's first line: the root file system, with the ids of image layers in its options.
const std::string kLayers =
    "700 600 0:70 / / rw - overlay overlay rw,upperdir=/var/lib/docker/overlay2/" + kOther +
    "/diff\n";

}  // namespace

TEST_CASE("the cgroup's path tells, in each engine's way; the innermost container counts") {
  CHECK(id_from("4:memory:/docker/" + kId + "\n", "") == "0123456789ab");
  CHECK(id_from("0::/system.slice/docker-" + kId + ".scope\n", "") == "0123456789ab");
  CHECK(id_from("0::/kubepods.slice/pod1/cri-containerd-" + kId + ".scope\n", "") ==
        "0123456789ab");
  CHECK(id_from("0::/docker/" + kOther + "/docker/" + kId + "\n", "") == "0123456789ab");
}

TEST_CASE("without a path, the engine's own mounts tell, never the image's layers") {
  CHECK(id_from("0::/\n", kLayers).empty());
  CHECK(id_from("0::/\n", kLayers + "721 700 8:1 /var/lib/docker/containers/" + kId +
                              "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n") ==
        "0123456789ab");
  CHECK(id_from("0::/\n", kLayers + "721 700 0:9 /containers/overlay-containers/" + kId +
                              "/userdata/hosts /etc/hosts rw - tmpfs tmpfs rw\n") ==
        "0123456789ab");
}

TEST_CASE("outside a container there is none, and other hexadecimal words are no ids") {
  CHECK(
      id_from("0::/user.slice/session-1.scope\n", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n").empty());
  CHECK(id_from("0::/x/" + kId + "0\n", "").empty());
  CHECK(id_from("0::/x/" + kId.substr(1) + "\n", "").empty());
  CHECK(id_from("", "").empty());
}

TEST_CASE("a short buffer gets a cut id") {
  char id[5] = "xxxx";
  read_container_id("/nonexistent", id, sizeof id);
  CHECK(id[0] == '\0');
}
