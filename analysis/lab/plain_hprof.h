// An HPROF file read in the plainest way, for the oracle: everything copied out, nothing clever, nothing shared with import/.
// Shape:  vectors in file order; about 100 B an object beside the file. Well-formed files only.
// Zone:   offline.   Errors: std::runtime_error with the offset, at the first thing that makes no sense.
// Source: HPROF agent manual (hprof_b_spec.h of OpenJDK 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace holdfast::analysis::lab {

struct PlainField {
  std::string name;
  std::uint8_t type = 0;
  std::uint64_t bits = 0;  // of a static field: its value
};

struct PlainClass {
  std::uint64_t id = 0, super = 0, loader = 0;
  std::uint64_t instance_bytes = 0;
  std::vector<PlainField> statics, fields;
  std::string name;  // as the file has it, '/' made '.'
};

enum class PlainKind : std::uint8_t { kClass, kInstance, kObjectArray, kPrimitiveArray };

struct PlainObject {
  PlainKind kind = PlainKind::kInstance;
  std::uint8_t element_type = 0;
  std::uint64_t id = 0;
  std::uint64_t class_id =
      0;  // of instances and object arrays; of a class object: its place in `classes`
  std::uint64_t length = 0;  // elements, or bytes of fields
  std::uint64_t data = 0;    // offset of the fields or elements
};

struct PlainRoot {
  std::uint8_t tag = 0;
  std::uint64_t id = 0;
  std::uint32_t thread_serial = 0;
};

struct PlainHprof {
  std::span<const std::byte> file;
  unsigned id_bytes = 8;
  std::vector<PlainClass> classes;
  std::vector<PlainObject> objects;  // class objects included
  std::vector<PlainRoot> roots;

  unsigned bytes_of(std::uint8_t type) const;
  std::uint64_t number_at(std::uint64_t offset, unsigned bytes) const;
  std::uint64_t id_at(std::uint64_t offset) const { return number_at(offset, id_bytes); }
};

// `file` must outlive what is made.
PlainHprof read_plain_hprof(std::span<const std::byte> file);

}  // namespace holdfast::analysis::lab
