// What Eclipse MAT (1.17, defaults) says of an HPROF dump, by its rules and by nothing else: the oracle for `--like mat`.
// Why apart: it shares no line with analysis/import nor with the passes, so that the same mistake is not made twice. Its
//      dominators are Lengauer and Tarjan's.
// Shape:  one row per reachable object; std containers, about 300 B an object: for tests, not for users.
//         What the rules leave open is decided as hprof_classes.h and object_index.h decide it: 0 names nothing; of objects
//         with one identifier class objects win, then the first; a superclass link that closes a cycle is cut; an instance
//         of a missing class has its header and the bytes in the dump, and no references.
// Zone:   offline.   Errors: std::runtime_error for files that are damaged.
// Source: Eclipse MAT 1.17's behaviour: the 14 rules that `--like mat` stands for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace holdfast::analysis::lab {

inline constexpr std::size_t kMatRules = 14;

struct MatRow {
  static constexpr std::uint64_t kVirtualRoot = UINT64_MAX;  // 0 is the boot loader's address
  std::uint64_t address = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  std::uint64_t dominator = kVirtualRoot;  // address of the immediate dominator
  std::uint32_t class_name = 0;            // into MatHeap::class_names
  bool is_class_object = false;
};

struct MatHeap {
  std::uint64_t pointer_bytes = 0, reference_bytes = 0, alignment = 0;  // rules 1 and 2
  std::vector<MatRow> rows;                                             // by address
  std::vector<std::string> class_names;
  // How many objects of the dump each rule decides something about, [rule - 1]; see mat_rule_text().
  std::array<std::uint64_t, kMatRules> touched{};
  std::uint64_t held_bytes = 0;

  const MatRow* find(std::uint64_t address) const;
  // Rule 13, minimum: the retained sizes of the class's instances that no other of them dominates.
  std::uint64_t minimum_retained_bytes(const std::string& class_name) const;
  // Rule 14, single objects: the root's children with more than `share` of the heap, the largest first.
  std::vector<std::uint64_t> large_children(double share) const;
  // Rule 14: the first object on the way down from `address` whose largest child retains less than 0.7 of it.
  std::uint64_t accumulation_point(std::uint64_t address) const;
};

// What touched[rule - 1] counts, in few words.
const char* mat_rule_text(std::size_t rule);

MatHeap mat_oracle(std::span<const std::byte> file);

}  // namespace holdfast::analysis::lab
