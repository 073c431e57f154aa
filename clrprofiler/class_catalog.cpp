#include "clrprofiler/class_catalog.h"

namespace holdfast::clr {

Result<void> read_class_catalog(ProfilerInfo& info, std::span<const ClassID> ids, NameRoom more,
                                CaptureMemory& memory, Catalog& out) noexcept {
  const ArenaScope scratch(memory.work_arena());
  Modules modules;
  HF_CHECK_OK(modules.open(info, memory.work_arena()));
  ClassReader reader;
  HF_CHECK_OK(reader.open(info, modules, memory.work_arena()));
  return fill_classes(reader, ids, more, memory, out);
}

}  // namespace holdfast::clr
