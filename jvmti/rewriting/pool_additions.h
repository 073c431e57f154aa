// Constants added behind those of a class: text, classes, methods, numbers.
// Why behind: every index in the class keeps its meaning.
// Shape:  kMostBytes of scratch, 16 to 32 B for each of the class' own Class entries, which are looked up by name (filled when
//         the first is asked for). At most kMostProbes steps a look-up: a class that collides on purpose gets a second entry of
//         the same name, which the format allows.
// Zone:   event, offline.
// Errors: index 0, and reason() says why: kPoolFull, kNoScratch.
// Source: The Java Virtual Machine Specification, section 4.4.
#pragma once

#include <cstdint>
#include <string_view>

#include "jvmti/rewriting/class_file.h"

namespace holdfast::jvmti {

class PoolAdditions {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 10;  // one name may have 64 KB
  static constexpr std::uint32_t kMostIndex = 65534;                 // the count is one more
  static constexpr std::uint32_t kMostProbes = 32;
  static constexpr std::uint32_t kSpareSlots = 256;  // for classes that are added

  // The class must outlive this.
  bool open(const ClassFile& file, Scratch& scratch) noexcept;

  std::uint16_t utf8(std::string_view text) noexcept;
  std::uint16_t integer(std::int32_t value) noexcept;
  std::uint16_t method(std::uint16_t owner, std::string_view name,
                       std::string_view descriptor) noexcept;
  // Of an array: its descriptor. One that is there already, where there is one.
  std::uint16_t class_named(std::string_view name) noexcept;

  LeftAlone reason() const noexcept { return reason_; }
  std::uint32_t count() const noexcept { return next_; }  // constant_pool_count of the new class
  Bytes bytes() const noexcept { return Bytes(room_).first(used_); }

 private:
  struct Slot {
    std::uint32_t name_at;  // offset + 1 in what is added, or 0: the entry is the class' own
    std::uint16_t name_bytes;
    std::uint16_t index;  // 0: the slot is free
  };

  void index_classes() noexcept;
  Slot* find_slot(std::string_view name) noexcept;
  std::string_view name_of(const Slot& slot) const noexcept;
  std::uint16_t add(unsigned tag, Bytes content) noexcept;
  std::uint16_t add_pair(unsigned tag, std::uint16_t first, std::uint16_t second) noexcept;
  std::uint16_t fail(LeftAlone reason) noexcept {
    if (reason_ == LeftAlone::kNo) reason_ = reason;
    return 0;
  }

  const ClassFile* file_ = nullptr;
  std::span<std::byte> room_;
  std::size_t used_ = 0;
  std::span<Slot> slots_;
  bool indexed_ = false;
  std::uint32_t next_ = 0;
  LeftAlone reason_ = LeftAlone::kNo;
};

}  // namespace holdfast::jvmti
