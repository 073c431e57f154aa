// Bytes of a JVMPI dump, read in their order and never behind their end.
// Shape:  numbers are big-endian on every host, ids in the host's order and as wide as a pointer of the VM's, 4 or 8 bytes; nothing is aligned.
// Zone:   any, stopped included (inline, no call but memcpy).
// Errors: what lies behind the end reads as 0 or as nothing, and from then on ok() is false.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace holdfast::jvmpi {

// Of an object, a class, an environment: compared, never followed.
using VmId = std::uint64_t;

class ByteCursor {
 public:
  ByteCursor() = default;
  ByteCursor(std::span<const std::byte> bytes, std::size_t id_bytes) noexcept
      : bytes_(bytes), id_bytes_(id_bytes) {}

  bool ok() const noexcept { return ok_; }
  bool at_end() const noexcept { return bytes_.empty(); }
  std::size_t left() const noexcept { return bytes_.size(); }
  std::size_t id_bytes() const noexcept { return id_bytes_; }

  std::uint8_t u1() noexcept { return number<std::uint8_t>(); }
  std::uint16_t u2() noexcept { return number<std::uint16_t>(); }
  std::uint32_t u4() noexcept { return number<std::uint32_t>(); }
  VmId id() noexcept { return id_bytes_ == 4 ? host<std::uint32_t>() : host<std::uint64_t>(); }
  std::span<const std::byte> take(std::uint64_t bytes) noexcept {
    if (bytes > bytes_.size()) return fail();
    const auto taken = bytes_.first(static_cast<std::size_t>(bytes));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  std::span<const std::byte> take_ids(std::uint64_t count) noexcept {
    return count > bytes_.size() / id_bytes_ ? fail() : take(count * id_bytes_);
  }

 private:
  std::span<const std::byte> fail() noexcept {
    ok_ = false;
    bytes_ = {};
    return {};
  }
  template <class T>
  T host() noexcept {
    T value = 0;
    const auto from = take(sizeof value);
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  template <class T>
  T number() noexcept {
    const T value = host<T>();
    if constexpr (std::endian::native == std::endian::big || sizeof(T) == 1) return value;
    if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
    return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  }

  std::span<const std::byte> bytes_;
  std::size_t id_bytes_ = sizeof(void*);
  bool ok_ = true;
};

}  // namespace holdfast::jvmpi
