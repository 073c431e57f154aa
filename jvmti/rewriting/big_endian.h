// Class files are big-endian: loads and stores, a reader that never leaves its bytes, a writer that never leaves its room.
// Why both are sticky: a class file has hundreds of fields; one question at the end of a stretch is as safe as one after each.
// Shape:  a reader answers 0 beyond its end and remembers it; a writer drops what does not fit and remembers it.
// Zone:   event, offline.   Errors: ok() is false from the first access that did not fit.
// Source: The Java Virtual Machine Specification, chapter 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace holdfast::jvmti {

using Bytes = std::span<const std::byte>;

inline std::uint8_t load_u8(Bytes bytes, std::size_t at) noexcept {
  return std::to_integer<std::uint8_t>(bytes[at]);
}
inline std::uint16_t load_u16(Bytes bytes, std::size_t at) noexcept {
  return static_cast<std::uint16_t>(load_u8(bytes, at) << 8u | load_u8(bytes, at + 1));
}
inline std::uint32_t load_u32(Bytes bytes, std::size_t at) noexcept {
  return std::uint32_t{load_u16(bytes, at)} << 16u | load_u16(bytes, at + 2);
}

class ByteReader {
 public:
  explicit ByteReader(Bytes bytes, std::size_t at = 0) noexcept : bytes_(bytes), at_(at) {
    if (at > bytes.size()) fail();
  }

  std::uint8_t u8() noexcept { return fits(1) ? load_u8(bytes_, advance(1)) : std::uint8_t{0}; }
  std::uint16_t u16() noexcept { return fits(2) ? load_u16(bytes_, advance(2)) : std::uint16_t{0}; }
  std::uint32_t u32() noexcept { return fits(4) ? load_u32(bytes_, advance(4)) : 0; }
  Bytes take(std::size_t count) noexcept {
    return fits(count) ? bytes_.subspan(advance(count), count) : Bytes{};
  }
  void skip(std::size_t count) noexcept { (void)take(count); }

  std::size_t at() const noexcept { return at_; }
  bool ok() const noexcept { return ok_; }
  bool at_end() const noexcept { return at_ == bytes_.size(); }

 private:
  bool fits(std::size_t count) noexcept {
    if (count > bytes_.size() - at_) fail();
    return ok_;
  }
  std::size_t advance(std::size_t count) noexcept {
    const std::size_t before = at_;
    at_ += count;
    return before;
  }
  void fail() noexcept {
    ok_ = false;
    at_ = bytes_.size();
  }

  Bytes bytes_;
  std::size_t at_;
  bool ok_ = true;
};

class ByteWriter {
 public:
  explicit ByteWriter(std::span<std::byte> room, std::size_t at = 0) noexcept
      : room_(room), at_(at) {
    if (at > room.size()) fail();
  }

  void u8(unsigned value) noexcept {
    if (fits(1)) room_[at_++] = static_cast<std::byte>(value);
  }
  void u16(unsigned value) noexcept {
    if (!fits(2)) return;
    u8(value >> 8u & 0xFFu);
    u8(value & 0xFFu);
  }
  void u32(std::uint32_t value) noexcept {
    if (!fits(4)) return;
    u16(value >> 16u);
    u16(value & 0xFFFFu);
  }
  void put(Bytes bytes) noexcept {
    if (bytes.empty() || !fits(bytes.size())) return;
    std::memcpy(room_.data() + at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }

  // What stands before at() already and is only known now.
  void patch_u16(std::size_t at, unsigned value) noexcept {
    if (ok_) ByteWriter(room_.first(at_), at).u16(value);
  }
  void patch_u32(std::size_t at, std::uint32_t value) noexcept {
    if (ok_) ByteWriter(room_.first(at_), at).u32(value);
  }
  // Back to an earlier at(): what was written after it goes.
  void rewind(std::size_t at) noexcept {
    if (ok_) at_ = at;
  }

  std::size_t at() const noexcept { return at_; }
  bool ok() const noexcept { return ok_; }

 private:
  bool fits(std::size_t count) noexcept {
    if (count > room_.size() - at_) fail();
    return ok_;
  }
  void fail() noexcept {
    ok_ = false;
    at_ = room_.size();
  }

  std::span<std::byte> room_;
  std::size_t at_;
  bool ok_ = true;
};

}  // namespace holdfast::jvmti
