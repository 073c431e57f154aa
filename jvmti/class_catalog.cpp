#include "jvmti/class_catalog.h"

#include <algorithm>
#include <bit>

#include "common/vm_adapter.h"
#include "jvmti/catalog_names.h"
#include "jvmti/error_map.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

// Text of a field's, loader's and thread's name, as they come in practice. A table that fills up drops names and counts them.
constexpr std::uint64_t kFieldNameBytes = 20;
constexpr std::uint64_t kLoaderNameBytes = 128;
constexpr std::uint64_t kThreadNameBytes = 64;
constexpr std::uint64_t kTableBytesPerName = 20;  // offsets and slots at most, string_table.h
constexpr std::uint64_t kAlignment = 1024;        // arrays begin at multiples of 64 bytes

struct TableSizes {
  std::uint32_t names = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t rows_bytes = 0;
  std::uint64_t total() const noexcept {
    const std::uint64_t slots = std::bit_ceil(std::uint64_t{names} * 2 + 2);
    return rows_bytes + text_bytes + (slots + names + 2) * sizeof(std::uint32_t) + kAlignment;
  }
};

// Everything that the catalog arena will hold in this dump, the walk's own tables (heap_walk.cpp) included.
TableSizes sizes_of(const ClassScan& scan, CatalogUse use, bool with_fields,
                    std::uint64_t arena_bytes) noexcept {
  const std::uint64_t classes = scan.class_count();
  const std::uint64_t fields = with_fields ? scan.field_total : 0;
  const std::uint64_t others = std::uint64_t{scan.loader_count()} + scan.thread_count();
  const std::uint64_t methods =
      std::min(kMaxMethodNames, arena_bytes / 8 / (kMethodNameBytes + kTableBytesPerName));
  TableSizes sizes;
  sizes.names = static_cast<std::uint32_t>(classes + fields + others + methods);
  sizes.text_bytes = scan.name_bytes + fields * kFieldNameBytes +
                     scan.loader_count() * kLoaderNameBytes +
                     scan.thread_count() * kThreadNameBytes + methods * kMethodNameBytes;
  sizes.rows_bytes = classes * (sizeof(ClassRow) + sizeof(java::ReferentRule) + sizeof(ClassCount) +
                                sizeof(std::uint8_t)) +
                     sizeof(ClassCount) + fields * sizeof(StringId) +
                     scan.loader_count() * sizeof(LoaderRow) +
                     scan.thread_count() * sizeof(ThreadRow) + methods * sizeof(MethodRow);
  if (use == CatalogUse::kMemory)
    sizes.rows_bytes += (fields + scan.loader_count()) * sizeof(std::uint64_t) +
                        (classes + 1 + scan.interfaces.size()) * sizeof(std::uint32_t);
  return sizes;
}

Result<void> make_tables(const ClassScan& scan, CatalogUse use, Arena& arena, HeapCatalog& out,
                         Notes& notes) noexcept {
  TableSizes sizes = sizes_of(scan, use, true, arena.reserved_bytes());
  const bool with_fields = sizes.total() <= arena.reserved_bytes();
  if (!with_fields) {
    sizes = sizes_of(scan, use, false, arena.reserved_bytes());
    notes.add(
        "fields have no names: %llu classes with %llu fields need more than memory= leaves for "
        "names",
        static_cast<unsigned long long>(scan.class_count()),
        static_cast<unsigned long long>(scan.field_total));
  }
  HF_TRY(classes, arena.make_filled<ClassRow>(scan.class_count(), ClassRow{}));
  HF_TRY(loaders, arena.make_filled<LoaderRow>(scan.loader_count(), LoaderRow{}));
  HF_TRY(threads, arena.make_filled<ThreadRow>(scan.thread_count(), ThreadRow{}));
  HF_TRY(fields, arena.make_filled<StringId>(with_fields ? scan.field_total : 0, StringId{}));
  HF_TRY(referents,
         arena.make_filled<java::ReferentRule>(scan.class_count(), java::ReferentRule{}));
  HF_TRY(strings, StringTable::make(arena, sizes.names, sizes.text_bytes));
  out.catalog.classes = classes;
  out.catalog.loaders = loaders;
  out.catalog.threads = threads;
  out.catalog.fields = fields;
  out.catalog.strings = strings;
  out.referents = referents;
  return {};
}

Result<void> lay_out(const ClassScan& scan, Arena& scratch, HeapCatalog& out) noexcept {
  HF_TRY(seen_for, scratch.make<std::uint32_t>(scan.class_count()));
  HF_TRY(queue, scratch.make<std::uint32_t>(scan.class_count()));
  for (std::uint32_t c = 0; c < scan.class_count(); ++c) {
    ClassRow& row = out.catalog.classes[c];
    row.superclass = scan.superclass[c] != java::kNoClass ? ClassId{scan.superclass[c]} : ClassId{};
    row.loader = LoaderId{scan.loader[c]};
    row.mirror = ObjectId{c};
    row.field_count = scan.field_count[c];
  }
  java::lay_out_fields(scan.relations(), out.catalog.classes, java::LayoutScratch{seen_for, queue});
  return {};
}

template <class T>
Result<std::span<T>> kept_copy(Arena& arena, std::span<const T> from) noexcept {
  HF_TRY(copy, arena.make<T>(from.size()));
  std::copy(from.begin(), from.end(), copy.begin());
  return copy;
}

// Made before the names are read, which fills in the field ids.
Result<void> make_memory_tables(const ClassScan& scan, Arena& arena, HeapCatalog& out) noexcept {
  HF_TRY(ids, arena.make_filled<std::uint64_t>(out.catalog.fields.size(), 0));
  HF_TRY(loaders, arena.make_filled<std::uint64_t>(scan.loader_count(), 0));
  HF_TRY(first, kept_copy<std::uint32_t>(arena, scan.first_interface));
  HF_TRY(interfaces, kept_copy<std::uint32_t>(arena, scan.interfaces));
  for (std::uint32_t l = 0; l < scan.loader_count(); ++l)
    loaders[l] = reinterpret_cast<std::uintptr_t>(scan.loaders[l]);
  out.memory = MemoryCatalog{ids, loaders, first, interfaces};
  return {};
}

ClassId class_id_of(std::uint32_t known) noexcept {
  return known != java::kNoClass ? ClassId{known} : ClassId{};
}

// Without a fields table no class may claim fields of it; slots were computed before.
void forget_fields(std::span<ClassRow> rows) noexcept {
  for (ClassRow& row : rows) row.first_field = row.field_count = 0;
}

}  // namespace

Result<void> read_catalog(const VmAccess& vm, CatalogUse use, CaptureMemory& memory,
                          CatalogHandles& handles, HeapCatalog& out, Notes& notes) noexcept {
  if (!handles.frame.open()) return make_error(ErrorCode::kOutOfMemory);
  ArenaScope scratch(memory.work_arena());
  HF_CHECK_OK(check(vm.env.GetLoadedClasses(&handles.class_count, handles.classes.out())));
  HF_CHECK_OK(check(vm.env.GetAllThreads(&handles.thread_count, handles.threads.out())));
  ClassScan scan;
  scan.classes = handles.classes.items(handles.class_count);
  scan.threads = handles.threads.items(handles.thread_count);
  HF_CHECK_OK(scan_classes(vm, memory.work_arena(), scan));
  HF_CHECK_OK(make_tables(scan, use, memory.catalog_arena(), out, notes));
  if (use == CatalogUse::kMemory)
    HF_CHECK_OK(make_memory_tables(scan, memory.catalog_arena(), out));
  HF_CHECK_OK(lay_out(scan, memory.work_arena(), out));
  HF_CHECK_OK(name_classes(vm, scan, out.catalog));
  HF_CHECK_OK(name_fields(vm, scan, out.memory.field_ids, out.catalog, scan.known));
  HF_CHECK_OK(name_loaders(vm, scan, out.catalog));
  HF_CHECK_OK(name_threads(vm, scan, out.catalog));
  java::mark_kinds(scan.known, out.catalog.classes);
  java::find_referents(scan.known, out.catalog.classes, out.referents);
  if (out.catalog.fields.empty()) forget_fields(out.catalog.classes);
  out.preassigned_objects = scan.preassigned();
  out.class_class = class_id_of(scan.known.class_class);
  out.reference_class = class_id_of(scan.known.reference);
  out.protection_domain_class = class_id_of(scan.known.protection_domain);
  out.object_array_class = class_id_of(scan.known.object_array);
  out.stack_chunk_class = class_id_of(scan.known.stack_chunk);
  return {};
}

}  // namespace holdfast::jvmti
