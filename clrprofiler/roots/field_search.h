// The static fields of classes, each class asked once, by ClassIDs that somebody has got already: nothing is loaded for it.
// Why a template: two searches differ in which fields they want and when they have all of them.
// Shape:  Sink: bool done(); bool wants(const StaticField&); void found(const FieldsOfModule&, ClassID, mdFieldDef, const StaticField&,
//         HRESULT, address): what GetAppDomainStaticAddress answers. 16 B a class.
//         Generic classes are left out: their slots are not told. Collectible modules too: they may go while they are asked.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC, application running.
// Errors: open(): the runtime's, kOutOfBudget.
#pragma once

#include <algorithm>
#include <cstdint>

#include "clrprofiler/roots/module_fields.h"
#include "clrprofiler/roots/number_set.h"

namespace holdfast::clr {

template <class Sink>
class FieldSearch {
 public:
  FieldSearch(ProfilerInfo& info, Sink& sink) noexcept : info_(info), sink_(sink) {}

  // `classes`: about so many will be asked for, base classes and those of compiled methods not counted.
  Result<void> open(std::size_t classes, Arena& scratch) noexcept {
    HF_CHECK_OK(asked_.make(classes + kMoreClasses, scratch));
    return modules_.open(info_, scratch);
  }

  const ModuleFields& modules() const noexcept { return modules_; }
  std::uint32_t classes_asked() const noexcept { return asked_.used(); }

  void ask_with_bases(ClassID id) noexcept {
    for (std::size_t i = 0; i < kMostBaseClasses && !sink_.done() && asked_.add(id); ++i)
      id = ask(id);
  }

  // No class of a collectible module is among these: its methods may go with it while they are asked.
  void ask_compiled_methods() noexcept {
    if (modules_.collectible() != 0 || !info_.has(Needs::kObjectSizes64)) return;
    ComRef<ICorProfilerFunctionEnum> listed;
    if (!succeeded(info_->EnumJITedFunctions2(listed.out()))) return;
    COR_PRF_FUNCTION batch[kBatch];
    ULONG fetched = 0;
    while (!sink_.done() && succeeded(listed->Next(kBatch, batch, &fetched)) && fetched != 0)
      for (const COR_PRF_FUNCTION& one : std::span(batch, std::min(fetched, kBatch)))
        ask_class_of(one.functionId);
  }

 private:
  static constexpr ULONG kBatch = 256;
  static constexpr std::size_t kMostBaseClasses = 256;  // above one class; chains are short
  static constexpr std::size_t kMoreClasses = 1u
                                              << 14;  // base classes and those of compiled methods

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
    while (!sink_.done() &&
           succeeded(module.metadata->EnumFields(&listed, type, batch, kBatch, &fetched)) &&
           fetched != 0)
      for (const mdFieldDef field : std::span(batch, std::min(fetched, kBatch)))
        ask_field(module, id, field);
    if (listed != nullptr) module.metadata->CloseEnum(listed);
  }

  void ask_field(const FieldsOfModule& module, ClassID id, mdFieldDef field) noexcept {
    if (!field_.read(*module.metadata, field) || !field_.holds_object || !sink_.wants(field_))
      return;
    void* address = nullptr;
    const HRESULT answer = info_->GetAppDomainStaticAddress(id, field, module.domain, &address);
    sink_.found(module, id, field, field_, answer, reinterpret_cast<std::uintptr_t>(address));
  }

  ProfilerInfo& info_;
  Sink& sink_;
  ModuleFields modules_;
  NumberSet asked_;  // ClassIDs
  StaticField field_;
};

}  // namespace holdfast::clr
