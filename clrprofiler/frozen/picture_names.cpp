#include "clrprofiler/frozen/picture_names.h"

#include <algorithm>

#include "clrprofiler/frozen/loaded_structs.h"
#include "clrprofiler/names/class_rows.h"
#include "clrprofiler/names/edge_catalog.h"
#include "clrprofiler/names/function_names.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kBytesPerMethod = 200;
// In the place of a field's name. Of collectible generic types instantiations that the heap has no objects of are not looked for.
constexpr std::string_view kUntold = "(of a generic type)";
constexpr std::string_view kUnread = "(name not known)";
constexpr std::string_view kOfThread = "(fields of a thread)";

class PictureNames {
 public:
  PictureNames(const PictureSource& source, const NamesWanted& wanted,
               std::span<const std::uint64_t> functions, CaptureMemory& memory,
               Catalog& catalog) noexcept
      : source_(source),
        wanted_(wanted),
        functions_(functions),
        memory_(memory),
        catalog_(catalog) {}

  NameRoom room() const noexcept {
    const std::uint64_t threads = source_.threads().threads().size();
    const std::uint64_t methods = method_rows();
    return {static_cast<std::uint32_t>(threads + 2 * methods),
            threads * 16 + methods * kBytesPerMethod};
  }

  Result<void> name_roots(ClassReader& reader) noexcept {
    HF_CHECK_OK(source_.threads().fill_catalog(memory_.catalog_arena(), catalog_));
    HF_TRY(rows, memory_.catalog_arena().make_filled<MethodRow>(method_rows(), MethodRow{}));
    for (std::size_t i = 0; i < functions_.size(); ++i)
      rows[i] = name_function(reader, static_cast<FunctionID>(functions_[i]), catalog_.strings);
    for (std::size_t i = 0; i < wanted_.statics.size(); ++i)
      rows[functions_.size() + i] = name_static(reader, wanted_.statics[i]);
    const auto after = rows.subspan(functions_.size() + wanted_.statics.size());
    after[static_cast<std::size_t>(MethodAfterStatics::kUnknown)].name =
        catalog_.strings.intern(kUntold);
    after[static_cast<std::size_t>(MethodAfterStatics::kOfThread)].name =
        catalog_.strings.intern(kOfThread);
    catalog_.methods = rows;
    return {};
  }

 private:
  std::size_t method_rows() const noexcept {
    return functions_.size() + wanted_.statics.size() + kMethodsAfterStatics;
  }

  MethodRow name_static(ClassReader& reader, const FieldSlot& field) noexcept {
    constexpr mdFieldDef kField = 0x04000000;
    MethodRow row;
    const ClassFacts& owner = reader.read(static_cast<ClassID>(field.owner));
    row.class_name = catalog_.strings.intern(owner.name);
    NameText name;
    const auto read = reader.modules().of(owner.module).metadata.field(kField | field.token, name);
    row.name = catalog_.strings.intern(read ? name.view() : kUnread);
    return row;
  }

  const PictureSource& source_;
  const NamesWanted& wanted_;
  std::span<const std::uint64_t> functions_;
  CaptureMemory& memory_;
  Catalog& catalog_;
};

}  // namespace

Result<std::span<const std::uint64_t>> distinct_functions(const PictureSource& source,
                                                          Arena& arena) noexcept {
  const auto all = source.threads().functions();
  HF_TRY(sorted, arena.make<std::uint64_t>(all.size()));
  std::copy(all.begin(), all.end(), sorted.begin());
  std::sort(sorted.begin(), sorted.end());
  const auto end = std::unique(sorted.begin(), sorted.end());
  return std::span<const std::uint64_t>(sorted.begin(), end);
}

Result<void> name_picture(ProfilerInfo& info, const PictureSource& source,
                          const NamesWanted& wanted, CaptureMemory& memory, ToldNames& out,
                          Notes& notes) noexcept {
  Arena& arena = memory.work_arena();
  const ArenaScope scratch(arena);
  std::span<const std::uint64_t> functions;
  if (wanted.graph) {
    HF_TRY(found, distinct_functions(source, arena));
    functions = found;
  }
  Modules modules;
  HF_CHECK_OK(modules.open(info, arena));
  ClassReader reader;
  HF_CHECK_OK(reader.open(info, modules, arena));
  PictureNames names(source, wanted, functions, memory, out.catalog);
  NameRoom room;
  if (wanted.graph) {
    room = field_name_room(wanted.classes);
    room.names += names.room().names;
    room.text_bytes += names.room().text_bytes;
  }
  HF_CHECK_OK(fill_classes(reader, wanted.classes, room, memory, out.catalog));
  if (wanted.graph) {
    HF_CHECK_OK(names.name_roots(reader));
    LoadedStructs structs(source.format().layout, wanted.modules, reader);
    if (!structs.list(arena))
      notes.add(
          "references in structs of generic types have no names of their own: memory= leaves no "
          "room for them");
    const auto edges = fill_edges(reader, structs, wanted.classes, memory, out.catalog);
    if (edges)
      out.edges = *edges;
    else
      notes.add("references have no names: memory= leaves no room for them");
  }
  out.bytes = memory.catalog_arena().used_bytes();
  out.ok = true;
  return {};
}

}  // namespace holdfast::clr
