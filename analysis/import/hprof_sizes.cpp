#include "analysis/import/hprof_sizes.h"

#include <algorithm>
#include <numeric>

namespace holdfast::analysis {
namespace {

constexpr std::uint64_t kLeastAlignment = 8;
constexpr std::uint64_t kMostAlignment = 256;
constexpr std::uint64_t kLengthBytes = 4;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

// The greatest common divisor of all distances, which is that of the gaps between sorted addresses.
std::uint64_t alignment_of(std::span<const std::uint64_t> ids) noexcept {
  std::uint64_t first = 0, divisor = 0;
  for (const std::uint64_t id : ids) {
    if (id == 0) continue;
    if (first == 0) first = id;
    divisor = std::gcd(divisor, id > first ? id - first : first - id);
    if (divisor != 0 && divisor <= kLeastAlignment) break;
  }
  return std::clamp(divisor, kLeastAlignment, kMostAlignment);
}

// The least way from an object to the next one in the file, where that lies behind it: no object of the class is larger.
class GapVisitor {
 public:
  static constexpr std::uint64_t kMostObjects = 2'000'000;

  GapVisitor(const HprofSurvey& survey, const HprofClasses& classes, const HprofSizes& sizes)
      : survey_(survey), classes_(classes), sizes_(sizes), least(classes.count(), UINT64_MAX) {}

  bool more(std::uint64_t) const noexcept { return objects_ < kMostObjects; }
  void bad_segment(std::uint64_t, const char*) noexcept { last_id_ = 0; }
  void root(const HprofRoot&) noexcept {}
  void class_dump(std::uint64_t, const ClassDump&) noexcept { last_id_ = 0; }
  void instance(std::uint64_t, std::uint64_t id, std::uint64_t class_id, const std::byte*,
                std::uint32_t) {
    arrive(id);
    last_class_ = classes_.find(class_id);
    if (!last_class_.valid()) last_id_ = 0;
  }
  void object_array(std::uint64_t, std::uint64_t id, std::uint64_t, const std::byte*,
                    std::uint32_t count) {
    arrive_array(id, sizes_.object_array_end(count), object_array_excess);
  }
  void primitive_array(std::uint64_t, std::uint64_t id, std::uint8_t type, std::uint32_t count) {
    const unsigned element = hprof_type_bytes(type, survey_.header.id_bytes);
    arrive_array(id, sizes_.primitive_array_end(count, element), primitive_array_excess);
  }

  // By which the end of an array passes the next object.
  std::uint64_t object_array_excess = 0, primitive_array_excess = 0;

 private:
  void arrive_array(std::uint64_t id, std::uint64_t end, std::uint64_t& excess) {
    arrive(id);
    last_class_ = ClassId{};
    last_end_ = end;
    last_excess_ = &excess;
  }
  void arrive(std::uint64_t id) {
    ++objects_;
    const std::uint64_t gap = id - last_id_;
    if (last_id_ != 0 && id > last_id_) {
      if (last_class_.valid())
        least[last_class_.value] = std::min(least[last_class_.value], gap);
      else if (last_end_ > gap)
        *last_excess_ = std::max(*last_excess_, last_end_ - gap);
    }
    last_id_ = id;
  }

  const HprofSurvey& survey_;
  const HprofClasses& classes_;
  const HprofSizes& sizes_;
  std::uint64_t objects_ = 0, last_id_ = 0, last_end_ = 0;
  std::uint64_t* last_excess_ = nullptr;
  ClassId last_class_;

 public:
  std::vector<std::uint64_t> least;  // [class]
};

}  // namespace

HeapLayout heap_layout(const HprofSurvey& survey) noexcept {
  HeapLayout layout;
  layout.pointer_bytes = survey.header.id_bytes;
  layout.reference_bytes = survey.wide_references_impossible ? 4 : layout.pointer_bytes;
  layout.alignment = alignment_of(survey.ids.span());
  return layout;
}

HprofSizes::HprofSizes(const HprofSurvey& survey, const HprofClasses& classes,
                       const HeapLayout& layout)
    : layout_(layout),
      header_(layout.pointer_bytes + layout.reference_bytes),
      array_header_(header_ + kLengthBytes),
      primitive_header_(rounded(header_ + kLengthBytes, layout.reference_bytes)) {
  const unsigned id = survey.header.id_bytes;
  const auto bytes_of = [&](std::uint8_t type) {
    return type == kHprofObject ? layout.reference_bytes : hprof_type_bytes(type, id);
  };
  std::vector<std::uint64_t> chain(classes.count(), 0);
  for (const std::uint32_t c : classes.from_the_top()) {
    const ClassId super = classes.superclass[c];
    std::uint64_t own = 0;
    for (std::uint32_t f = classes.first_field_type[c]; f < classes.first_field_type[c + 1]; ++f)
      own += bytes_of(classes.field_types[f]);
    if (super.valid())
      chain[c] = rounded(own + chain[super.value], layout.reference_bytes);
    else
      chain[c] = header_ + (classes.lacks_superclass(c)
                                ? rounded(own + classes.missing_bytes(c), layout.reference_bytes)
                                : 0);
  }
  for (std::uint32_t c = 0; c < classes.count(); ++c)
    instances_.push_back(layout_.aligned(chain[c]));
  class_objects_.assign(classes.count(), 0);
  for (std::uint32_t c = 0; c < classes.dumped(); ++c) {
    const ClassDump dump = survey.class_dump(c);
    std::uint64_t statics = 0;
    visit_values(
        survey.file(), dump.statics, dump.static_count, id, id,
        [&](std::uint64_t, std::uint8_t type, const std::byte*) { statics += bytes_of(type); });
    class_objects_[c] = layout_.aligned(statics);
  }
}

void HprofSizes::correct(const HprofSurvey& survey, const HprofClasses& classes) {
  GapVisitor gaps(survey, classes, *this);
  for (const HeapSegment& segment : survey.segments.span())
    walk_segment(survey.file(), segment.begin, segment.end, survey.header.id_bytes, gaps);
  for (std::uint32_t c = 0; c < classes.count(); ++c)
    instances_[c] = std::min(instances_[c], gaps.least[c]);
  // Compact object headers: 4 bytes less before the length, 8 with wide references.
  const auto lower = [&](std::uint64_t& header, std::uint64_t by) {
    by = rounded(by, kLengthBytes);
    if (by <= header_) header -= by;
  };
  lower(array_header_, gaps.object_array_excess);
  lower(primitive_header_, gaps.primitive_array_excess);
  const ClassId of_classes = classes.named("java.lang.Class");
  for (std::uint32_t c = 0; c < classes.dumped() && of_classes.valid(); ++c)
    class_objects_[c] += instances_[of_classes.value];
}

}  // namespace holdfast::analysis
