// A method's or field's descriptor, read from left to right: one parameter after the other, then the result.
// Why words: that is what the operand stack and the locals are counted in.
// Shape:  a cursor over the text; text of a type is its class name, or its whole descriptor for an array.
// Zone:   any.   Errors: ok() is false for what is malformed.
// Source: The Java Virtual Machine Specification, section 4.3.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::jvmti {

struct DescribedType {
  char kind = 'V';  // B C D F I J S Z V, L for a class, [ for an array
  std::uint16_t name_at =
      0;  // of L and [: where the name that a Class entry has begins, and how long it is
  std::uint16_t name_bytes = 0;
  std::uint32_t words() const noexcept {
    return kind == 'V' ? 0 : kind == 'J' || kind == 'D' ? 2 : 1;
  }
};

class DescriptorReader {
 public:
  // Of a method: between the parentheses first. Of a field: one type.
  explicit DescriptorReader(std::string_view text) noexcept : text_(text) {
    ok_ = text.size() <= UINT16_MAX && !text.empty();
  }
  bool open_parameters() noexcept { return take('('); }
  // False at the closing parenthesis, which is taken.
  bool next_parameter(DescribedType& out) noexcept {
    if (!ok_ || take_if(')')) return false;
    out = next_type();
    return ok_;
  }
  DescribedType next_type() noexcept;
  bool ok() const noexcept { return ok_; }

 private:
  bool take_if(char wanted) noexcept {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool take(char wanted) noexcept { return ok_ = ok_ && take_if(wanted); }

  std::string_view text_;
  std::size_t at_ = 0;
  bool ok_;
};

struct CallWords {
  std::uint32_t arguments = 0;  // without the receiver
  std::uint32_t result = 0;
};
// False when the descriptor is malformed.
bool call_words(std::string_view descriptor, CallWords& out) noexcept;

}  // namespace holdfast::jvmti
