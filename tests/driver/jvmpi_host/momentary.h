// Memory of one notification: what a profiler keeps of it after the callback is rubbish, and looks like it.
// Shape:  texts, arrays and one buffer, which begins at an odd address; filled with 0xDD before they are freed.
// Zone:   tests, one thread.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace holdfast::jvmpi_host {

inline constexpr int kRubbish = 0xDD;

class Momentary {
 public:
  Momentary() = default;
  ~Momentary() {
    for (const Piece& piece : pieces_) std::memset(piece.memory.get(), kRubbish, piece.bytes);
  }
  Momentary(const Momentary&) = delete;
  Momentary& operator=(const Momentary&) = delete;

  char* text(const std::string& value) {
    char* const copy = allocate(value.size() + 1);
    std::memcpy(copy, value.c_str(), value.size() + 1);
    return copy;
  }
  // nullptr: an empty one.
  template <class T>
  T* array(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    return count != 0 ? reinterpret_cast<T*>(allocate(count * sizeof(T))) : nullptr;
  }

 private:
  struct Piece {
    std::unique_ptr<char[]> memory;
    std::size_t bytes;
  };
  char* allocate(std::size_t bytes) {
    pieces_.push_back({std::make_unique<char[]>(bytes), bytes});
    return pieces_.back().memory.get();
  }

  std::vector<Piece> pieces_;
};

// A dump's bytes: numbers big-endian, ids in the host's order, nothing aligned.
class DumpBuffer {
 public:
  DumpBuffer() : bytes_(1) {}  // what follows begins at an odd address
  ~DumpBuffer() { std::memset(bytes_.data(), kRubbish, bytes_.size()); }
  DumpBuffer(const DumpBuffer&) = delete;
  DumpBuffer& operator=(const DumpBuffer&) = delete;

  char* begin() { return bytes_.data() + 1; }
  char* end() { return bytes_.data() + bytes_.size(); }
  std::size_t size() const { return bytes_.size() - 1; }

  void number(std::uint64_t value, std::size_t bytes) {
    last_bytes_ = bytes;
    char* to = grow(bytes);
    for (std::size_t i = bytes; i-- > 0;) *to++ = static_cast<char>(value >> (8 * i));
  }
  void u1(std::uint64_t value) { number(value, 1); }
  void u2(std::uint64_t value) { number(value, 2); }
  void u4(std::uint64_t value) { number(value, 4); }
  void pointer(const void* value) {
    last_bytes_ = sizeof value;
    std::memcpy(grow(sizeof value), &value, sizeof value);
  }
  // Numbers in the host's order, each this wide.
  void numbers(const char* from, std::size_t count, std::size_t width) {
    last_bytes_ = width;
    char* to = grow(count * width);
    for (std::size_t i = 0; i < count; ++i, from += width)
      for (std::size_t byte = width; byte-- > 0;) *to++ = from[byte];
  }
  // What was written last, as if it had not been.
  void spoil_last() { std::memset(end() - last_bytes_, kRubbish, last_bytes_); }
  void overwrite_u4(std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < 4; ++i) begin()[at + i] = static_cast<char>(value >> (24 - 8 * i));
  }

 private:
  char* grow(std::size_t bytes) {
    bytes_.resize(bytes_.size() + bytes);
    return end() - bytes;
  }

  std::vector<char> bytes_;
  std::size_t last_bytes_ = 0;
};

}  // namespace holdfast::jvmpi_host
