// How many bytes an array takes, learnt from what the VM has answered for others.
// Why: a VM of JVMPI reports an array's size only when it is asked for that very array, one call
//      each; the dump of [Thesis] (docs/bibliography.md) spends most of its time on such calls.
//      Header, width of an element and alignment say the same, and no call reports them
//      (docs/decisions/048-jvmpi-sizes-and-last-values.md).
// Shape:  bytes == round up(header + std::uint64_t{length} * width, alignment). For each type of elements all rules that agree with every answer so far;
//         where they agree on a length, too, of() answers, else the VM is to be asked and learn() told. The true rule is never dropped, so
//         an answer is never wrong; some ten questions a type are enough.
//         Widths of a reference: 4 and 8, whatever an id has (compressed references). 1 KB, O(rules).
// Zone:   capture (inline).
// Errors: of() answers 0: ask. A VM whose sizes follow no such rule is asked for each array.
#pragma once

#include <array>
#include <cstdint>

#include "jvmpi/records/value_type.h"

namespace holdfast::jvmpi {

class ArraySizes {
 public:
  // 0: not known.
  std::uint64_t of(ValueType element, std::uint32_t length) const noexcept {
    std::uint64_t all = 0;
    for (const Rule& rule : rules_of(element)) {
      if (!rule.holds()) continue;
      const std::uint64_t least = rule.bytes(rule.least_header, length);
      if (least != rule.bytes(rule.most_header, length) || (all != 0 && all != least)) return 0;
      all = least;
    }
    return all;
  }
  void learn(ValueType element, std::uint32_t length, std::uint64_t bytes) noexcept {
    for (Rule& rule : rules_[index_of(element)]) rule.learn(length, bytes);
  }

 private:
  static constexpr std::uint64_t kMostHeaderBytes = 64;

  struct Rule {
    std::uint64_t width = 0;
    std::uint64_t alignment = 1;
    std::uint64_t least_header = 1;
    std::uint64_t most_header = 0;

    bool holds() const noexcept { return least_header <= most_header; }
    std::uint64_t bytes(std::uint64_t header, std::uint32_t length) const noexcept {
      const std::uint64_t used = header + std::uint64_t{length} * width;
      return (used + alignment - 1) / alignment * alignment;
    }
    void learn(std::uint32_t length, std::uint64_t told) noexcept {
      const std::uint64_t elements = std::uint64_t{length} * width;
      if (told % alignment != 0 || told < elements) return drop();
      const std::uint64_t most = told - elements;
      const std::uint64_t least = most < alignment ? 0 : most - alignment + 1;
      if (least > least_header) least_header = least;
      if (most < most_header) most_header = most;
    }
    void drop() noexcept {
      least_header = 1;
      most_header = 0;
    }
  };
  static constexpr std::array<std::uint64_t, 3> kAlignments{4, 8, 16};
  static constexpr std::size_t kMostWidths = 2;
  using Rules = std::array<Rule, kAlignments.size() * kMostWidths>;
  static constexpr std::size_t kTypes = 12;

  static constexpr std::size_t index_of(ValueType type) noexcept {
    return static_cast<std::size_t>(type);
  }
  static constexpr Rules rules_for(ValueType type) noexcept {
    Rules rules;
    std::size_t next = 0;
    for (const std::uint64_t alignment : kAlignments)
      for (const std::size_t id_bytes : {std::size_t{4}, std::size_t{8}}) {
        if (id_bytes != 4 && type != ValueType::kReference) continue;
        rules[next++] = Rule{value_bytes(type, id_bytes), alignment, 1, kMostHeaderBytes};
      }
    return rules;
  }
  static constexpr std::array<Rules, kTypes> all_rules() noexcept {
    std::array<Rules, kTypes> all;
    for (std::size_t type = 0; type < kTypes; ++type)
      all[type] = rules_for(value_type_of(static_cast<std::uint8_t>(type)));
    return all;
  }
  const Rules& rules_of(ValueType type) const noexcept { return rules_[index_of(type)]; }

  std::array<Rules, kTypes> rules_ = all_rules();
};

}  // namespace holdfast::jvmpi
