#include "cli/input_error.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "analysis/report/reader.h"
#include "analysis/snapshot_file/block_format.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kSniffedBytes = 64;

struct Format {
  std::size_t offset;
  std::string_view magic;
  std::string_view name;
};
constexpr Format kFormats[] = {
    {0, "JAVA PROFILE 1.0"sv, "a Java heap dump in HPROF format"},
    {2, "portable heap dump"sv, "an IBM portable heap dump (PHD)"},
    {4, "!FastSerialization"sv, "a .NET gcdump"},
    {0, "Nettrace"sv, "a .NET trace (nettrace)"},
    {0, "MDMP"sv, "a Windows minidump"},
    {0,
     "\x7f"
     "ELF"sv,
     "an ELF file (a program, a library or a core dump)"},
    {0, "\x1f\x8b"sv, "a gzip archive; unpack it first"},
    {0, "PK\x03\x04"sv, "a zip archive; unpack it first"},
    {0, "\x28\xb5\x2f\xfd"sv, "a zstd archive; unpack it first"},
};

std::string allowed() {
  return "allowed: a holdfast report (.hfr) of format " + std::to_string(analysis::kReportMajor) +
         ", or a snapshot (.hfs) of format " + std::to_string(analysis::kSnapshotMajor) +
         " with a report inside";
}

std::string first_bytes(const std::string& path) {
  std::array<char, kSniffedBytes> buffer{};
  std::ifstream file(path, std::ios::binary);
  file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  return {buffer.data(), static_cast<std::size_t>(file.gcount())};
}

InputError io_error(int number) {
  const std::string reason = std::strerror(number);
  switch (number) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
      return {ExitCode::kWrongUsage, reason};
    case EISDIR:
      return {ExitCode::kWrongUsage, "is a directory"};
    case EINVAL:  // how platforms::map_file says it
    case ENODEV:
      return {ExitCode::kWrongUsage, "is not a regular file"};
    case EACCES:
    case EPERM:
      return {ExitCode::kRefused, reason};
    default:
      return {ExitCode::kBadInput, "cannot be read: " + reason};
  }
}

std::string not_ours(const std::string& path) {
  const std::string_view format = foreign_format(first_bytes(path));
  return format.empty() ? "is not a holdfast report"
                        : "is not a holdfast report but " + std::string(format);
}

// `kind`: of which format the number of a newer version is.
InputError content_error(const std::string& path, const Error& error, std::uint64_t file_bytes,
                         const std::string& kind) {
  if (file_bytes == 0) return {ExitCode::kBadInput, "the file is empty"};
  switch (error.code) {
    case ErrorCode::kNotOurs:
      return {ExitCode::kBadInput, not_ours(path)};
    case ErrorCode::kNewerVersion:
      return {ExitCode::kBadInput, "was written by a newer holdfast (" + kind + " format " +
                                       std::to_string(error.detail) + ")"};
    case ErrorCode::kDamaged:
      return {ExitCode::kBadInput, "is damaged or cut off (seen at byte " +
                                       thousands(static_cast<std::uint64_t>(error.detail)) +
                                       " of " + thousands(file_bytes) + ')'};
    default:
      break;
  }
  return {
      ExitCode::kOurFault,
      "cannot be read (error " + std::to_string(static_cast<int>(error.code)) + ", our own fault)"};
}

InputError named(const std::string& path, InputError found) {
  found.text = path + ": " + found.text + "; " + allowed();
  return found;
}

InputError file_error(const std::string& path, const Error& error, std::uint64_t file_bytes,
                      const std::string& kind) {
  if (error.code == ErrorCode::kIo) return named(path, io_error(static_cast<int>(error.detail)));
  return named(path, content_error(path, error, file_bytes, kind));
}

}  // namespace

std::string_view foreign_format(std::string_view first_bytes) {
  for (const Format& format : kFormats) {
    const bool reaches = first_bytes.size() >= format.offset + format.magic.size();
    if (reaches && first_bytes.substr(format.offset).starts_with(format.magic)) return format.name;
  }
  return {};
}

InputError describe_input_error(const std::string& path, const Error& error,
                                std::uint64_t file_bytes) {
  return file_error(path, error, file_bytes, "report");
}

InputError describe_snapshot_error(const std::string& path, const Error& error,
                                   std::uint64_t file_bytes) {
  return file_error(path, error, file_bytes, "snapshot");
}

InputError describe_missing_report(const std::string& path) {
  return named(path, {ExitCode::kBadInput,
                      "is a snapshot without a report inside; 'holdfast analyze' makes one of it"});
}

InputError describe_embedded_error(const std::string& path, const Error& error,
                                   std::uint64_t image_bytes) {
  InputError found = content_error(path, error, image_bytes, "report");
  found.text = "the report inside " + found.text;
  return named(path, found);
}

InputError describe_image_error(const std::string& path, const Error& error,
                                std::uint64_t image_bytes) {
  if (error.code == ErrorCode::kNotOurs)  // not sniffed at: who named the file is not trusted
    return named(path, {ExitCode::kBadInput, "is not a holdfast report"});
  return named(path, content_error(path, error, image_bytes, "report"));
}

}  // namespace holdfast::cli
