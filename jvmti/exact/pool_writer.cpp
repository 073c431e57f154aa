#include "jvmti/exact/pool_writer.h"

namespace holdfast::jvmti {

namespace {

constexpr unsigned kUtf8Tag = 1;
constexpr unsigned kClassTag = 7;
constexpr unsigned kFieldTag = 9;
constexpr unsigned kMethodTag = 10;
constexpr unsigned kNameAndTypeTag = 12;

}  // namespace

std::uint16_t PoolWriter::utf8(std::string_view text) noexcept {
  bytes_.u1(kUtf8Tag);
  bytes_.u2(static_cast<unsigned>(text.size()));
  bytes_.append(text);
  return take();
}

std::uint16_t PoolWriter::class_ref(std::string_view internal_name) noexcept {
  const std::uint16_t name = utf8(internal_name);
  bytes_.u1(kClassTag);
  bytes_.u2(name);
  return take();
}

std::uint16_t PoolWriter::reference(unsigned tag, std::string_view owner, std::string_view name,
                                    std::string_view descriptor) noexcept {
  const std::uint16_t owner_index = class_ref(owner);
  const std::uint16_t name_index = utf8(name);
  const std::uint16_t descriptor_index = utf8(descriptor);
  bytes_.u1(kNameAndTypeTag);
  bytes_.u2(name_index);
  bytes_.u2(descriptor_index);
  const std::uint16_t name_and_type = take();
  bytes_.u1(tag);
  bytes_.u2(owner_index);
  bytes_.u2(name_and_type);
  return take();
}

std::uint16_t PoolWriter::field(std::string_view owner, std::string_view name,
                                std::string_view descriptor) noexcept {
  return reference(kFieldTag, owner, name, descriptor);
}

std::uint16_t PoolWriter::method(std::string_view owner, std::string_view name,
                                 std::string_view descriptor) noexcept {
  return reference(kMethodTag, owner, name, descriptor);
}

}  // namespace holdfast::jvmti
