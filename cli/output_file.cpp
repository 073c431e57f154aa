#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
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

// By a link such as /dev/stdout, or by its own name. Replaced, it would take with it what is still to be written there.
bool is_standard_stream(const std::string& path) {
  struct stat named {
  }, open{};
  if (::stat(path.c_str(), &named) != 0) return false;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
    if (::fstat(descriptor, &open) == 0 && open.st_dev == named.st_dev &&
        open.st_ino == named.st_ino)
      return true;
  return false;
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

void check_distinct(std::initializer_list<const OutputFile*> files) {
  for (const OutputFile* const* one = files.begin(); one != files.end(); ++one)
    for (const OutputFile* const* other = files.begin(); other != one; ++other)
      if ((*one)->wanted() && (*one)->is_same_as(**other))
        throw Stop{ExitCode::kWrongUsage, (*one)->said() + ": is written by " + (*other)->said() +
                                              " as well; another name is wanted"};
}

bool OutputFile::is_same_as(const OutputFile& other) const {
  std::error_code ignored;
  if (!other.wanted() || fs::is_character_file(path_, ignored)) return false;
  return fs::weakly_canonical(path_, ignored) == fs::weakly_canonical(other.path_, ignored);
}

bool OutputFile::replaceable() const {
  std::string start(mark_.size(), '\0');
  std::ifstream file(path_, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start.empty() || start == mark_;
}

void OutputFile::check() {
  if (!wanted()) return;
  check_place();
  std::error_code ignored;
  free_at_first_ = !fs::exists(fs::symlink_status(path_, ignored));
}

void OutputFile::check_place() const {
  std::error_code ignored;
  if (fs::is_character_file(path_, ignored)) return;
  if (is_standard_stream(path_))
    throw Stop{ExitCode::kWrongUsage,
               said() + ": is standard output or error; the name of another file is wanted"};
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

void OutputFile::write_device(const std::string& made) const {
  platforms::MappedFile content;
  int error = platforms::map_file(made.c_str(), content);
  const int device = error == 0 ? ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1;
  if (error == 0 && device < 0) error = errno;
  if (error == 0) error = platforms::write_all(device, content.data, content.bytes);
  if (device >= 0) {
    const int synced = platforms::sync_and_close(device);
    if (error == 0) error = synced;
  }
  platforms::unmap_file(content);
  if (error != 0) throw Stop{ExitCode::kRefused, said() + ": " + std::strerror(error)};
}

// The name may have been taken since check(): minutes of work lie between.
void OutputFile::put(const std::string& made) const {
  check_place();
  int error = 0;
  if (free_at_first_)
    error = platforms::publish_file(made.c_str(), path_.c_str());
  else if (::rename(made.c_str(), path_.c_str()) != 0)
    error = errno;
  if (error == EEXIST)
    throw Stop{ExitCode::kRefused,
               said() + ": has appeared meanwhile, so it is not replaced; another name is wanted"};
  if (error != 0) throw Stop{ExitCode::kRefused, said() + ": " + std::strerror(error)};
}

void OutputFile::write(const Make& make) const {
  if (!wanted()) return;
  std::error_code ignored;
  const bool device = fs::is_character_file(path_, ignored);
  const fs::path directory = device ? fs::temp_directory_path() : directory_of(path_);
  const fs::path made = directory / working_name(path_);
  struct Removed {
    const fs::path& path;
    ~Removed() {
      std::error_code gone;
      fs::remove(path, gone);
    }
  } const removed{made};
  make_in(directory.string(), made.filename().string(), make);
  if (device)
    write_device(made.string());
  else
    put(made.string());
}

}  // namespace holdfast::cli
