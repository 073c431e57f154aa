#include "clrprofiler/roots/static_owners.h"

#include <algorithm>
#include <bit>

#include "clrprofiler/roots/module_fields.h"

namespace holdfast::clr {
namespace {

constexpr ULONG kBatch = 256;
constexpr std::size_t kMostBaseClasses = 256;  // above one class; chains are short
constexpr std::size_t kMostKnownFields = 1u << 15;
constexpr std::size_t kMoreClasses = 1u << 14;  // base classes and those of compiled methods
constexpr mdFieldDef kFirstField = 0x04000001;
constexpr mdFieldDef kLastField = 0x04FFFFFF;

// Numbers but 0. Open addressing, at most half full; a full one takes no more.
class NumberSet {
 public:
  Result<void> make(std::size_t most, Arena& arena) noexcept {
    HF_TRY(numbers, arena.make_filled<std::uint64_t>(std::bit_ceil(2 * most), 0));
    numbers_ = numbers;
    return {};
  }
  // False when it is there already, or there is no room.
  bool add(std::uint64_t number) noexcept {
    std::uint64_t& place = place_of(number);
    if (number == 0 || place == number || 2 * used_ >= numbers_.size()) return false;
    place = number;
    ++used_;
    return true;
  }
  bool has(std::uint64_t number) noexcept { return place_of(number) == number; }
  std::uint32_t used() const noexcept { return static_cast<std::uint32_t>(used_); }

 private:
  std::uint64_t& place_of(std::uint64_t number) noexcept {
    const std::size_t mask = numbers_.size() - 1;
    std::size_t at = static_cast<std::size_t>((number * 0x9E3779B97F4A7C15u) >> 20) & mask;
    while (numbers_[at] != 0 && numbers_[at] != number) at = (at + 1) & mask;
    return numbers_[at];
  }

  std::span<std::uint64_t> numbers_;
  std::size_t used_ = 0;
};

// Two fields of one key would only leave an owner unknown.
std::uint64_t key_of(ModuleID module, mdFieldDef field) noexcept {
  return module ^ (std::uint64_t{field} << 32) ^ field;
}

class OwnerSearch {
 public:
  OwnerSearch(ProfilerInfo& info, std::span<StaticOwner> owners) noexcept
      : info_(info), owners_(owners) {}

  Result<void> open(std::span<const StaticSlot> slots, std::size_t classes,
                    Arena& scratch) noexcept {
    HF_TRY(made, StaticSlots::make(slots, scratch));
    slots_ = made;
    left_ = slots.size();
    HF_CHECK_OK(asked_.make(classes + kMoreClasses, scratch));
    HF_CHECK_OK(known_fields_.make(kMostKnownFields, scratch));
    return modules_.open(info_, scratch);
  }

  bool done() const noexcept { return left_ == 0; }

  void ask_with_bases(ClassID id) noexcept {
    for (std::size_t i = 0; i < kMostBaseClasses && !done() && asked_.add(id); ++i) id = ask(id);
  }

  // No class of a collectible module is among these: its methods may go with it while they are asked.
  void ask_compiled_methods() noexcept {
    if (modules_.collectible() != 0 || !info_.has(Needs::kObjectSizes64)) return;
    ComRef<ICorProfilerFunctionEnum> listed;
    if (!succeeded(info_->EnumJITedFunctions2(listed.out()))) return;
    COR_PRF_FUNCTION batch[kBatch];
    ULONG fetched = 0;
    while (!done() && succeeded(listed->Next(kBatch, batch, &fetched)) && fetched != 0)
      for (const COR_PRF_FUNCTION& one : std::span(batch, std::min(fetched, kBatch)))
        ask_class_of(one.functionId);
  }

  Result<void> eliminate(Arena& scratch) noexcept;
  OwnerFigures figures() const noexcept;

 private:
  // Answers its base class; 0: none, or not to be asked.
  ClassID ask(ClassID id) noexcept {
    ModuleID module = 0;
    mdTypeDef type = 0;
    ClassID base = 0;
    ULONG32 arguments = 0;
    const HRESULT answer =
        info_->GetClassIDInfo2(id, &module, &type, &base, 0, &arguments, nullptr);
    if (!succeeded(answer)) return 0;  // an array, say
    const FieldsOfModule* fields = modules_.find(module);
    if (fields == nullptr || arguments != 0) return base;
    ask_fields(*fields, id, type);
    return base;
  }

  void ask_class_of(FunctionID function) noexcept {
    ClassID id = 0;
    ModuleID module = 0;
    mdToken token = 0;
    if (succeeded(info_->GetFunctionInfo(function, &id, &module, &token))) ask_with_bases(id);
  }

  void ask_fields(const FieldsOfModule& module, ClassID id, mdTypeDef type) noexcept {
    HCORENUM listed = nullptr;
    mdFieldDef batch[kBatch];
    ULONG fetched = 0;
    while (!done() &&
           succeeded(module.metadata->EnumFields(&listed, type, batch, kBatch, &fetched)) &&
           fetched != 0)
      for (const mdFieldDef field : std::span(batch, std::min(fetched, kBatch)))
        ask_field(module, id, field);
    if (listed != nullptr) module.metadata->CloseEnum(listed);
  }

  void ask_field(const FieldsOfModule& module, ClassID id, mdFieldDef field) noexcept {
    if (!field_.read(*module.metadata, field) || !field_.holds_object ||
        !slots_.has_name(field_.name))
      return;
    void* address = nullptr;
    const HRESULT answer = info_->GetAppDomainStaticAddress(id, field, module.domain, &address);
    // Not initialised: its slot may have a value all the same, which the compiler put there.
    if (answer != CORPROF_E_DATAINCOMPLETE) known_fields_.add(key_of(module.module, field));
    if (answer != S_OK) return;
    const std::uint32_t slot = slots_.find(reinterpret_cast<std::uintptr_t>(address), field_.name);
    if (slot == StaticSlots::kNone || owners_[slot].proof != OwnerProof::kNone) return;
    owners_[slot] = {module.module, field_.owner, id, OwnerProof::kAddress};
    --left_;
  }

  struct Candidate {
    ModuleID module = 0;
    mdTypeDef type = 0;
    std::uint32_t fields = 0;  // static ones of this name that hold objects
    std::uint32_t slots = 0;   // of this name without an owner
  };
  void count_candidates(const FieldsOfModule& module, std::span<Candidate> candidates) noexcept;

  ProfilerInfo& info_;
  std::span<StaticOwner> owners_;
  StaticSlots slots_;
  ModuleFields modules_;
  NumberSet asked_;         // ClassIDs
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
  for (const FieldsOfModule& module : modules_.modules()) count_candidates(module, candidates);
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
  figures.classes_asked = asked_.used();
  figures.collectible_modules = modules_.collectible();
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
  for (const ClassID id : classes) search.ask_with_bases(id);
  search.ask_compiled_methods();
  if (!search.done()) HF_CHECK_OK(search.eliminate(scratch));
  return search.figures();
}

}  // namespace holdfast::clr
