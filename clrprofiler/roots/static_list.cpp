#include "clrprofiler/roots/static_list.h"

#include <algorithm>

#include "clrprofiler/roots/field_search.h"

namespace holdfast::clr {

// What the search of fields finds goes into the list.
class SlotCollector {
 public:
  explicit SlotCollector(StaticList& list) noexcept : list_(list) {}
  bool done() const noexcept { return list_.full(); }
  bool wants(const StaticField& field) const noexcept {
    return field.holds_reference && !field.name.empty();
  }
  void found(const FieldsOfModule&, ClassID, mdFieldDef, const StaticField& field, HRESULT answer,
             std::uint64_t address) noexcept {
    if (answer == S_OK && address != 0 && address % sizeof(void*) == 0)
      list_.add(address, field.name);
  }

 private:
  StaticList& list_;
};

Result<void> StaticList::list(ProfilerInfo& info, std::uint32_t most, std::uint32_t most_name_units,
                              Arena& arena) noexcept {
  HF_TRY(slots, arena.make<Slot>(most));
  HF_TRY(names, arena.make<char16_t>(most_name_units));
  slots_ = slots;
  names_ = names;
  const ArenaScope scratch(arena);
  SlotCollector collector(*this);
  FieldSearch<SlotCollector> search(info, collector);
  HF_CHECK_OK(search.open(0, arena));
  search.ask_compiled_methods();
  return {};
}

void StaticList::add(std::uint64_t address, std::u16string_view name) noexcept {
  full_ = count_ == slots_.size() || name.size() > names_.size() - name_units_;
  if (full_) return;
  slots_[count_++] = {static_cast<std::uintptr_t>(address), 0,
                      static_cast<std::uint32_t>(name_units_),
                      static_cast<std::uint32_t>(name.size())};
  std::copy(name.begin(), name.end(), names_.begin() + static_cast<std::ptrdiff_t>(name_units_));
  name_units_ += name.size();
}

bool StaticList::record(HeapRecording& recording) const noexcept {
  for (const Slot& slot : slots_.first(count_)) {
    if (slot.object == 0) continue;
    RecordedStatic recorded;
    recorded.slot = slot.address;
    recorded.object = slot.object;
    recorded.name_at = static_cast<std::uint32_t>(recording.names.size());
    recorded.name_units = slot.name_units;
    for (const char16_t unit : names_.subspan(slot.name_at, slot.name_units))
      if (!recording.names.push(unit)) return false;
    if (!recording.statics.push(recorded)) return false;
  }
  return !full_;
}

}  // namespace holdfast::clr
