// Values of single objects of an HPROF dump, for the few names that a report shows: threads' and class loaders'.
// Shape:  an object is found by walking at most HprofSurvey::kSampleEvery sub-records from a sample.
// Zone:   offline.   Errors: none; what is not there or not of the expected shape is an empty text.
#pragma once

#include <string>
#include <string_view>

#include "analysis/import/hprof_classes.h"

namespace holdfast::analysis {

class HprofValues {
 public:
  static constexpr std::size_t kMostNameChars = 1024;

  HprofValues(const HprofSurvey& survey, const HprofClasses& classes, const ObjectIndex& index)
      : survey_(survey), classes_(classes), index_(index) {}
  // The text of the field that the class `declared_in` gives `object`: a String, or a char[] as old JDKs have it. Subclasses
  // may have fields of the same name.
  std::string text_field(std::uint32_t object, std::string_view declared_in,
                         std::string_view field) const;

 private:
  struct Found;
  Found locate(std::uint32_t object) const;
  struct FieldName {
    std::string_view declared_in, name;
  };
  const std::byte* field(const Found& instance, FieldName name, std::uint8_t& type) const;
  std::uint32_t referred(const Found& instance, FieldName name) const;
  std::string string_text(std::uint32_t object) const;

  const HprofSurvey& survey_;
  const HprofClasses& classes_;
  const ObjectIndex& index_;
};

}  // namespace holdfast::analysis
