// A file that a command was asked to write: complete or absent, and nothing lost.
// Why some are replaced: whoever analyses again writes to the same name again; but a dump or a letter that stands there by
//      mistake must survive. So only an empty file and what the command itself writes are replaced, and nothing that appeared
//      while the work was done.
// Shape:  made under a name of its own in the same directory, then renamed. A character device (/dev/null) is written to.
// Zone:   offline.   Errors: Stop, with the line and the exit code.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include "cli/exit_code.h"
#include "common/result.h"

namespace holdfast::cli {

// What ends a command early: one line and its exit code.
struct Stop {
  ExitCode code;
  std::string text;
};

class OutputFile {
 public:
  // Makes a new file `name` in `directory`, which is not there yet.
  using Make = std::function<Result<void>(const char* directory, const char* name)>;

  // `mark`: how files of this kind begin.
  OutputFile(std::string option, std::string path, std::string mark)
      : option_(std::move(option)), path_(std::move(path)), mark_(std::move(mark)) {}
  bool wanted() const { return !path_.empty(); }
  void check();  // before minutes of work: can this file be made?
  void write(const Make& make) const;
  bool is_same_as(const OutputFile& other) const;  // but for devices
  std::string said() const { return option_ + " " + path_; }

 private:
  bool replaceable() const;
  void check_place() const;
  void write_device(const std::string& made) const;
  void put(const std::string& made) const;
  void make_in(const std::string& directory, const std::string& name, const Make& make) const;

  std::string option_, path_, mark_;
  bool free_at_first_ = false;  // nothing had the name when check() looked
};

// Of one command. What one writes, the other would refuse to replace when all the work is done.
void check_distinct(std::initializer_list<const OutputFile*> files);

}  // namespace holdfast::cli
