// The way to a running process, as the commands go it: which process is meant, its agent's socket, an agent where there is none.
// Why functions: the commands are tested with servers of the tests' own; only system_door() knows processes and attaches to them.
// Shape:  descriptors are connected stream sockets that the caller closes.   Zone: offline.
// Errors: Stop (output_file.h): no such process, several, no permission, a VM that forbids it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace holdfast::cli {

struct AgentWishes {
  std::string library;  // empty: ours, found beside the command
  std::string options;  // that a new agent starts with
  std::uint64_t timeout_ns = 0;
};

struct AgentDoor {
  static constexpr int kNoAgent = -1;
  // A number, or a part of the name of exactly one VM as `holdfast ps` shows it.
  std::function<std::uint32_t(const std::string& name)> find;
  std::function<int(std::uint32_t pid)> connect;  // kNoAgent: the process is there, an agent is not
  std::function<int(std::uint32_t pid, const AgentWishes& wishes)> attach;
};

AgentDoor system_door();

}  // namespace holdfast::cli
