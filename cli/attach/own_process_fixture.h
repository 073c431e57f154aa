// This process, in the place of one with a .NET runtime in it whose socket lies in a directory of the test's own.
// Zone:   tests.   Errors: the test ends.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "cli/attach/diagnostics_name.h"
#include "cli/attach/diagnostics_socket.h"
#include "platforms/process.h"
#include "platforms/scratch_for_test.h"

namespace holdfast::cli {

struct OwnProcess {
  static constexpr std::uint64_t kMillisecond = 1'000'000;
  static constexpr std::uint64_t kAmple = 20'000 * kMillisecond;

  platforms::ScratchDirectory scratch;
  Target target;
  TargetFiles files;

  OwnProcess() {
    REQUIRE(platforms::read_other_process(platforms::process_id(), target.process) == 0);
    REQUIRE(open_target_files(target.process, files) == 0);
    target.vm = VmKind::kCoreClr;
    target.dotnet.temporary = scratch.path();
  }
  std::string socket() const { return scratch.file(diagnostics_name(target.process)); }
};

}  // namespace holdfast::cli
