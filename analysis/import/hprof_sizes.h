// Shallow sizes of the objects of an HPROF dump, which has none: Eclipse MAT's rules, and what addresses prove beyond them.
// Shape:  P identifier bytes; R reference bytes; A alignment. Per class one instance size; arrays by formula:
//           instance    alignUp(chain, A),  chain(Object) = P + R,  chain(C) = alignUp(own fields + chain(super), R)
//           Object[n]   alignUp(P + R + 4 + n R, A)            e[n]  alignUp(alignUp(P + R + 4, R) + n e, A)
//           class       alignUp(static fields, A)
//         Truer than these (MAT does not do it): no object is larger than the way to the object behind it. What that
//         disproves is lowered: instance sizes class by class, array headers by 4 or 8 bytes (compact object headers, and
//         compressed class pointers with wide references), those of references and of primitives each by itself.
// Zone:   offline.   Errors: none.
// Source: Eclipse MAT 1.17's behaviour, checked against its results on six dumps (rules 1 to 5).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/import/hprof_classes.h"

namespace holdfast::analysis {

struct HeapLayout {
  std::uint64_t pointer_bytes = 8;    // P
  std::uint64_t reference_bytes = 8;  // R
  std::uint64_t alignment = 8;        // A

  std::uint64_t aligned(std::uint64_t bytes) const noexcept {
    return (bytes + alignment - 1) / alignment * alignment;
  }
};
// Rules 1 and 2.
HeapLayout heap_layout(const HprofSurvey& survey) noexcept;

class HprofSizes {
 public:
  HprofSizes(const HprofSurvey& survey, const HprofClasses& classes, const HeapLayout& layout);
  // Lowers what the addresses of the dump disprove, and counts java.lang.Class's own fields in class objects.
  void correct(const HprofSurvey& survey, const HprofClasses& classes);

  std::uint64_t instance(ClassId id) const noexcept { return instances_[id.value]; }
  std::uint64_t unknown_instance(std::uint64_t field_bytes) const noexcept {
    return layout_.aligned(header_ + field_bytes);
  }
  std::uint64_t object_array(std::uint64_t length) const noexcept {
    return layout_.aligned(object_array_end(length));
  }
  std::uint64_t primitive_array(std::uint64_t length, unsigned element_bytes) const noexcept {
    return layout_.aligned(primitive_array_end(length, element_bytes));
  }
  // Where the last element ends, without alignment.
  std::uint64_t object_array_end(std::uint64_t length) const noexcept {
    return array_header_ + length * layout_.reference_bytes;
  }
  std::uint64_t primitive_array_end(std::uint64_t length, unsigned element_bytes) const noexcept {
    return primitive_header_ + length * element_bytes;
  }
  std::uint64_t class_object(ClassId id) const noexcept { return class_objects_[id.value]; }
  const HeapLayout& layout() const noexcept { return layout_; }

 private:
  HeapLayout layout_;
  std::uint64_t header_, array_header_, primitive_header_;
  std::vector<std::uint64_t> instances_, class_objects_;  // [class]
};

}  // namespace holdfast::analysis
