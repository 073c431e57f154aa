// The service of `holdfast demo`: a leaking web shop in Java, with the agent in it from its start.
// Why inside: the service's classes are compiled when holdfast is built (cmake/HfDemo.cmake), so a Java runtime is all that it needs.
// Shape:  one process, which ends with this object and with the command, whatever ends that. Its standard error goes into a file of the
//         demo's directory. It listens at a free port of the loopback address.
// Zone:   offline.
// Errors: Stop: no Java, no library, no classes (2); the service does not start or answer (4).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/doctor/runtimes.h"
#include "platforms/interrupts.h"
#include "platforms/own_program.h"

namespace holdfast::cli {

// Built with the service? Without javac it is not.
bool demo_is_built();
// The folder of its classes: share/holdfast/demo beside this command, or one folder up. Stop where it is in neither.
std::string find_demo_classes(const std::string& command_directory);
// The first that can run it, or Stop.
Runtime choose_java(const std::vector<Runtime>& found);

class DemoService {
 public:
  // `directory` is the demo's own. Returns when the service listens.
  DemoService(const Runtime& java, const std::string& classes, const std::string& library,
              const std::string& directory, platforms::Interrupts& interrupts);

  std::uint32_t pid() const { return program_.pid(); }
  // So many people log in, and so many articles are read. False: a person wants the end.
  bool visit(unsigned logins, unsigned articles, platforms::Interrupts& interrupts);
  // A person's Ctrl-C came while it started.
  bool interrupted() const { return interrupted_; }

 private:
  void await_ready(platforms::Interrupts& interrupts);
  [[noreturn]] void failed(const std::string& what);

  platforms::OwnProgram program_;
  std::string java_, log_;
  std::uint16_t port_ = 0;
  bool interrupted_ = false;
};

}  // namespace holdfast::cli
