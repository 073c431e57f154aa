#include "jvmpi/heap/class_book.h"

#include <algorithm>
#include <cstring>

#include "common/string_table.h"

namespace holdfast::jvmpi {

namespace {

constexpr std::size_t kFirstSlots = 2048;
constexpr std::uint64_t kHashFactor = 0x9E3779B97F4A7C15ull;
// More fields than the class file format allows: the event is damaged.
constexpr jint kMostFields = 0xFFFF;

// Names without an end are cut: what a report could not show is not read either.
std::size_t length_of(const char* text) noexcept {
  return text != nullptr ? ::strnlen(text, StringTable::kMaxNameBytes) : 0;
}

std::span<const JVMPI_Field> fields_of(const JVMPI_Field* first, jint count) noexcept {
  return {first, static_cast<std::size_t>(count)};
}

std::size_t text_bytes(std::span<const JVMPI_Field> fields) noexcept {
  std::size_t bytes = 0;
  for (const JVMPI_Field& field : fields) bytes += length_of(field.field_name) + 1;
  return bytes;
}

char* append(char* at, const char* text) noexcept {
  const std::size_t bytes = length_of(text);
  if (bytes != 0) std::memcpy(at, text, bytes);
  return at + bytes;
}

ValueType type_of(const JVMPI_Field& field) noexcept {
  return field.field_signature != nullptr ? value_type_of_signature(field.field_signature[0])
                                          : ValueType::kUnknown;
}

bool has_type(const JVMPI_Field& field) noexcept { return type_of(field) != ValueType::kUnknown; }

bool is_odd(jint count) noexcept { return count < 0 || count > kMostFields; }

// The place of a name among names that each end with NUL.
std::uint32_t ordinal_of(std::string_view name, std::string_view names) noexcept {
  for (std::uint32_t ordinal = 0; !names.empty(); ++ordinal) {
    const std::size_t end = names.find('\0');
    if (names.substr(0, end) == name) return ordinal;
    names.remove_prefix(end + 1);
  }
  return BookedClass::kNoField;
}

}  // namespace

Result<ClassBook> ClassBook::make(Arena& arena) noexcept {
  ClassBook book;
  book.arena_ = &arena;
  HF_TRY(order, arena.make<BookedClass*>(kFirstSlots / 2));
  HF_TRY(slots, arena.make_filled<std::uint32_t>(kFirstSlots, 0));
  book.order_ = order;
  book.slots_ = slots;
  return book;
}

std::size_t ClassBook::slot_of(VmId id) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>((id * kHashFactor) >> 32) & mask;
  while (slots_[slot] != 0 && order_[slots_[slot] - 1]->id != id) slot = (slot + 1) & mask;
  return slot;
}

BookedClass* ClassBook::find(VmId id) const noexcept {
  const std::uint32_t taken = slots_[slot_of(id)];
  return taken != 0 ? order_[taken - 1] : nullptr;
}

BookedClass* ClassBook::find_or_add(VmId id) noexcept {
  if (BookedClass* const known = find(id)) return known;
  if (count_ == order_.size() && !grow()) return nullptr;
  auto made = arena_->make_filled<BookedClass>(1, BookedClass{});
  if (!made) return nullptr;
  BookedClass& added = (*made)[0];
  added.id = id;
  added.number = count_;
  order_[count_] = &added;
  slots_[slot_of(id)] = ++count_;
  return &added;
}

// The old tables stay where they are, which is at most as much again.
bool ClassBook::grow() noexcept {
  auto order = arena_->make<BookedClass*>(order_.size() * 2);
  auto slots = arena_->make_filled<std::uint32_t>(slots_.size() * 2, 0);
  if (!order || !slots) return false;
  std::copy(order_.begin(), order_.end(), order->begin());
  order_ = *order;
  slots_ = *slots;
  for (std::uint32_t i = 0; i < count_; ++i) slots_[slot_of(order_[i]->id)] = i + 1;
  return true;
}

bool ClassBook::tell(const JVMPI_Event& event, BookedClass& out) noexcept {
  const auto& load = event.u.class_load;
  if (is_odd(load.num_interfaces) || is_odd(load.num_static_fields) ||
      is_odd(load.num_instance_fields))
    return false;
  // A class of which fields are missing would have those of its superclass read at wrong places.
  if ((load.num_static_fields > 0 && load.statics == nullptr) ||
      (load.num_instance_fields > 0 && load.instances == nullptr))
    return false;
  const auto statics = fields_of(load.statics, load.num_static_fields);
  const auto instances = fields_of(load.instances, load.num_instance_fields);
  if (!std::all_of(statics.begin(), statics.end(), has_type) ||
      !std::all_of(instances.begin(), instances.end(), has_type))
    return false;
  const std::size_t name = length_of(load.class_name);
  auto types = arena_->make<ValueType>(statics.size() + instances.size());
  auto text = arena_->make<char>(name + text_bytes(statics) + text_bytes(instances));
  if (!types || !text) return false;
  char* const names = append(text->data(), load.class_name);
  char* at = names;
  std::size_t next = 0;
  for (const auto& fields : {statics, instances})
    for (const JVMPI_Field& field : fields) {
      (*types)[next++] = type_of(field);
      at = append(at, field.field_name);
      *at++ = '\0';
    }
  out.name = {text->data(), name};
  out.field_names = {names, static_cast<std::size_t>(at - names)};
  out.shape.interfaces = static_cast<std::uint32_t>(load.num_interfaces);
  out.shape.statics = types->first(statics.size());
  out.shape.instances = types->subspan(statics.size());
  if (out.name == "java.lang.ref.Reference")
    out.referent_ordinal = ordinal_of("referent", out.field_names);
  return true;
}

}  // namespace holdfast::jvmpi
