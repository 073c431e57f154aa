// How the graphs of two captures of the same heap may differ: what is an error, and what the two rungs are allowed.
// Why a list of allowed ones: the VM's standard interface hides some references that a trace of the memory finds. Each such kind is
//      named and counted, so that nothing else can hide behind it.
// Shape:  a count for each kind; the first kMostLines of each kind have a line of text.
// Zone:   offline.   Errors: none.
// Source: JVMTI specification, heap reference kinds; HotSpot jvmtiTagMap (what FollowReferences leaves out).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::analysis::lab {

enum class GraphDifference : std::uint8_t {
  // Errors.
  kClass,
  kShallowBytes,
  kReferenceOnlyInFirst,
  kReferenceOnlyInSecond,
  kTwoPartners,  // the pairs are no bijection
  kConstant,     // a string constant that the resolved constants of the class do not have
  kRootOnlyInFirst,
  kRootOnlyInSecond,
  kObjectOnlyInFirst,  // and not through a root that may differ
  // Allowed.
  kClassObjectField,  // the class object's own instance fields: only in the second
  kInjectedField,  // fields that the VM adds to a class of the runtime library: only in the second
  kUnnamedField,   // fields of classes of the runtime library that the second cannot name
  kUnlinkedClass,  // references of class objects of which the first tells nothing
  kResolvedConstants,  // a class object's array of resolved constants: only in the second
  kConstantClass,      // classes that a class object's constant pool names
  kInternalRoot,       // roots of kind other, and class objects that no other reference shows
  kClassUntold,  // class objects that are roots for their loader's sake, of classes that the second knows nothing of
  kCaptureThread,  // frames and JNI locals of the thread that captures
  kStackChunkReference,  // frames of virtual threads that rest: references of a StackChunk object in the second
  kVirtualThreadLocal,  // the same frames, as roots in the first
  kObjectOnlyInternal,  // only in the first, and only through roots that may differ
  kObjectOnlyInSecond,  // only through what is allowed above: every other reference has its pair
};
inline constexpr std::size_t kGraphDifferenceCount = 22;

constexpr bool is_error(GraphDifference kind) noexcept {
  return kind < GraphDifference::kClassObjectField;
}
std::string_view graph_difference_name(GraphDifference kind) noexcept;

class GraphDifferences {
 public:
  static constexpr std::uint64_t kMostLines = 12;
  struct Line {
    GraphDifference kind;
    std::string text;
  };

  void add(GraphDifference kind, std::uint64_t count = 1) { counts_[index(kind)] += count; }
  // `text` makes the line, when there is room for one.
  template <class Text>
  void tell(GraphDifference kind, Text&& text) {
    if (counts_[index(kind)]++ < kMostLines) lines_.push_back({kind, text()});
  }
  std::uint64_t count(GraphDifference kind) const { return counts_[index(kind)]; }
  std::uint64_t errors() const;
  const std::vector<Line>& lines() const { return lines_; }

 private:
  static std::size_t index(GraphDifference kind) { return static_cast<std::size_t>(kind); }
  std::array<std::uint64_t, kGraphDifferenceCount> counts_{};
  std::vector<Line> lines_;
};

}  // namespace holdfast::analysis::lab
