#include "analysis/import/hprof_values.h"

#include <algorithm>

namespace holdfast::analysis {
namespace {

constexpr std::string_view kString = "java.lang.String";
constexpr std::uint8_t kChar = 5;
constexpr std::uint8_t kByte = 8;

void append_utf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | (code >> 18));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// unit(i) answers the i-th of `count` UTF-16 units.
template <class Unit>
std::string from_utf16(std::size_t count, Unit unit) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t high = unit(i);
    if (high < 0xD800 || high > 0xDFFF) {
      append_utf8(text, high);
      continue;
    }
    const std::uint32_t low = i + 1 < count ? unit(i + 1) : 0;
    const bool pair = high < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF;
    append_utf8(text, pair ? 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00) : kReplacement);
    if (pair) ++i;
  }
  return text;
}

}  // namespace

struct HprofValues::Found {
  enum Kind : std::uint8_t { kNothing, kInstance, kPrimitives } kind = kNothing;
  ClassId class_id;
  std::uint8_t type = 0;
  const std::byte* data = nullptr;
  std::uint32_t count = 0;  // bytes of an instance, elements of an array
};

HprofValues::Found HprofValues::locate(std::uint32_t object) const {
  struct Visitor {
    const HprofValues& values;
    std::uint32_t object, wanted;
    Found found;
    bool more(std::uint64_t) const { return object <= wanted; }
    void bad_segment(std::uint64_t, const char*) {}
    void root(const HprofRoot&) {}
    void instance(std::uint64_t, std::uint64_t, std::uint64_t class_id, const std::byte* fields,
                  std::uint32_t bytes) {
      if (object++ == wanted)
        found = {Found::kInstance, values.classes_.find(class_id), 0, fields, bytes};
    }
    void object_array(std::uint64_t, std::uint64_t, std::uint64_t, const std::byte*,
                      std::uint32_t) {
      ++object;
    }
    void primitive_array(std::uint64_t at, std::uint64_t, std::uint8_t type, std::uint32_t count) {
      const unsigned head = 1 + values.survey_.header.id_bytes + 4 + 4 + 1;
      const bool with_data =
          static_cast<HeapTag>(values.survey_.file()[at]) == HeapTag::kPrimitiveArrayDump;
      if (object++ == wanted && with_data)
        found = {Found::kPrimitives, {}, type, &values.survey_.file()[at] + head, count};
    }
    void class_dump(std::uint64_t, const ClassDump&) { ++object; }
  };
  const HprofPlace from = survey_.place_before(object);
  Visitor visitor{*this, from.object, object, {}};
  const std::span<const HeapSegment> segments = survey_.segments.span();
  for (std::size_t s = from.segment; s < segments.size() && visitor.object <= object; ++s)
    walk_segment(survey_.file(), s == from.segment ? from.at : segments[s].begin, segments[s].end,
                 survey_.header.id_bytes, visitor);
  return visitor.found;
}

const std::byte* HprofValues::field(const Found& instance, FieldName name,
                                    std::uint8_t& type) const {
  const unsigned id = survey_.header.id_bytes;
  std::uint64_t at = 0;
  const std::byte* found = nullptr;
  for (ClassId c = instance.class_id; c.valid() && found == nullptr;
       c = classes_.superclass[c.value]) {
    if (c.value >= classes_.dumped()) break;
    const bool declares = classes_.names[c.value] == name.declared_in;
    visit_fields(survey_.file(), survey_.class_dump(c.value), id,
                 [&](std::uint64_t name_id, std::uint8_t field_type) {
                   const unsigned bytes = hprof_type_bytes(field_type, id);
                   if (declares && found == nullptr && at + bytes <= instance.count &&
                       survey_.text(name_id) == name.name) {
                     found = instance.data + at;
                     type = field_type;
                   }
                   at += bytes;
                 });
  }
  return found;
}

std::uint32_t HprofValues::referred(const Found& instance, FieldName name) const {
  std::uint8_t type = 0;
  const std::byte* const at = field(instance, name, type);
  return at == nullptr || type != kHprofObject ? ObjectIndex::kNone
                                               : index_.find(load_id(at, survey_.header.id_bytes));
}

std::string HprofValues::string_text(std::uint32_t object) const {
  Found chars = locate(object);
  bool wide = false;
  if (chars.kind == Found::kInstance) {
    std::uint8_t type = 0;
    const std::byte* const coder = field(chars, {kString, "coder"}, type);
    wide = coder != nullptr && type == kByte && *coder != std::byte{0};
    const std::uint32_t value = referred(chars, {kString, "value"});
    if (value == ObjectIndex::kNone) return {};
    chars = locate(value);
  }
  if (chars.kind != Found::kPrimitives) return {};
  if (chars.type == kChar)
    return from_utf16(std::min<std::size_t>(chars.count, kMostNameChars), [&](std::size_t i) {
      return load_big_endian<std::uint16_t>(chars.data + 2 * i);
    });
  if (chars.type != kByte) return {};
  // Compact strings: bytes as they lie in memory, so UTF-16 is in the machine's order (little endian where JDK 9 and later run).
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(chars.data[i]); };
  if (wide)
    return from_utf16(std::min<std::size_t>(chars.count / 2, kMostNameChars),
                      [&](std::size_t i) { return byte(2 * i) | byte(2 * i + 1) << 8; });
  return from_utf16(std::min<std::size_t>(chars.count, kMostNameChars), byte);
}

std::string HprofValues::text_field(std::uint32_t object, std::string_view declared_in,
                                    std::string_view name) const {
  if (object >= survey_.object_count()) return {};
  const Found instance = locate(object);
  if (instance.kind != Found::kInstance) return {};
  const std::uint32_t text = referred(instance, {declared_in, name});
  if (text == ObjectIndex::kNone) return {};
  std::string found = string_text(text);
  // Dumps that were made without contents have zeros there.
  const bool contents = found.find_first_not_of('\0') != std::string::npos;
  return contents ? found : std::string();
}

}  // namespace holdfast::analysis
