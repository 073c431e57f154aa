// What a dump's child tells of the objects that its report names: how each can be found again in the running program.
// Why a way and an address: objects move until a child reads them and afterwards; whoever is found along the way, at the same place and of the
//      same class, is the same object, and nobody else is.
// Shape:  in the mailbox's text: NamedNumbers, then NamedHead and its steps, again and again, unaligned. A head without a way only says that the
//         number was named again. The child may have run wild: NamedReader takes nothing beyond the end.
// Zone:   child (written), capture (read).   Errors: next() answers false at the end, and where the rest makes no sense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace holdfast::jvmti {

enum class NamedStepKind : std::uint32_t { kField, kStaticField, kElement };

struct NamedStep {
  std::uint64_t id = 0;  // jfieldID, or the index of an element
  NamedStepKind kind = NamedStepKind::kField;
};
struct NamedHead {
  std::uint32_t number = 0;
  std::uint32_t steps = 0;
  std::int64_t anchor_tag = 0;  // of the object that the way begins at; 0: there is no way
  std::int64_t class_tag = 0;
  std::uint64_t address = 0;
};
struct NamedNumbers {
  std::uint32_t next_number = 0;  // beyond all that were told
};
inline constexpr std::uint32_t kMostNamedSteps = 64;

// The VM's memory for tags is not ours, and a program has hundreds of thousands of local variables: 5 MB until the dump is over.
inline constexpr std::uint32_t kMostRootTags = 1u << 16;

// A GC root that has no other tag: its place. Beyond all tags of class_scan.h.
constexpr std::int64_t place_tag(std::uint64_t address, std::uint64_t heap_start) noexcept {
  return static_cast<std::int64_t>(std::uint64_t{1} << 62 | (address - heap_start));
}

class NamedReader {
 public:
  explicit NamedReader(std::span<const char> text) noexcept : text_(text) {}

  bool numbers(NamedNumbers& out) noexcept { return take(out); }
  // steps: kMostNamedSteps of room; those of `head` are filled.
  bool next(NamedHead& head, std::span<NamedStep> steps) noexcept {
    if (!take(head) || head.steps > kMostNamedSteps || head.steps > steps.size()) return false;
    for (NamedStep& step : steps.first(head.steps))
      if (!take(step)) return false;
    return true;
  }

 private:
  template <class T>
  bool take(T& out) noexcept {
    if (text_.size() < sizeof out) return false;
    std::memcpy(&out, text_.data(), sizeof out);
    text_ = text_.subspan(sizeof out);
    return true;
  }
  std::span<const char> text_;
};

class NamedRecordWriter {
 public:
  explicit NamedRecordWriter(std::span<char> text) noexcept : text_(text) {}

  void put_numbers(NamedNumbers numbers) noexcept {
    std::memcpy(text_.data(), &numbers, sizeof numbers);
  }
  // What there is no room for is left out.
  void put(const NamedHead& head, std::span<const NamedStep> steps) noexcept {
    if (text_.size() - used_ < sizeof head + steps.size_bytes()) return;
    append(&head, sizeof head);
    append(steps.data(), steps.size_bytes());
  }
  std::size_t bytes() const noexcept { return used_; }

 private:
  void append(const void* from, std::size_t bytes) noexcept {
    if (bytes != 0) std::memcpy(text_.data() + used_, from, bytes);
    used_ += bytes;
  }
  std::span<char> text_;
  std::size_t used_ = sizeof(NamedNumbers);
};

}  // namespace holdfast::jvmti
