// The heap of a CLR as a debugger's library reads it from outside, and whether a snapshot of the same quiet process shows the same.
// Why: such a reader shares nothing with a capture, neither the runtime's interfaces nor our code.
// Shape:  one row an object. Objects have no number in common, so they are compared by colour: at depth 0 class and bytes, at each
//         further depth also the colours of all referents. Equal multisets of colours at the last depth mean that every object has
//         its counterpart with the same references to counterparts. O(depths (n + m)).
// Zone:   offline.   Errors: nothing, where the file is not what tests/dotnet/programs/Inspector writes (GraphFile.cs).
// Source: colour refinement (Weisfeiler and Leman).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

struct DebuggerHeap {
  struct Object {
    std::uint64_t address = 0;
    std::uint64_t shallow_bytes = 0;
    std::uint32_t type = 0;
    bool reached = false;                    // from the roots that the library knows
    std::vector<std::uint32_t> referents{};  // a dependent handle's value too, with its key
  };
  std::vector<std::string> types{};
  std::vector<Object> objects{};
};

std::optional<DebuggerHeap> read_debugger_heap(std::span<const std::byte> file);

inline constexpr int kDebuggerDepths = 24;
inline constexpr std::size_t kMostDebuggerLines = 20;

struct DebuggerComparison {
  struct Depth {
    std::uint64_t alike = 0;
    std::uint64_t only_in_snapshot = 0;
    std::uint64_t only_reached = 0;  // only the debugger has them, and its roots reach them
    std::uint64_t only_unreached =
        0;  // garbage, or held by what the library does not know as a root
  };
  std::vector<Depth> depths{};
  std::vector<std::string> lines{};  // of the first depth with differences, class by class

  // Objects without a counterpart, unreached ones left out, at the depth that has most of them.
  std::uint64_t most_different() const;
  bool same() const { return most_different() == 0 && depths.back().alike > 0; }
};

// At kDebuggerDepths depths after depth 0.
DebuggerComparison compare_with_debugger(const Snapshot& snapshot, const DebuggerHeap& debugger);

}  // namespace holdfast::analysis::lab
