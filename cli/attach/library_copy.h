// The agent's library where the process can open it: our own file, or a copy in the process' file system.
// Shape:  a copy lives in a new directory of a random name and mode 0700, in the first that will do of /tmp, /var/tmp, /dev/shm and the
//         working directory, for as long as this object: a loaded library needs its file no more. No link of the other's is followed,
//         and with a borrowed identity everything belongs to the process' user.
// Zone:   offline.
// Errors: exit code 4: no directory will do (the line says of each why); the copy is then removed. What cannot be removed is told by left_behind().
#pragma once

#include <string>

#include "cli/attach/attach_outcome.h"
#include "cli/attach/target.h"
#include "platforms/file.h"

namespace holdfast::cli {

class LibraryCopy {
 public:
  LibraryCopy() = default;
  ~LibraryCopy();
  LibraryCopy(const LibraryCopy&) = delete;
  LibraryCopy& operator=(const LibraryCopy&) = delete;

  // First, as ourselves: the process' user may not be allowed to read our file.
  AttachOutcome read(const std::string& library);
  // Then with the identity of the process' user. path() is valid when it is good.
  AttachOutcome place(const Target& target, const TargetFiles& files);
  const std::string& path() const { return path_; }  // as the process names it
  bool copied() const { return parent_.valid(); }
  void remove();
  const std::string& left_behind() const { return left_behind_; }  // empty, or where

 private:
  std::string try_place(const std::string& directory, platforms::Descriptor at);
  std::string copy_into(platforms::Descriptor parent);
  std::string write_file();
  std::string library_;
  platforms::MappedFile image_;
  std::string path_;
  std::string left_behind_;
  platforms::Descriptor parent_;
  platforms::Descriptor folder_;
  std::string folder_name_;
};

// The outcome, with where a copy was left (empty: nowhere): in its line, or in its note where all else is well.
AttachOutcome with_copy_left(AttachOutcome outcome, const std::string& where);

}  // namespace holdfast::cli
