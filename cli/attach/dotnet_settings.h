// What a .NET process' environment says about the ways into its runtime.
// Why: a runtime that does not listen says nothing about why; these settings are the usual reason, and a person can change them.
// Shape:  NAME=VALUE words of the environment that the process was started with. What a program has set for itself since is not seen.
//         DOTNET_ goes before COMPlus_; names count letter by letter; numbers are hexadecimal, and what is no number is 0.
// Zone:   offline.   Errors: none; what is not set is empty or the default.
// Source: .NET documentation, "Runtime configuration options for debugging and profiling"; run on .NET 10.
#pragma once

#include <string>
#include <vector>

namespace holdfast::cli {

struct DotnetSettings {
  std::string
      not_listening;  // the setting that keeps the runtime from it, as it stands; empty: none does
  bool starts_profilers =
      true;              // whether it loads profilers at its start, though it does not listen
  std::string profiler;  // the library of the profiler that it was started with
  std::string temporary = "/tmp";  // where its sockets are
};
DotnetSettings parse_dotnet_settings(const std::vector<std::string>& environment);

}  // namespace holdfast::cli
