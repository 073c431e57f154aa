// The constant pool of a class file: where each entry lies, and what names it holds.
// Why only places are kept: the entries stay where they are, in the class file; nothing is copied.
// Shape:  4 B an entry in scratch. Index 0 and the second half of longs and doubles have tag 0. Whatever is asked of an entry of
//         another kind, or of none, is empty: nothing here can be led outside.
// Zone:   event, offline.   Errors: kMalformedClass, kNoScratch.
// Source: The Java Virtual Machine Specification, section 4.4.
#pragma once

#include <cstdint>
#include <string_view>

#include "jvmti/rewriting/big_endian.h"
#include "jvmti/rewriting/left_alone.h"
#include "jvmti/rewriting/scratch.h"

namespace holdfast::jvmti {

enum PoolTag : std::uint8_t {
  kPoolNothing = 0,
  kPoolUtf8 = 1,
  kPoolInteger = 3,
  kPoolLong = 5,
  kPoolDouble = 6,
  kPoolClass = 7,
  kPoolMethod = 10,
  kPoolInterfaceMethod = 11,
  kPoolNameAndType = 12,
  kPoolDynamic = 17,
  kPoolInvokeDynamic = 18,
};

struct MemberReference {
  std::string_view owner;  // empty for invokedynamic
  std::string_view name;
  std::string_view descriptor;
};

// Where the texts stand; 0 and 0 where there are none.
struct NameAndType {
  std::uint16_t name = 0, descriptor = 0;
};

class ConstantPool {
 public:
  // Reads from constant_pool_count on.
  LeftAlone read(Bytes file, ByteReader& reader, Scratch& scratch) noexcept;

  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(places_.size()); }
  std::uint32_t class_count() const noexcept { return class_count_; }  // its Class entries
  std::uint8_t tag(std::uint32_t index) const noexcept {
    return index < count() && places_[index] != 0 ? load_u8(file_, places_[index])
                                                  : std::uint8_t{kPoolNothing};
  }
  std::string_view utf8(std::uint32_t index) const noexcept;
  std::string_view class_name(std::uint32_t index) const noexcept;
  // Of a field, a method, an invokedynamic or a dynamic constant.
  MemberReference reference(std::uint32_t index) const noexcept;
  // Of a method; 0 for anything else.
  std::uint16_t owner_index(std::uint32_t index) const noexcept;
  NameAndType name_and_type(std::uint32_t index) const noexcept;

 private:
  // What an entry refers to must be there: beyond the old constants lie those that are added.
  bool refers_inside(std::uint32_t index) const noexcept;

  // Half 0 or 1 of an entry's operands.
  std::uint32_t operand(std::uint32_t index, std::uint32_t half) const noexcept {
    return load_u16(file_, places_[index] + 1 + std::size_t{half} * 2);
  }

  Bytes file_;
  std::span<std::uint32_t> places_;
  std::uint32_t class_count_ = 0;
};

}  // namespace holdfast::jvmti
