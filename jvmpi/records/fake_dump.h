// JVMPI dumps as a VM writes them, with ids of 4 or 8 bytes whatever this process has.
// Shape:  each call appends one record, or one part of one.   Zone: tests.   Errors: none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "jvmpi/records/record_reader.h"

namespace holdfast::jvmpi {

class FakeDump {
 public:
  explicit FakeDump(std::size_t id_bytes) : id_bytes_(id_bytes) {}

  std::size_t id_bytes() const { return id_bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte>& writable() { return bytes_; }
  // Of the value that was written last.
  std::size_t last_bytes() const { return last_bytes_; }

  FakeDump& u1(std::uint64_t value) { return number(value, 1); }
  FakeDump& u2(std::uint64_t value) { return number(value, 2); }
  FakeDump& u4(std::uint64_t value) { return number(value, 4); }
  FakeDump& u8(std::uint64_t value) { return number(value, 8); }
  FakeDump& id(VmId value) {
    last_bytes_ = id_bytes_;
    for (std::size_t i = 0; i < id_bytes_; ++i) {
      const std::size_t byte = std::endian::native == std::endian::little ? i : id_bytes_ - 1 - i;
      bytes_.push_back(static_cast<std::byte>(value >> (8 * byte)));
    }
    return *this;
  }
  FakeDump& ids(std::initializer_list<VmId> values) {
    for (const VmId value : values) id(value);
    return *this;
  }

  FakeDump& root(RecordTag tag, VmId object) { return head(tag, object); }
  FakeDump& thread_root(RecordTag tag, VmId object, VmId thread) {
    return head(tag, object).id(thread);
  }
  FakeDump& frame_root(RecordTag tag, VmId object, VmId thread, std::uint32_t depth) {
    return head(tag, object).id(thread).u4(depth);
  }
  FakeDump& instance(VmId object, VmId class_id, std::span<const std::byte> values) {
    head(RecordTag::kInstance, object).id(class_id).u4(values.size());
    bytes_.insert(bytes_.end(), values.begin(), values.end());
    return *this;
  }
  FakeDump& instance(VmId object, VmId class_id, const FakeDump& values) {
    instance(object, class_id, values.bytes());
    if (!values.bytes().empty()) last_bytes_ = values.last_bytes();
    return *this;
  }
  FakeDump& object_array(VmId object, VmId element, std::initializer_list<VmId> elements) {
    return head(RecordTag::kObjectArray, object).u4(elements.size()).id(element).ids(elements);
  }
  // Values follow.
  FakeDump& primitive_array(VmId object, ValueType type, std::uint32_t length) {
    return head(RecordTag::kPrimitiveArray, object).u4(length).u1(static_cast<std::uint8_t>(type));
  }
  // Constants and the values of static fields follow.
  FakeDump& class_head(VmId object, const ClassRecord& links,
                       std::initializer_list<VmId> interfaces) {
    head(RecordTag::kClass, object).id(links.super).id(links.loader).id(links.signers);
    id(links.protection_domain).id(links.name).id(0).u4(links.instance_bytes);
    return ids(interfaces);
  }
  FakeDump& listed(ValueType type, VmId object) {
    return u1(static_cast<std::uint8_t>(type)).id(object);
  }

 private:
  FakeDump& head(RecordTag tag, VmId object) {
    return u1(static_cast<std::uint8_t>(tag)).id(object);
  }
  FakeDump& number(std::uint64_t value, std::size_t bytes) {
    last_bytes_ = bytes;
    for (std::size_t i = bytes; i-- > 0;)
      bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }

  std::size_t id_bytes_;
  std::size_t last_bytes_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace holdfast::jvmpi
