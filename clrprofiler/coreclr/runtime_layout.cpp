#include "clrprofiler/coreclr/runtime_layout.h"

#include <cstdio>

#include "clrprofiler/coreclr/contract_descriptor.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kMostOffset = 1 << 16;

constexpr std::uint32_t kTold = UINT32_MAX, kAtBegin = 0;

// A field's offset in its structure.
struct OffsetNeed {
  std::uint32_t RuntimeLayout::*into;
  const char* type;
  const char* field;
  std::uint32_t of_9 = kTold;  // there, and not told by .NET 9
};
constexpr OffsetNeed kOffsets[] = {
    {&RuntimeLayout::first_thread, "ThreadStore", "FirstThreadLink"},
    {&RuntimeLayout::thread_link, "Thread", "LinkNext"},
    {&RuntimeLayout::thread_locals, "Thread", "RuntimeThreadLocals"},
    {&RuntimeLayout::thread_statics, "Thread", "ThreadLocalDataPtr", 928},
    {&RuntimeLayout::statics_array, "ThreadLocalData", "NonCollectibleTlsArrayData", 8},
    {&RuntimeLayout::thread_frame, "Thread", "Frame"},
    {&RuntimeLayout::component_count, "Array", "m_NumComponents"},
    {&RuntimeLayout::module_allocator, "Module", "LoaderAllocator"},
    {&RuntimeLayout::module_types, "Module", "TypeDefToMethodTableMap"},
    {&RuntimeLayout::types_next, "ModuleLookupMap", "Next", kAtBegin},
    {&RuntimeLayout::types_table, "ModuleLookupMap", "TableData"},
    {&RuntimeLayout::types_count, "ModuleLookupMap", "Count", 16},
    {&RuntimeLayout::types_flags, "ModuleLookupMap", "SupportedFlagsMask", 24},
    {&RuntimeLayout::module_instances, "Module", "AvailableTypeParams", 808},
    {&RuntimeLayout::instances_buckets, "EETypeHashTable", "Buckets", 16},
    {&RuntimeLayout::instance_class, "EETypeHashTable", "VolatileEntryValue", kAtBegin},
    {&RuntimeLayout::instance_next, "EETypeHashTable", "VolatileEntryNextEntry", 8},
    {&RuntimeLayout::class_shared, "MethodTable", "EEClassOrCanonMT"},
    {&RuntimeLayout::shared_class, "EEClass", "MethodTable"},
    {&RuntimeLayout::class_module, "MethodTable", "Module"},
    {&RuntimeLayout::class_parent, "MethodTable", "ParentMethodTable"},
    {&RuntimeLayout::class_flags2, "MethodTable", "MTFlags2"},
    {&RuntimeLayout::statics_info_bytes, "DynamicStaticsInfo", "!", 24},
    {&RuntimeLayout::statics_info_slots, "DynamicStaticsInfo", "GCStatics", kAtBegin},
    {&RuntimeLayout::thread_info_bytes, "ThreadStaticsInfo", "!", 40},
    {&RuntimeLayout::thread_info_index, "ThreadStaticsInfo", "GCTlsIndex", 4},
    {&RuntimeLayout::shared_fields, "EEClass", "FieldDescList", 24},
    {&RuntimeLayout::class_auxiliary, "MethodTable", "AuxiliaryData", 32},
    {&RuntimeLayout::auxiliary_module, "MethodTableAuxiliaryData", "LoaderModule", 8},
};

class LayoutReader {
 public:
  LayoutReader(const ContractDescriptor& told, RuntimeLayout& out, RuntimeRefusal& why_not) noexcept
      : told_(told), out_(out), why_not_(why_not) {}

  bool read() noexcept { return read_offsets() && read_allocation() && read_globals(); }

 private:
  bool refuse(const char* type, const char* field) noexcept {
    std::snprintf(why_not_.text, sizeof why_not_.text, "the runtime does not tell %s%s%s", type,
                  field[0] != '\0' ? "." : "", field);
    return false;
  }
  bool read_offset(const char* type, const char* field, std::uint32_t& out) noexcept {
    const auto offset = told_.offset(type, field);
    if (!offset || *offset >= kMostOffset) return refuse(type, field);
    out = static_cast<std::uint32_t>(*offset);
    return true;
  }
  bool read_offsets() noexcept {
    for (const OffsetNeed& need : kOffsets)
      if (!read_need(need)) return false;
    return true;
  }
  bool read_need(const OffsetNeed& need) noexcept {
    if (need.of_9 == kTold || !is_9_ || told_.offset(need.type, need.field))
      return read_offset(need.type, need.field, out_.*need.into);
    out_.*need.into = need.of_9;
    return true;
  }

  // A thread's locals hold the runtime's allocation context, and that the collector's; 9 has no layer in between.
  bool read_allocation() noexcept {
    std::uint32_t context = 0, pointer = 0, limit = 0;
    if (!read_offset("RuntimeThreadLocals", "AllocContext", context) ||
        !read_offset("GCAllocContext", "Pointer", pointer) ||
        !read_offset("GCAllocContext", "Limit", limit))
      return false;
    std::uint32_t inner = 0;
    if (!is_9_ && !read_offset("EEAllocContext", "GCAllocationContext", inner)) return false;
    context += inner;
    out_.allocation_pointer = context + pointer;
    out_.allocation_limit = context + limit;
    return true;
  }

  bool read_globals() noexcept {
    const auto store = told_.pointer("ThreadStore");
    if (!store || !read_word(*store)) return refuse("ThreadStore", "");
    out_.thread_store = *store;
    const auto free_class = told_.pointer("FreeObjectMethodTable");
    const auto value = free_class ? read_word(*free_class) : std::nullopt;
    if (!value || *value == 0) return refuse("FreeObjectMethodTable", "");
    out_.free_class = *value;
    if (!read_lasting_allocator()) return refuse("ObjectMethodTable", "");
    const auto unmask = told_.number("ObjectToMethodTableUnmask");
    if (!unmask || *unmask > 7) return refuse("ObjectToMethodTableUnmask", "");
    out_.mark_bits = *unmask;
    return true;
  }

  // That of the module which System.Object belongs to.
  bool read_lasting_allocator() noexcept {
    const auto variable = told_.pointer("ObjectMethodTable");
    const auto type = variable ? read_word(*variable) : std::nullopt;
    const auto module = type ? read_word(*type + out_.class_module) : std::nullopt;
    const auto allocator = module ? read_word(*module + out_.module_allocator) : std::nullopt;
    out_.lasting_allocator = allocator.value_or(0);
    return out_.lasting_allocator != 0;
  }

  const ContractDescriptor& told_;
  RuntimeLayout& out_;
  RuntimeRefusal& why_not_;
  // The only one that describes itself and has no allocation context of its own around the collector's.
  const bool is_9_ = !told_.offset("EEAllocContext", "GCAllocationContext");
};

}  // namespace

bool read_runtime_layout(RuntimeSymbol symbol, RuntimeLayout& out,
                         RuntimeRefusal& why_not) noexcept {
  out = RuntimeLayout{};
  const auto told = ContractDescriptor::read(symbol("DotNetRuntimeContractDescriptor"));
  if (!told) {
    std::snprintf(why_not.text, sizeof why_not.text,
                  "the runtime does not describe itself (that begins with .NET 9)");
    return false;
  }
  if (!LayoutReader(*told, out, why_not).read()) return false;
  const char* missing = read_gc_tables(symbol("g_dacTable"), out.gc);
  if (missing == nullptr) return true;
  std::snprintf(why_not.text, sizeof why_not.text, "the collector does not tell %s", missing);
  return false;
}

}  // namespace holdfast::clr
