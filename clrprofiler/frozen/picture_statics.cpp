#include "clrprofiler/frozen/picture_statics.h"

#include "clrprofiler/coreclr/loaded_instantiations.h"
#include "clrprofiler/coreclr/loaded_types.h"

namespace holdfast::clr {

namespace {

constexpr std::size_t kMostStaticClasses = 1u << 18;

// Every class once, with its base classes: visit(class).
template <class Visit>
class EachClass {
 public:
  EachClass(const RuntimeLayout& layout, Visit visit) noexcept : layout_(layout), visit_(visit) {}
  Result<void> run(std::span<const Address> modules, const KnownClasses& met,
                   Arena& scratch) noexcept {
    HF_CHECK_OK(seen_.make(kMostStaticClasses, scratch));
    met.for_each([this](Address type) { with_bases(type); });
    for (const Address module : modules)
      if (is_lasting(layout_, module)) {
        for_each_loaded_type(layout_, module, [this](Address type) { with_bases(type); });
        for_each_instantiation(layout_, module, [this](Address type) { with_bases(type); });
      }
    return {};
  }

 private:
  void with_bases(Address type) noexcept {
    while (type != 0 && seen_.add(type)) {
      visit_(type);
      const auto parent = read_word(type + layout_.class_parent);
      type = parent && is_class(layout_, *parent) ? *parent : 0;
    }
  }

  const RuntimeLayout& layout_;
  Visit visit_;
  NumberSet seen_;
};

}  // namespace

// Twice: counted, then noted. A class stands in one place, so the second look finds what the first one has.
Result<void> PictureStatics::collect(const RuntimeLayout& layout, std::span<const Address> modules,
                                     const KnownClasses& met, Arena& arena) noexcept {
  const auto for_each_field = [&](auto visit) -> Result<void> {
    const ArenaScope scratch(arena);
    return EachClass(layout,
                     [&](Address type) {
                       for_each_static_slot(layout, type, [&](Address slot, std::uint32_t token) {
                         visit(FieldSlot{slot, type, token});
                       });
                     })
        .run(modules, met, arena);
  };
  std::size_t count = 0;
  HF_CHECK_OK(for_each_field([&](const FieldSlot&) { ++count; }));
  HF_TRY(fields, arena.make<FieldSlot>(count));
  std::size_t used = 0;
  HF_CHECK_OK(for_each_field([&](const FieldSlot& field) {
    if (used < fields.size()) fields[used++] = field;
  }));
  fields_ = fields.first(used);
  std::sort(fields_.begin(), fields_.end(), [](const FieldSlot& a, const FieldSlot& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.owner < b.owner;
  });
  return {};
}

}  // namespace holdfast::clr
