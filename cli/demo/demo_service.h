// The service of `holdfast demo`: a leaking web shop in Java, with the agent in it from its start.
// Why inside: the service's classes are compiled when holdfast is built (cmake/HfDemo.cmake), so a Java runtime is all that it needs.
// Shape:  one process, which ends with this object and with the command, whatever ends that. Where `java` is a wrapper that starts the
//         VM as a process of its own, both do. It listens at a free port of the loopback address.
// Zone:   offline.
// Errors: Stop: no Java, no library, no classes, paths that Java cannot take (2); the service does not start or answer (4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

// Stop where Java would take a path of these for two: '=' ends the library's, ':' the folder's of the classes.
void check_java_paths(const std::string& library, const std::string& classes);

// What the service prints when it listens; port 0: not yet. `pid` 0: it does not know its number.
struct ServiceReady {
  std::uint16_t port = 0;
  std::uint32_t pid = 0;
};
ServiceReady service_ready(std::string_view output);
// Why a Java did not start, of all that it wrote: what HotSpot says on standard output, else the first line of an error, of which the
// advice behind it is left out.
std::string reason_of_java(const std::string& output, const std::string& errors);

class DemoService {
 public:
  // `directory` is the demo's own. Returns when the service listens.
  DemoService(const Runtime& java, const std::string& classes, const std::string& library,
              const std::string& directory, platforms::Interrupts& interrupts);
  ~DemoService();
  DemoService(const DemoService&) = delete;
  DemoService& operator=(const DemoService&) = delete;

  std::uint32_t pid() const { return pid_; }  // of the VM
  // So many people log in, and so many articles are read. False: a person wants the end.
  bool visit(unsigned logins, unsigned articles, platforms::Interrupts& interrupts);
  // A person's Ctrl-C came while it started.
  bool interrupted() const { return interrupted_; }

 private:
  void await_ready(platforms::Interrupts& interrupts);
  bool hear();
  [[noreturn]] void failed(const std::string& what);

  platforms::OwnProgram program_;
  std::string java_, output_;
  std::uint16_t port_ = 0;
  std::uint32_t pid_ = 0;
  bool interrupted_ = false;
};

}  // namespace holdfast::cli
