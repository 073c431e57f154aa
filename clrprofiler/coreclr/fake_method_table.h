// For tests only: a class as it stands in memory, with what the collector knows of it below.
// Shape:  flags and base size at 0, what leads to its EEClass at 8; that says whose it is at 0.
// Zone:   tests.   Errors: none; tests break what they want to.
#pragma once

#include <array>
#include <vector>

#include "clrprofiler/coreclr/runtime_layout.h"

namespace holdfast::clr {

class FakeMethodTable {
 public:
  static constexpr std::uint32_t kReferences = 0x01000000u, kComponents = 0x80000000u;

  // `description`: words below the class, downwards.
  FakeMethodTable(std::uint32_t flags, std::uint32_t base_bytes,
                  std::vector<std::uint64_t> description = {}) {
    words[kTable] = flags | std::uint64_t{base_bytes} << 32;
    words[kTable + 1] = reinterpret_cast<std::uintptr_t>(&shared);
    shared[0] = address();
    for (std::size_t i = 0; i < description.size(); ++i) words[kTable - 1 - i] = description[i];
  }
  FakeMethodTable(const FakeMethodTable&) = delete;
  FakeMethodTable& operator=(const FakeMethodTable&) = delete;

  // Two references at 8 and 16, and none.
  static std::vector<std::uint64_t> two_references() {
    return {1, 8, static_cast<std::uint64_t>(-16)};
  }
  Address address() const { return reinterpret_cast<std::uintptr_t>(&words[kTable]); }
  void share_code_of(const FakeMethodTable& other) { words[kTable + 1] = other.address() | 1; }

  static void lay_out(RuntimeLayout& layout) {
    layout.mark_bits = 7;
    layout.component_count = 8;
    layout.class_shared = 8;
    layout.shared_class = 0;
  }

  static constexpr std::size_t kTable = 6;
  std::array<std::uint64_t, 8> words{};
  std::array<std::uint64_t, 1> shared{};  // its EEClass
};

}  // namespace holdfast::clr
