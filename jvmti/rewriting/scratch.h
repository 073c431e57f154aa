// The memory that one rewriting works in: a stretch handed in, used from the front.
// Why not Arena: a class may be loaded by any thread at any time; nothing is committed, charged or locked here.
// Shape:  bump pointer; mark()/rewind(). kScratchBytes is enough for every class that the format allows, save hostile ones.
//         A usual class touches a few KB of it.
// Zone:   event, offline; one rewriting at a time.   Errors: make() answers false when there is no room left.
// Source: none; docs/decisions/045-class-rewriting.md has what classes were seen to need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace holdfast::jvmti {

// Constant pool 0.3 MB, its classes by name 1 MB, new constants 0.25 MB, a method's positions and frames 2 MB.
inline constexpr std::size_t kScratchBytes = std::size_t{4} << 20;

class Scratch {
 public:
  explicit Scratch(std::span<std::byte> memory) noexcept : memory_(memory) {}

  // Elements of any value.
  template <class T>
  [[nodiscard]] bool make(std::span<T>& out, std::size_t count) noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data()) + used_;
    const std::size_t padding = (alignof(T) - address % alignof(T)) % alignof(T);
    const std::size_t room = memory_.size() - used_;
    if (padding > room || count > (room - padding) / sizeof(T)) return false;
    out = std::span<T>(reinterpret_cast<T*>(memory_.data() + used_ + padding), count);
    used_ += padding + count * sizeof(T);
    if (used_ > peak_) peak_ = used_;
    return true;
  }
  template <class T>
  [[nodiscard]] bool make_zeroed(std::span<T>& out, std::size_t count) noexcept {
    if (!make(out, count)) return false;
    if (count > 0) std::memset(static_cast<void*>(out.data()), 0, out.size_bytes());
    return true;
  }

  using Mark = std::size_t;
  Mark mark() const noexcept { return used_; }
  void rewind(Mark mark) noexcept { used_ = mark; }
  std::size_t peak_bytes() const noexcept { return peak_; }

 private:
  std::span<std::byte> memory_;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace holdfast::jvmti
