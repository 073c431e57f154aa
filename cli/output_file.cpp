#include "cli/output_file.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "platforms/file.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

fs::path directory_of(const std::string& path) {
  const fs::path where(path);
  return where.has_parent_path() ? where.parent_path() : fs::path(".");
}

Stop failed(const std::string& what, const Error& error) {
  const std::string detail = error.code == ErrorCode::kIo
                                 ? std::strerror(static_cast<int>(error.detail))
                                 : std::string(error_text(error.code));
  return {error.code == ErrorCode::kInconsistent ? ExitCode::kOurFault : ExitCode::kRefused,
          what + ": " + detail};
}

// Of this process, so that two of them do not meet; with the ending, by which leftovers are known.
std::string working_name(const fs::path& path) {
  return "." + path.stem().string() + "." + std::to_string(::getpid()) + path.extension().string();
}

}  // namespace

bool OutputFile::replaceable() const {
  std::string start(mark_.size(), '\0');
  std::ifstream file(path_, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start.empty() || start == mark_;
}

void OutputFile::check() const {
  if (!wanted()) return;
  std::error_code ignored;
  if (fs::is_character_file(path_, ignored)) return;
  if (fs::path(path_).filename().empty() || fs::is_directory(path_, ignored))
    throw Stop{ExitCode::kWrongUsage, said() + ": the name of a file is wanted"};
  if (fs::exists(path_, ignored) && !(fs::is_regular_file(path_, ignored) && replaceable()))
    throw Stop{
        ExitCode::kRefused,
        said() + ": exists and is none of ours, so it is not replaced; another name is wanted"};
  if (const int error = platforms::check_directory_writable(directory_of(path_).c_str());
      error != 0)
    throw Stop{ExitCode::kRefused, said() + ": " + std::strerror(error)};
}

void OutputFile::make_in(const std::string& directory, const std::string& name,
                         const Make& make) const {
  std::error_code ignored;
  fs::remove(fs::path(directory) / name, ignored);  // a process of the same number left it
  if (const auto made = make(directory.c_str(), name.c_str()); !made)
    throw failed(said(), made.error());
}

void OutputFile::write(const Make& make) const {
  if (!wanted()) return;
  std::error_code error;
  const bool device = fs::is_character_file(path_, error);
  const fs::path directory = device ? fs::temp_directory_path() : directory_of(path_);
  const fs::path made = directory / working_name(path_);
  make_in(directory.string(), made.filename().string(), make);
  if (device) {
    std::ofstream(path_, std::ios::binary) << std::ifstream(made, std::ios::binary).rdbuf();
    fs::remove(made, error);
    return;
  }
  fs::rename(made, path_, error);
  if (!error) return;
  const std::string reason = error.message();
  fs::remove(made, error);
  throw Stop{ExitCode::kRefused, said() + ": " + reason};
}

}  // namespace holdfast::cli
