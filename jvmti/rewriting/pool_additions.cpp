#include "jvmti/rewriting/pool_additions.h"

#include <bit>

namespace holdfast::jvmti {
namespace {

std::uint32_t hash_of(std::string_view text) noexcept {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash ^ hash >> 15u;
}

Bytes bytes_of(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace

bool PoolAdditions::open(const ClassFile& file, Scratch& scratch) noexcept {
  file_ = &file;
  next_ = file.pool().count();
  const std::size_t slots = std::bit_ceil((file.pool().class_count() + kSpareSlots) * 2);
  return scratch.make(room_, kMostBytes) && scratch.make(slots_, slots);
}

std::uint16_t PoolAdditions::add(unsigned tag, Bytes content) noexcept {
  if (reason_ != LeftAlone::kNo) return 0;
  if (next_ > kMostIndex) return fail(LeftAlone::kPoolFull);
  ByteWriter writer(room_, used_);
  writer.u8(tag);
  writer.put(content);
  if (!writer.ok()) return fail(LeftAlone::kNoScratch);
  used_ = writer.at();
  return static_cast<std::uint16_t>(next_++);
}

std::uint16_t PoolAdditions::utf8(std::string_view text) noexcept {
  if (text.size() > 65535 || reason_ != LeftAlone::kNo) return fail(LeftAlone::kPoolFull);
  if (next_ > kMostIndex) return fail(LeftAlone::kPoolFull);
  ByteWriter writer(room_, used_);
  writer.u8(kPoolUtf8);
  writer.u16(static_cast<unsigned>(text.size()));
  writer.put(bytes_of(text));
  if (!writer.ok()) return fail(LeftAlone::kNoScratch);
  used_ = writer.at();
  return static_cast<std::uint16_t>(next_++);
}

std::uint16_t PoolAdditions::integer(std::int32_t value) noexcept {
  std::byte content[4];
  ByteWriter(content).u32(static_cast<std::uint32_t>(value));
  return add(kPoolInteger, content);
}

std::uint16_t PoolAdditions::add_pair(unsigned tag, std::uint16_t first,
                                      std::uint16_t second) noexcept {
  std::byte content[4];
  ByteWriter writer(content);
  writer.u16(first);
  writer.u16(second);
  return add(tag, content);
}

std::uint16_t PoolAdditions::method(std::uint16_t owner, std::string_view name,
                                    std::string_view descriptor) noexcept {
  const std::uint16_t name_index = utf8(name);
  const std::uint16_t type_index = utf8(descriptor);
  return add_pair(kPoolMethod, owner, add_pair(kPoolNameAndType, name_index, type_index));
}

std::string_view PoolAdditions::name_of(const Slot& slot) const noexcept {
  if (slot.name_at == 0) return file_->pool().class_name(slot.index);
  return {reinterpret_cast<const char*>(room_.data() + slot.name_at - 1), slot.name_bytes};
}

// The slot that has the name, or a free one, or nullptr.
PoolAdditions::Slot* PoolAdditions::find_slot(std::string_view name) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash_of(name) & mask;
  for (std::uint32_t probe = 0; probe < kMostProbes; ++probe, at = (at + 1) & mask)
    if (slots_[at].index == 0 || name_of(slots_[at]) == name) return &slots_[at];
  return nullptr;
}

void PoolAdditions::index_classes() noexcept {
  const ConstantPool& pool = file_->pool();
  indexed_ = true;
  for (Slot& slot : slots_) slot = {};
  for (std::uint32_t i = 1; i < pool.count(); ++i) {
    const std::string_view name = pool.class_name(i);
    if (name.empty()) continue;
    Slot* slot = find_slot(name);
    if (slot != nullptr && slot->index == 0) *slot = {0, 0, static_cast<std::uint16_t>(i)};
  }
}

std::uint16_t PoolAdditions::class_named(std::string_view name) noexcept {
  if (!indexed_) index_classes();
  Slot* slot = find_slot(name);
  if (slot != nullptr && slot->index != 0) return slot->index;
  const std::size_t name_at = used_ + 3;  // behind the tag and the length of the text
  const std::uint16_t text = utf8(name);
  std::byte content[2];
  ByteWriter(content).u16(text);
  const std::uint16_t index = add(kPoolClass, content);
  if (index != 0 && slot != nullptr)
    *slot = {static_cast<std::uint32_t>(name_at + 1), static_cast<std::uint16_t>(name.size()),
             index};
  return index;
}

}  // namespace holdfast::jvmti
