#include "jvmti/rewriting/descriptor.h"

namespace holdfast::jvmti {

DescribedType DescriptorReader::next_type() noexcept {
  DescribedType type;
  const std::size_t from = at_;
  while (take_if('[')) {
  }
  const bool array = at_ > from;
  const std::size_t class_at = at_ + 1;
  const char kind = ok_ && at_ < text_.size() ? text_[at_++] : ' ';
  if (kind == 'L') {
    at_ = text_.find(';', at_);
    if (at_ == std::string_view::npos) return ok_ = false, type;
    ++at_;
  } else if (std::string_view("BCDFIJSZV").find(kind) == std::string_view::npos) {
    return ok_ = false, type;
  }
  type.kind = array ? '[' : kind;
  if (array || kind == 'L') {
    const std::size_t name_at = array ? from : class_at;
    const std::size_t end = array ? at_ : at_ - 1;
    type.name_at = static_cast<std::uint16_t>(name_at);
    type.name_bytes = static_cast<std::uint16_t>(end - name_at);
  }
  return type;
}

bool call_words(std::string_view descriptor, CallWords& out) noexcept {
  DescriptorReader reader(descriptor);
  if (!reader.open_parameters()) return false;
  out = {};
  for (DescribedType type; reader.next_parameter(type);) out.arguments += type.words();
  if (!reader.ok()) return false;
  out.result = reader.next_type().words();
  return reader.ok();
}

}  // namespace holdfast::jvmti
