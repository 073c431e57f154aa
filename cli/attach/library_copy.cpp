#include "cli/attach/library_copy.h"

#include <array>
#include <cerrno>
#include <cstring>

#include "cli/attach/start_words.h"

namespace holdfast::cli {
namespace {

using platforms::Descriptor;

constexpr const char* kFileName = "libholdfast.so";
constexpr std::array<const char*, 3> kPlaces = {"/tmp", "/var/tmp", "/dev/shm"};
constexpr std::size_t kRandomDigits =
    16;  // nobody guesses 64 bits in the milliseconds that the copy lives
// What must be left on the disk afterwards: the application's logs come first.
constexpr std::uint64_t kSpareDiskBytes = std::uint64_t{16} << 20;

std::string random_folder_name() {
  char digits[kRandomDigits + 1] = "";
  if (platforms::random_digits(digits, kRandomDigits) != 0) return {};
  return std::string(".holdfast-") + digits;
}

std::string unfit(int directory, std::uint64_t wanted_bytes) {
  platforms::DirectoryFacts facts;
  if (const int error = platforms::read_directory_facts(directory, facts); error != 0)
    return std::strerror(error);
  if (facts.read_only) return "read-only";
  if (facts.no_exec) return "mounted noexec";
  return facts.free_bytes < wanted_bytes + kSpareDiskBytes ? "too little room" : "";
}

bool usable_as_it_is(const std::string& library, const Target& target) {
  return !target.other_root && platforms::check_readable_file(library.c_str()) == 0 &&
         !platforms::on_no_exec_mount(library.c_str());
}

}  // namespace

AttachOutcome with_copy_left(AttachOutcome outcome, const std::string& where) {
  if (where.empty()) return outcome;
  const std::string note = "a copy of the library was left at " + where;
  if (outcome.good())
    outcome.note = note;
  else
    outcome.text += " (" + note + ")";
  return outcome;
}

LibraryCopy::~LibraryCopy() {
  remove();
  platforms::unmap_file(image_);
}

AttachOutcome LibraryCopy::read(const std::string& library) {
  library_ = path_ = library;
  const int error = platforms::map_file(library.c_str(), image_);
  return error == 0 ? AttachOutcome{} : refused(library + ": " + std::strerror(error));
}

std::string LibraryCopy::write_file() {
  Descriptor out = platforms::create_in(folder_.get(), kFileName, 0600);
  int error = out.error();
  if (error == 0) error = platforms::write_all(out.get(), image_.data, image_.bytes);
  if (error == 0) error = platforms::set_mode(out.get(), 0500);
  return error == 0 ? "" : std::strerror(error);
}

// Why it could not be; empty when it could.
std::string LibraryCopy::copy_into(Descriptor parent) {
  folder_ = platforms::make_directory_in(parent.get(), folder_name_.c_str());
  if (!folder_.valid()) return std::strerror(folder_.error());
  parent_ = std::move(parent);
  std::string problem = write_file();
  if (!problem.empty()) remove();
  return problem;
}

std::string LibraryCopy::try_place(const std::string& directory, Descriptor at) {
  path_ = (directory == "/" ? "" : directory) + '/' + folder_name_ + '/' + kFileName;
  if (!at.valid()) return std::strerror(at.error());
  const std::string problem = unfit(at.get(), image_.bytes);
  return problem.empty() ? copy_into(std::move(at)) : problem;
}

AttachOutcome LibraryCopy::place(const Target& target, const TargetFiles& files) {
  if (usable_as_it_is(library_, target)) return {};
  folder_name_ = random_folder_name();
  if (folder_name_.empty()) return refused("the system has no random numbers");
  std::string reasons;
  const auto fits = [&](const std::string& directory, Descriptor at) {
    const std::string problem = try_place(directory, std::move(at));
    reasons += (reasons.empty() ? "" : "; ") + directory + ": " + problem;
    return problem.empty();
  };
  for (const char* place : kPlaces)
    if (fits(place, platforms::open_directory_strictly(files.root.get(), place))) return {};
  if (!files.working_path.empty() &&
      fits(files.working_path, platforms::open_directory_strictly(files.working.get(), "/")))
    return {};
  return refused("the library can be copied nowhere into the file system of " +
                 named(target.process) + " (" + reasons +
                 "); mount a directory with it there, or start the VM with " +
                 load_at_start_text(target.vm));
}

void LibraryCopy::remove() {
  if (!parent_.valid()) return;
  const int file_error = platforms::remove_in(folder_.get(), kFileName);
  const int error = platforms::remove_directory_in(parent_.get(), folder_name_.c_str());
  const bool gone = (file_error == 0 || file_error == ENOENT) && (error == 0 || error == ENOENT);
  if (!gone) left_behind_ = path_;
  parent_ = Descriptor();
  folder_ = Descriptor();
}

}  // namespace holdfast::cli
