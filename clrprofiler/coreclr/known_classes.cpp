#include "clrprofiler/coreclr/known_classes.h"

#include "clrprofiler/coreclr/object_header.h"

namespace holdfast::clr {

namespace {

constexpr Address kSharesCode = 1;  // bit of the word that leads to a class's EEClass

bool has_sizes(Address type) noexcept {
  constexpr std::uint32_t kMostBaseBytes = 1u << 28;
  const auto base = read_checked<std::uint32_t>(type + 4);
  return base && *base >= 2 * sizeof(Address) && *base <= kMostBaseBytes;
}

}  // namespace

SharedClass shared_class(const RuntimeLayout& layout, Address type) noexcept {
  auto link = read_word(type + layout.class_shared);
  if (link && (*link & kSharesCode) != 0) {
    type = *link & ~kSharesCode;
    link = read_word(type + layout.class_shared);
  }
  if (!link || *link == 0 || (*link & kSharesCode) != 0) return {};
  return {type, *link};
}

bool is_class(const RuntimeLayout& layout, Address type) noexcept {
  if (type == 0 || type % sizeof(Address) != 0 || !has_sizes(type)) return false;
  const SharedClass shared = shared_class(layout, type);
  if (shared.eeclass == 0) return false;
  const auto owner = read_word(shared.eeclass + layout.shared_class);
  return owner && *owner == shared.type;
}

Result<void> KnownClasses::make(std::uint32_t most, Arena& arena) noexcept {
  HF_TRY(table, ClassTable::make(arena, most));
  HF_TRY(sound, arena.make_filled<bool>(table.capacity(), false));
  HF_TRY(context, arena.make_filled<Address>(table.capacity(), 0));
  table_ = table;
  sound_ = sound;
  context_ = context;
  return {};
}

void KnownClasses::prove(Address type, std::uint32_t index) noexcept {
  sound_[index] = is_class(layout_, type) && prove_context(type, index);
}

bool KnownClasses::prove_context(Address type, std::uint32_t index) noexcept {
  if (!is_collectible(type)) return true;
  const auto context = contexts_.object_of(type);
  if (!context) return false;
  context_[index] = *context;
  return true;
}

}  // namespace holdfast::clr
