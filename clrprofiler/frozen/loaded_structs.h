// The class of a struct that a field embeds, looked up among those that the runtime has loaded: in memory, so nothing is loaded.
// Why: on a thread that the runtime does not know its own call ends the process as soon as it has to load something.
// Shape:  structs by their module's table of types; generic ones among the instantiations that the given modules keep, 24 B each.
//         Code and layout are shared between reference types, so an instantiation with another reference type in an argument's place will do.
// Zone:   capture, application running, while nothing is unloaded.
// Errors: list(): kOutOfBudget; generic structs are not known then.
#pragma once

#include "clrprofiler/coreclr/runtime_layout.h"
#include "clrprofiler/names/class_reader.h"
#include "clrprofiler/names/struct_types.h"

namespace holdfast::clr {

class LoadedStructs final : public StructTypes {
 public:
  // All outlive this object.
  // `modules`: those that are never unloaded.
  LoadedStructs(const RuntimeLayout& layout, std::span<const Address> modules,
                ClassReader& reader) noexcept
      : layout_(layout), modules_(modules), reader_(reader) {}
  Result<void> list(Arena& arena) noexcept;

  ClassID find(ModuleID module, mdTypeDef token, std::span<ClassID> arguments) noexcept override;

 private:
  struct Instance {
    Address module = 0;     // that defines the generic type
    std::uint32_t row = 0;  // there
    Address type = 0;
    static bool before(const Instance& a, const Instance& b) noexcept {
      return a.module != b.module ? a.module < b.module : a.row < b.row;
    }
  };
  template <class Visit>
  void for_each_instance(Visit visit) const noexcept;
  bool fits(Address type, std::span<const ClassID> arguments) noexcept;

  const RuntimeLayout& layout_;
  std::span<const Address> modules_;
  ClassReader& reader_;
  std::span<Instance> instances_;  // by module and row
};

}  // namespace holdfast::clr
