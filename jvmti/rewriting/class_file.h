// A class file, seen as stretches of bytes: which of them is the constant pool, a field, a method, an attribute.
// Why a view: most of a class stays as it is. Whoever changes one copies the stretches and puts new bytes between them: fields
//      after `fields`, methods after `methods` (the counts stand before them), constants after `pool`.
// Shape:  all lengths are checked once, so that members and attributes can be walked without looking back. 4 B of scratch a constant.
//         file = head | pool | middle | fields | methods | tail.
// Zone:   event, offline.   Errors: kMalformedClass, kOtherVersion, kNoScratch.
// Source: The Java Virtual Machine Specification, sections 4.1 to 4.7.
#pragma once

#include <cstdint>

#include "jvmti/rewriting/constant_pool.h"

namespace holdfast::jvmti {

inline constexpr std::uint16_t kOldestMajor = 45;  // JDK 1.0
inline constexpr std::uint16_t kLastOldCodeMinor =
    2;  // up to 45.2 a code's limits have other widths
inline constexpr std::uint16_t kNewestMajor =
    72;  // JDK 28; nothing is known of what later ones may add
inline constexpr std::uint16_t kFramesMajor = 50;      // from here on a code has stack map frames
inline constexpr std::uint16_t kFramesOnlyMajor = 51;  // and from here on must have them

inline constexpr std::uint16_t kAccPrivate = 0x0002;
inline constexpr std::uint16_t kAccStatic = 0x0008;
inline constexpr std::uint16_t kAccFinal = 0x0010;
inline constexpr std::uint16_t kAccNative = 0x0100;
inline constexpr std::uint16_t kAccAbstract = 0x0400;

struct Member {
  std::uint16_t access = 0;
  std::string_view name;
  std::string_view descriptor;
  Bytes bytes;       // all of it
  Bytes attributes;  // behind attributes_count
  std::uint16_t attribute_count = 0;
};

struct Attribute {
  std::uint16_t name_index = 0;
  std::string_view name;
  Bytes bytes;  // with name and length
  Bytes content;
};

class ClassFile {
 public:
  LeftAlone read(Bytes file, Scratch& scratch) noexcept;

  const ConstantPool& pool() const noexcept { return pool_; }
  std::uint16_t major() const noexcept { return major_; }
  std::uint16_t this_index() const noexcept { return this_index_; }
  std::string_view name() const noexcept { return pool_.class_name(this_index_); }
  std::string_view super_name() const noexcept { return pool_.class_name(super_index_); }

  Bytes head() const noexcept { return head_; }              // up to constant_pool_count
  Bytes pool_bytes() const noexcept { return pool_bytes_; }  // behind it
  Bytes middle() const noexcept { return middle_; }          // access flags, names, interfaces
  std::uint16_t field_count() const noexcept { return field_count_; }
  Bytes fields() const noexcept { return fields_; }
  std::uint16_t method_count() const noexcept { return method_count_; }
  Bytes methods() const noexcept { return methods_; }
  Bytes tail() const noexcept { return tail_; }  // the class' own attributes, with their count

  // The next of `fields()` or `methods()`.
  Member read_member(ByteReader& reader) const noexcept;
  Attribute read_attribute(ByteReader& reader) const noexcept;

 private:
  std::uint16_t read_members(ByteReader& reader, Bytes& out) const noexcept;

  ConstantPool pool_;
  Bytes file_, head_, pool_bytes_, middle_, fields_, methods_, tail_;
  std::uint16_t major_ = 0;
  std::uint16_t this_index_ = 0;
  std::uint16_t super_index_ = 0;
  std::uint16_t field_count_ = 0;
  std::uint16_t method_count_ = 0;
};

}  // namespace holdfast::jvmti
