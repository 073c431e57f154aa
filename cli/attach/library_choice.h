// Which libholdfast.so goes into a process, and whether it fits there.
// Shape:  what was asked for (--library, else $HOLDFAST_LIB); else the first that is there of: beside this command, ../lib, ../lib64,
//         ../lib/holdfast and ../lib/x86_64-linux-gnu (or this machine's) from there, /usr/local/lib, /usr/local/lib/holdfast,
//         /usr/lib, /usr/lib/holdfast, /opt/holdfast, /opt/holdfast/lib.
// Zone:   offline.
// Errors: exit code 2: no such file, or no library anywhere (the line says where was looked); 3: not an ELF file; 4: another machine
//         or another libc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/attach/attach_outcome.h"
#include "cli/attach/target.h"
#include "platforms/elf_file.h"

namespace holdfast::cli {

enum class LibrarySource : std::uint8_t { kUsualPlace, kOption, kVariable };

struct LibraryChoice {
  std::string path;  // absolute, without links
  platforms::ElfFacts facts;
  AttachOutcome refusal;
  LibrarySource source = LibrarySource::kUsualPlace;
};
// `asked`: empty for nothing. `command_directory`: where this command is.
LibraryChoice choose_library(const std::string& asked, const std::string& command_directory);
std::string own_directory();

// Is it made for this process' machine and libc?
AttachOutcome check_fit(const LibraryChoice& library, const Target& target,
                        const platforms::ElfFacts& program);

}  // namespace holdfast::cli
