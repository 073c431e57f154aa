// A program that a command starts, reads the output of, and ends; and one that it starts for a person and leaves alone.
// Why its own: what the command started must not outlive it, whatever ends the command. The kernel ends the program with the thread that
//      started it (a death signal). That is the program alone: of a wrapper's children only those end that watch their standard input.
// Shape:  standard input is empty, or a pipe that ends with us; standard output is a pipe to us; standard error is a file without a name.
//         It leads a process group of its own: a terminal's Ctrl-C goes to the command alone, which then decides, and end() ends
//         what the program has started, too.
// Zone:   offline; a command with one thread (fork).
// Errors: errno values, 0 when it worked. start() also answers what kept the program from being run, such as ENOENT.
// Source: prctl(2) on PR_SET_PDEATHSIG; fork(2), execve(2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "platforms/foreign_files.h"

namespace holdfast::platforms {

struct ProgramPlan {
  const char* const* words = nullptr;        // the path first; ended by nullptr
  const char* const* environment = nullptr;  // NAME=VALUE, ended by nullptr; nullptr: ours
  const char* directory = nullptr;           // where it works; nullptr: where we do
  bool keeps_input = false;   // its standard input ends when we end; else it is empty at once
  bool keeps_errors = false;  // its standard error can be read; else it goes nowhere
};

class OwnProgram {
 public:
  OwnProgram() = default;
  ~OwnProgram() { end(); }
  OwnProgram(const OwnProgram&) = delete;
  OwnProgram& operator=(const OwnProgram&) = delete;

  int start(const ProgramPlan& plan) noexcept;
  bool running() noexcept;
  // Is this one of its process group?
  bool includes(std::uint32_t pid) const noexcept;
  std::uint32_t pid() const noexcept { return pid_; }
  int output() const noexcept { return output_.get(); }  // to wait for it
  // What is there, at most `capacity` bytes; 0: it has closed its output; -errno, -EAGAIN: nothing is there.
  std::int64_t read_output(void* out, std::size_t capacity) noexcept;
  // Of what it has written on standard error, from `offset` on; 0: no more.
  std::int64_t read_errors(void* out, std::size_t capacity, std::uint64_t offset) const noexcept;
  // Its whole group. By SIGTERM where that is enough within so many milliseconds, else by SIGKILL. Returns when it is gone.
  void end(unsigned milliseconds = 0) noexcept;

 private:
  void await_end(unsigned milliseconds) noexcept;

  std::uint32_t pid_ = 0;  // 0: none runs
  Descriptor input_, output_, errors_;
};

bool program_can_run(const char* path) noexcept;  // a file that we may run
// `pattern` ends with XXXXXX, which are replaced: a new directory for us alone. errno.
int make_temporary_directory(char* pattern) noexcept;

// In a session of its own and without our streams; it goes on when we end. `words` as in ProgramPlan.
int start_and_leave(const char* const* words) noexcept;

}  // namespace holdfast::platforms
