#include "clrprofiler/coreclr/load_contexts.h"

namespace holdfast::clr {

namespace {

// As large as a LoaderAllocator is for sure: its count of references lies behind what is looked for.
constexpr std::uint32_t kMostBytes = 1800;

Error broken(Address type) noexcept {
  return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(type));
}

}  // namespace

bool LoadContexts::is_long_weak_handle(Address at) const noexcept {
  for (const Address segment : segments_) {
    const Address values = segment + handle_segment::kValues;
    if (at < values || at >= values + handle_segment::kBlocks * handle_segment::kBlockBytes)
      continue;
    const auto block = (at - values) / handle_segment::kBlockBytes;
    const auto type = load<std::uint8_t>(segment + handle_segment::kBlockTypes + block);
    return at % sizeof(Address) == 0 && type == static_cast<std::uint8_t>(HandleType::kWeakLong);
  }
  return false;
}

Result<std::uint32_t> LoadContexts::find_word(Address allocator, Address type) const noexcept {
  std::uint32_t found = 0;
  for (std::uint32_t at = sizeof(Address); at < kMostBytes; at += sizeof(Address)) {
    const auto word = read_word(allocator + at);
    if (!word) return broken(type);
    if (!is_long_weak_handle(*word)) continue;
    if (found != 0) return broken(type);
    found = at;
  }
  if (found == 0) return broken(type);
  return found;
}

// Checked: what a stale word leads to may be the class of a context that is long gone.
Result<Address> LoadContexts::object_of(Address type) noexcept {
  Address at = type;
  for (const std::uint32_t offset :
       {layout_.class_auxiliary, layout_.auxiliary_module, layout_.module_allocator}) {
    const auto next = read_word(at + offset);
    if (!next || *next == 0 || *next % sizeof(Address) != 0) return broken(type);
    at = *next;
  }
  if (word_ == 0) {
    HF_TRY(word, find_word(at, type));
    word_ = word;
  }
  const auto handle = read_word(at + word_);
  if (!handle || !is_long_weak_handle(*handle)) return broken(type);
  return load<Address>(*handle);
}

}  // namespace holdfast::clr
