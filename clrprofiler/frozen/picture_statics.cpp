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

// Twice: counted, then noted. A class stands in one place, so the second look finds what the first one has.
template <class ForEach>
Result<std::span<FieldSlot>> collect_fields(ForEach for_each_field, Arena& arena) noexcept {
  std::size_t count = 0;
  HF_CHECK_OK(for_each_field([&](const FieldSlot&) { ++count; }));
  HF_TRY(fields, arena.make<FieldSlot>(count));
  std::size_t used = 0;
  HF_CHECK_OK(for_each_field([&](const FieldSlot& field) {
    if (used < fields.size()) fields[used++] = field;
  }));
  const auto found = fields.first(used);
  std::sort(found.begin(), found.end(), [](const FieldSlot& a, const FieldSlot& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.owner < b.owner;
  });
  return found;
}

}  // namespace

Result<void> PictureStatics::collect(const RuntimeLayout& layout, std::span<const Address> modules,
                                     const KnownClasses& met, Arena& arena) noexcept {
  const auto for_each_class = [&](auto visit) -> Result<void> {
    const ArenaScope scratch(arena);
    return EachClass(layout, visit).run(modules, met, arena);
  };
  const auto shared = [&](auto visit) {
    return for_each_class([&](Address type) {
      for_each_static_slot(layout, type, [&](Address slot, std::uint32_t token) {
        visit(FieldSlot{slot, type, token});
      });
    });
  };
  const auto of_thread = [&](auto visit) {
    return for_each_class([&](Address type) {
      for_each_thread_static(layout, type,
                             [&](std::uint32_t place, std::uint32_t offset, std::uint32_t token) {
                               visit(FieldSlot{place_in_thread(place, offset), type, token});
                             });
    });
  };
  HF_TRY(fields, collect_fields(shared, arena));
  HF_TRY(of_threads, collect_fields(of_thread, arena));
  fields_ = fields;
  of_threads_ = of_threads;
  return {};
}

}  // namespace holdfast::clr
