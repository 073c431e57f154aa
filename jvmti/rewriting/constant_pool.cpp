#include "jvmti/rewriting/constant_pool.h"

namespace holdfast::jvmti {
namespace {

// Bytes behind the tag; 0: no such tag. A Utf8's text comes on top.
std::size_t operand_bytes(unsigned tag) noexcept {
  switch (tag) {
    case kPoolUtf8:
    case kPoolClass:
    case 8:   // String
    case 16:  // MethodType
    case 19:  // Module
    case 20:  // Package
      return 2;
    case 15:  // MethodHandle
      return 3;
    case kPoolInteger:
    case 4:  // Float
    case 9:  // Fieldref
    case kPoolMethod:
    case kPoolInterfaceMethod:
    case kPoolNameAndType:
    case kPoolDynamic:
    case kPoolInvokeDynamic:
      return 4;
    case kPoolLong:
    case kPoolDouble:
      return 8;
    default:
      return 0;
  }
}

}  // namespace

LeftAlone ConstantPool::read(Bytes file, ByteReader& reader, Scratch& scratch) noexcept {
  file_ = file;
  const std::uint32_t count = reader.u16();
  if (!reader.ok() || count == 0) return LeftAlone::kMalformedClass;
  if (!scratch.make_zeroed(places_, count)) return LeftAlone::kNoScratch;
  for (std::uint32_t i = 1; i < count; ++i) {
    places_[i] = static_cast<std::uint32_t>(reader.at());
    const unsigned tag = reader.u8();
    const std::size_t bytes = operand_bytes(tag);
    if (bytes == 0) return LeftAlone::kMalformedClass;
    if (tag == kPoolUtf8)
      reader.skip(reader.u16());
    else
      reader.skip(bytes);
    if (!reader.ok()) return LeftAlone::kMalformedClass;
    class_count_ += tag == kPoolClass ? 1 : 0;
    if (bytes == 8 && ++i == count) return LeftAlone::kMalformedClass;  // takes two indices
  }
  for (std::uint32_t i = 1; i < count; ++i)
    if (!refers_inside(i)) return LeftAlone::kMalformedClass;
  return LeftAlone::kNo;
}

bool ConstantPool::refers_inside(std::uint32_t index) const noexcept {
  const auto there = [&](std::uint32_t other) { return tag(other) != kPoolNothing; };
  switch (tag(index)) {
    case kPoolClass:
    case 8:   // String
    case 16:  // MethodType
    case 19:  // Module
    case 20:  // Package
      return there(operand(index, 0));
    case 15:  // MethodHandle: a byte tells its kind
      return there(load_u16(file_, places_[index] + std::size_t{2}));
    case 9:  // Fieldref
    case kPoolMethod:
    case kPoolInterfaceMethod:
    case kPoolNameAndType:
      return there(operand(index, 0)) && there(operand(index, 1));
    case kPoolDynamic:
    case kPoolInvokeDynamic:
      return there(operand(index, 1));
    default:
      return true;
  }
}

std::string_view ConstantPool::utf8(std::uint32_t index) const noexcept {
  if (tag(index) != kPoolUtf8) return {};
  const auto* text = reinterpret_cast<const char*>(file_.data() + places_[index] + 3);
  return {text, operand(index, 0)};
}

std::string_view ConstantPool::class_name(std::uint32_t index) const noexcept {
  return tag(index) == kPoolClass ? utf8(operand(index, 0)) : std::string_view{};
}

MemberReference ConstantPool::reference(std::uint32_t index) const noexcept {
  const unsigned kind = tag(index);
  const bool owned = kind >= 9 && kind <= kPoolInterfaceMethod;
  if (!owned && kind != kPoolDynamic && kind != kPoolInvokeDynamic) return {};
  const std::uint32_t type = operand(index, 1);
  if (tag(type) != kPoolNameAndType) return {};
  return {owned ? class_name(operand(index, 0)) : std::string_view{}, utf8(operand(type, 0)),
          utf8(operand(type, 1))};
}

std::uint16_t ConstantPool::owner_index(std::uint32_t index) const noexcept {
  const bool method = tag(index) == kPoolMethod || tag(index) == kPoolInterfaceMethod;
  return method ? static_cast<std::uint16_t>(operand(index, 0)) : std::uint16_t{0};
}

NameAndType ConstantPool::name_and_type(std::uint32_t index) const noexcept {
  if (owner_index(index) == 0) return {};
  const std::uint32_t type = operand(index, 1);
  if (tag(type) != kPoolNameAndType) return {};
  return {static_cast<std::uint16_t>(operand(type, 0)),
          static_cast<std::uint16_t>(operand(type, 1))};
}

}  // namespace holdfast::jvmti
