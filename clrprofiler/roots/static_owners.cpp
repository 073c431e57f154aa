#include "clrprofiler/roots/static_owners.h"

#include <algorithm>

#include "clrprofiler/roots/field_search.h"

namespace holdfast::clr {
namespace {

constexpr std::size_t kMostKnownFields = 1u << 15;
constexpr mdFieldDef kFirstField = 0x04000001;
constexpr mdFieldDef kLastField = 0x04FFFFFF;

// Two fields of one key would only leave an owner unknown.
std::uint64_t key_of(ModuleID module, mdFieldDef field) noexcept {
  return module ^ (std::uint64_t{field} << 32) ^ field;
}

class OwnerSearch {
 public:
  OwnerSearch(ProfilerInfo& info, std::span<StaticOwner> owners) noexcept
      : owners_(owners), fields_(info, *this) {}

  Result<void> open(std::span<const StaticSlot> slots, std::size_t classes,
                    Arena& scratch) noexcept {
    HF_TRY(made, StaticSlots::make(slots, scratch));
    slots_ = made;
    left_ = slots.size();
    HF_CHECK_OK(known_fields_.make(kMostKnownFields, scratch));
    return fields_.open(classes, scratch);
  }

  FieldSearch<OwnerSearch>& fields() noexcept { return fields_; }
  Result<void> eliminate(Arena& scratch) noexcept;
  OwnerFigures figures() const noexcept;
  bool done() const noexcept { return left_ == 0; }

 private:
  friend class FieldSearch<OwnerSearch>;

  // -- what the search of fields asks --
  bool wants(const StaticField& field) const noexcept { return slots_.has_name(field.name); }
  void found(const FieldsOfModule& module, ClassID id, mdFieldDef number, const StaticField& field,
             HRESULT answer, std::uint64_t address) noexcept {
    // Not initialised: its slot may have a value all the same, which the compiler put there.
    if (answer != CORPROF_E_DATAINCOMPLETE) known_fields_.add(key_of(module.module, number));
    if (answer != S_OK) return;
    const std::uint32_t slot = slots_.find(address, field.name);
    if (slot == StaticSlots::kNone || owners_[slot].proof != OwnerProof::kNone) return;
    owners_[slot] = {module.module, field.owner, id, OwnerProof::kAddress};
    --left_;
  }

  struct Candidate {
    ModuleID module = 0;
    mdTypeDef type = 0;
    std::uint32_t fields = 0;  // static ones of this name that hold objects
    std::uint32_t slots = 0;   // of this name without an owner
  };
  void count_candidates(const FieldsOfModule& module, std::span<Candidate> candidates) noexcept;

  std::span<StaticOwner> owners_;
  FieldSearch<OwnerSearch> fields_;
  StaticSlots slots_;
  NumberSet known_fields_;  // keys of those of a wanted name whose slot is known, and no other
  StaticField field_;
  std::size_t left_ = 0;
};

void OwnerSearch::count_candidates(const FieldsOfModule& module,
                                   std::span<Candidate> candidates) noexcept {
  for (mdFieldDef field = kFirstField; field <= kLastField; ++field) {
    if (!field_.read(*module.metadata, field)) return;  // behind the last one
    if (!field_.holds_object) continue;
    const std::uint32_t first = slots_.first_of(field_.name);
    if (first == StaticSlots::kNone || candidates[first].slots != 1) continue;
    if (known_fields_.has(key_of(module.module, field)) ||
        is_generic_type(*module.metadata, field_.owner))
      continue;
    Candidate& candidate = candidates[first];
    candidate.module = module.module;
    candidate.type = field_.owner;
    ++candidate.fields;
  }
}

Result<void> OwnerSearch::eliminate(Arena& scratch) noexcept {
  HF_TRY(candidates, scratch.make_filled<Candidate>(owners_.size(), Candidate{}));
  for (std::size_t i = 0; i < owners_.size(); ++i)
    if (owners_[i].proof == OwnerProof::kNone)
      ++candidates[slots_.first_of(slots_.slots()[i].name)].slots;
  for (const FieldsOfModule& module : fields_.modules().modules())
    count_candidates(module, candidates);
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    const Candidate& candidate = candidates[slots_.first_of(slots_.slots()[i].name)];
    if (owners_[i].proof != OwnerProof::kNone || candidate.slots != 1 || candidate.fields != 1)
      continue;
    owners_[i] = {candidate.module, candidate.type, 0, OwnerProof::kElimination};
    --left_;
  }
  return {};
}

OwnerFigures OwnerSearch::figures() const noexcept {
  OwnerFigures figures;
  for (const StaticOwner& owner : owners_) {
    figures.by_address += owner.proof == OwnerProof::kAddress ? 1 : 0;
    figures.by_elimination += owner.proof == OwnerProof::kElimination ? 1 : 0;
    figures.unknown += owner.proof == OwnerProof::kNone ? 1 : 0;
  }
  figures.classes_asked = fields_.classes_asked();
  figures.collectible_modules = fields_.modules().collectible();
  return figures;
}

}  // namespace

Result<OwnerFigures> find_static_owners(ProfilerInfo& info, std::span<const StaticSlot> slots,
                                        std::span<const ClassID> classes,
                                        std::span<StaticOwner> owners, Arena& scratch) noexcept {
  std::fill(owners.begin(), owners.end(), StaticOwner{});
  const ArenaScope scope(scratch);
  OwnerSearch search(info, owners);
  HF_CHECK_OK(search.open(slots, classes.size(), scratch));
  for (const ClassID id : classes) search.fields().ask_with_bases(id);
  search.fields().ask_compiled_methods();
  if (!search.done()) HF_CHECK_OK(search.eliminate(scratch));
  return search.figures();
}

}  // namespace holdfast::clr
