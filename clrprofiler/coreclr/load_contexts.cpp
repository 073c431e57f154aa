#include "clrprofiler/coreclr/load_contexts.h"

namespace holdfast::clr {

namespace {

// As large as a LoaderAllocator is for sure: its count of references lies behind what is looked for.
constexpr std::uint32_t kMostBytes = 1800;

Error broken(Address type) noexcept {
  return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(type));
}

bool leads_back(Address object, Address allocator) noexcept {
  constexpr std::uint64_t kWord = sizeof(Address), kFirstReferences = 4;
  for (std::uint64_t i = 1; i <= kFirstReferences; ++i) {
    const auto scout = read_word(object + i * kWord);
    if (scout && *scout != 0 && read_word(*scout + kWord) == allocator) return true;
  }
  return false;
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

// 0: no handle, or not that of the managed LoaderAllocator.
Address LoadContexts::object_by(Address allocator, std::uint32_t word) const noexcept {
  const auto handle = read_word(allocator + word);
  if (!handle || !is_long_weak_handle(*handle)) return 0;
  const auto object = load<Address>(*handle);
  return object != 0 && leads_back(object, allocator) ? object : 0;
}

Address LoadContexts::find_object(Address allocator) noexcept {
  for (std::uint32_t at = sizeof(Address); at < kMostBytes; at += sizeof(Address)) {
    const Address object = object_by(allocator, at);
    if (object == 0) continue;
    word_ = at;
    return object;
  }
  return 0;
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
  Address object = word_ != 0 ? object_by(at, word_) : 0;
  if (object == 0) object = find_object(at);
  if (object == 0) return broken(type);
  return object;
}

}  // namespace holdfast::clr
