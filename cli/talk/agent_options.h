// The options that an agent is started with in a running process.
// Why on=off: whoever asks for one dump has not asked for files at the next OutOfMemoryError; `holdfast set` arms triggers.
// Shape:  on=off and dir= unless the person names them. dir is what was asked for, else "." where the process may write to its
//         current directory, else /tmp, as the process sees it.
// Zone:   offline.   Errors: Stop with exit code 2: an option or a directory that cannot be said.
#pragma once

#include <cstdint>
#include <string>

namespace holdfast::cli {

// Attaching, and until the new agent listens: a VM in a long safepoint takes seconds.
inline constexpr std::uint64_t kAttachTimeoutNs = 30'000'000'000;

struct StartWishes {
  std::string directory;  // --dir; empty: chosen
  std::string options;    // --options
};

// `proc` is /proc but in tests, here and below.
// The directory that an agent gets where none is asked for: "." or "/tmp".
std::string chosen_directory(std::uint32_t pid, const std::string& proc = "/proc");
// May this process' user write into a directory, whose path is as we see it? An errno, 0: yes.
int write_error_of(std::uint32_t pid, const std::string& directory,
                   const std::string& proc = "/proc");
std::string start_options(std::uint32_t pid, const StartWishes& wishes,
                          const std::string& proc = "/proc");

}  // namespace holdfast::cli
