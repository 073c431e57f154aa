// A file that could not be read as a report: one line that names it, what is wrong and what is allowed, and the exit code.
// Why these codes: no such file and a directory are a wrong command line (2); a file that may not be read was refused (4);
//      whatever is in the file and cannot be used is bad input (3).
// Shape:  reads at most the first 64 bytes of a foreign file, to say what it is instead.
// Zone:   offline.   Errors: describes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/exit_code.h"
#include "common/error.h"

namespace holdfast::cli {

struct InputError {
  ExitCode code;
  std::string text;  // without the command's name
};

InputError describe_input_error(const std::string& path, const Error& error,
                                std::uint64_t file_bytes);
// The same for a snapshot (.hfs), for one without a report inside, and for what is wrong with the report inside.
InputError describe_snapshot_error(const std::string& path, const Error& error,
                                   std::uint64_t file_bytes);
InputError describe_missing_report(const std::string& path);
InputError describe_embedded_error(const std::string& path, const Error& error,
                                   std::uint64_t image_bytes);
// The same for a report that was read already, whoever named its file.
InputError describe_image_error(const std::string& path, const Error& error,
                                std::uint64_t image_bytes);
// "a Java heap dump in HPROF format" and the like; empty when the bytes are unknown.
std::string_view foreign_format(std::string_view first_bytes);

}  // namespace holdfast::cli
