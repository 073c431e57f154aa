// Constants appended to a class file's constant pool, and a method's bytecode that uses them: a small assembler.
// Why not a library: none that writes class files is kept in C++; what is written here is a dozen methods without loops.
// Shape:  bytes in two fixed buffers, big endian. Entries are numbered from `first_index` on, as the pool that they are appended to ends.
//         Equal entries are written anew: there are few.
// Zone:   load and event (class file load hook).
// Errors: overflowed(): a buffer was too small, or the pool has no number left; nothing of it may be used then.
// Source: Java Virtual Machine Specification, sections 4.4 and 6.5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "jvmti/rewriting/big_endian.h"

namespace holdfast::jvmti {

// A ByteWriter with a room of its own.
template <std::size_t kCapacity>
class ClassBytes {
 public:
  ClassBytes() = default;
  ClassBytes(const ClassBytes&) = delete;
  ClassBytes& operator=(const ClassBytes&) = delete;

  void u1(unsigned value) noexcept { writer_.u8(value); }
  void u2(unsigned value) noexcept { writer_.u16(value); }
  void u4(std::uint32_t value) noexcept { writer_.u32(value); }
  void append(Bytes bytes) noexcept { writer_.put(bytes); }
  void append(std::string_view text) noexcept { append(std::as_bytes(std::span(text))); }
  void patch_u2(std::size_t at, unsigned value) noexcept { writer_.patch_u16(at, value); }
  std::size_t size() const noexcept { return writer_.at(); }
  bool overflowed() const noexcept { return !writer_.ok(); }
  Bytes span() const noexcept { return Bytes(room_).first(writer_.at()); }

 private:
  std::array<std::byte, kCapacity> room_;
  ByteWriter writer_{room_};
};

class PoolWriter {
 public:
  // Index 0 is no entry: a new pool begins with 1.
  explicit PoolWriter(std::uint32_t first_index) noexcept : next_(first_index) {}

  std::uint16_t utf8(std::string_view text) noexcept;
  std::uint16_t class_ref(std::string_view internal_name) noexcept;
  std::uint16_t field(std::string_view owner, std::string_view name,
                      std::string_view descriptor) noexcept;
  std::uint16_t method(std::string_view owner, std::string_view name,
                       std::string_view descriptor) noexcept;

  // The pool's `constant_pool_count` with these entries.
  std::uint16_t count() const noexcept { return static_cast<std::uint16_t>(next_); }
  std::span<const std::byte> bytes() const noexcept { return bytes_.span(); }
  bool overflowed() const noexcept { return bytes_.overflowed() || next_ > kMaxCount; }

 private:
  static constexpr std::size_t kMaxBytes = 8192;
  static constexpr std::uint32_t kMaxCount = 0xFFFF;
  std::uint16_t reference(unsigned tag, std::string_view owner, std::string_view name,
                          std::string_view descriptor) noexcept;
  std::uint16_t take() noexcept { return static_cast<std::uint16_t>(next_++); }

  ClassBytes<kMaxBytes> bytes_;
  std::uint32_t next_;
};

}  // namespace holdfast::jvmti
