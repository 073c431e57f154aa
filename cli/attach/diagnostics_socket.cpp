#include "cli/attach/diagnostics_socket.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "cli/attach/diagnostics_name.h"
#include "cli/attach/start_words.h"

namespace holdfast::cli {
namespace {

// A runtime of this age that does not listen never will, even on a busy machine.
constexpr std::uint64_t kGrownUpMs = 3000;
// sockaddr_un without its zero: a runtime cannot listen at a longer path.
constexpr std::size_t kMaxSocketPath = 107;

// Relative to the process' working directory, where it begins so.
bool is_directory(const TargetFiles& files, const std::string& path) {
  const bool absolute = path.starts_with('/');
  const int from = absolute ? files.root.get() : files.working.get();
  return platforms::open_directory_inside(from, absolute ? path.c_str() : ('/' + path).c_str())
      .valid();
}

AttachOutcome forbidden_text(const Target& target) {
  const std::string otherwise =
      target.dotnet.starts_profilers ? ", or with " + load_at_start_text(target.vm) : std::string();
  return refused(named(target.process) + " was started with " + target.dotnet.not_listening +
                 ", so nothing can be loaded into it; start it without" + otherwise);
}

AttachOutcome silent_text(const Target& target, const TargetFiles& files) {
  if (!target.dotnet.not_listening.empty()) return forbidden_text(target);
  const std::string& directory = target.dotnet.temporary;
  const std::string who = "the .NET runtime of " + named(target.process);
  const std::string start_it = "; start it with " + load_at_start_text(target.vm);
  if (!is_directory(files, directory))
    return refused(who + " does not listen, because its temporary directory " + directory +
                   " is not there" + start_it);
  if (directory.size() + 1 + diagnostics_name(target.process).size() > kMaxSocketPath)
    return refused(who +
                   " does not listen, because the path of its TMPDIR is too long for a"
                   " socket (" +
                   directory + ")" + start_it);
  return refused(who + " does not listen: it could make no socket in " + directory +
                 ", diagnostics are off in a way that is not seen here, or it is older than .NET"
                 " Core 3.0" +
                 start_it);
}

AttachOutcome look_failed(const platforms::OtherProcess& process, int error) {
  if (error == EACCES || error == EPERM) return refused(not_permitted_text(process));
  if (error == ESRCH || !platforms::same_process(process)) return ended_text(process);
  return refused(named(process) + " cannot be looked at: " + std::strerror(error));
}

AttachOutcome unreachable(const Target& target, const SocketPlace& place, int error) {
  const platforms::OtherProcess& process = target.process;
  if (Patience::interrupted()) return refused("interrupted");
  if (!platforms::same_process(process)) return ended_text(process);
  const std::string where =
      "the socket " + place.path + " of the .NET runtime of " + named(process);
  if (error == EPERM)
    return refused(where + " is answered by another process or user; it is left alone");
  if (error == ENOENT)
    return refused(where +
                   " has been removed, and the runtime makes it only at its start; start it"
                   " again, or with " +
                   load_at_start_text(target.vm));
  return refused(where + " cannot be reached: " + std::strerror(error));
}

}  // namespace

DiagnosticsEndpoint find_diagnostics(const Target& target, const TargetFiles& files,
                                     const Patience& patience) {
  const platforms::OtherProcess& process = target.process;
  const auto passes = [&](std::string_view name) {
    return is_diagnostics_name(name, process.inner_pid);
  };
  const auto never_will = [&] {
    return !target.dotnet.not_listening.empty() || platforms::process_age_ms(process) > kGrownUpMs;
  };
  std::vector<std::string> paths;
  int error = 0;
  patience.wait([&] {
    error = as_ours_or_theirs(process,
                              [&] { return find_process_sockets(process.pid, passes, paths); });
    return error != 0 || !paths.empty() || never_will();
  });
  if (error != 0) return {{}, look_failed(process, error)};
  if (paths.empty()) return {{}, silent_text(target, files)};
  return {open_socket_places(process, files, paths), {}};
}

DiagnosticsStream connect_to_diagnostics(const Target& target, const DiagnosticsEndpoint& endpoint,
                                         const Patience& patience) {
  DiagnosticsStream found;
  for (const SocketPlace& place : endpoint.places) {
    found.stream = connect_to_place(target.process, place, patience);
    if (found.stream.valid()) return {std::move(found.stream), {}};
    found.refusal = unreachable(target, place, found.stream.error());
  }
  return found;
}

}  // namespace holdfast::cli
