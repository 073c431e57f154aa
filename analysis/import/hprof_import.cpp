#include "analysis/import/hprof_import.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <map>

#include "analysis/import/heap_roots.h"
#include "analysis/import/hprof_graph.h"
#include "analysis/import/hprof_values.h"

namespace holdfast::analysis {
namespace {

__attribute__((format(printf, 1, 2))) std::string text_of(const char* format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

std::vector<std::uint32_t> class_object_numbers(const HprofSurvey& survey) {
  std::vector<std::uint32_t> numbers;
  for (const HprofClass& one : survey.classes.span()) numbers.push_back(one.object);
  return numbers;
}

std::vector<Strength> referents(std::span<const ClassRow> classes) {
  std::vector<Strength> strengths;
  for (const ClassRow& row : classes) strengths.push_back(row.referent);
  return strengths;
}

struct LoaderText {
  std::string name;
  std::uint32_t object = ObjectIndex::kNone;
  bool builtin = false;
};

class HprofHeap final : public ImportedHeap {
 public:
  HprofHeap(std::span<const std::byte> file, const ImportOptions& options)
      : ImportedHeap(options.memory_limit_bytes) {
    HprofSurvey survey(file, ledger_, options.progress, options.mapped_input);
    like_mat = options.like_mat;
    snapshot.roots_alike = like_mat;
    input_bytes = file.size();
    format = "HPROF " + survey.header.version;
    record.started_utc_ms = survey.header.utc_ms;
    open_arena(std::uint64_t{survey.object_count()} * 256 + survey.reference_bound * 32 +
               file.size());
    ObjectIndex index(survey.ids.span(), class_object_numbers(survey), ledger_);
    const HprofClasses classes(survey, index);
    HprofSizes sizes(survey, classes, heap_layout(survey));
    if (!like_mat) sizes.correct(survey, classes);
    if (options.keep_addresses)
      addresses_ = std::move(survey.ids);
    else
      survey.ids.clear();
    read_graph(survey, index, classes, sizes, options.progress);
    addresses = addresses_.span();
  }

 private:
  void read_graph(const HprofSurvey& survey, const ObjectIndex& index, const HprofClasses& classes,
                  const HprofSizes& sizes, const ImportProgress& progress) {
    HprofRoots roots = read_hprof_roots(survey, classes, index, like_mat);
    const HprofValues values(survey, classes, index);
    for (HprofThread& thread : roots.threads)
      if (thread.object != ObjectIndex::kNone)
        thread.name = values.text_field(thread.object, "java.lang.Thread", "name");
    make_catalog(classes, roots);
    const std::vector<Strength> referent = referents(snapshot.catalog.classes);
    const ClassId loader_class = like_mat ? classes.named("java.lang.ClassLoader") : ClassId{};
    const HprofTables tables{survey,
                             index,
                             classes,
                             sizes,
                             referent,
                             roots.locals,
                             loader_class.valid() ? survey.object_count() : ObjectIndex::kNone,
                             like_mat};
    graph_ = read_hprof_graph(tables, ledger_, progress);
    if (loader_class.valid()) add_boot_loader(loader_class, sizes.instance(loader_class));
    show_columns();
    name_loaders(classes, index, values);
    adopt_roots(roots);
    // HotSpot writes the roots last, so a cut dump has none: without others nothing would be held.
    if (!like_mat && survey.losses.cut && survey.roots.size() == 0)
      adopt_heap_roots(snapshot, record, arena_, {}, index.repeated(), ledger_);
    note_losses(survey, index, classes, roots);
  }

  // Room for the names of loaders too, which are known only once their objects have been read.
  void make_catalog(const HprofClasses& classes, const HprofRoots& roots) {
    std::uint64_t bytes = 0;
    for (const HprofThread& thread : roots.threads) bytes += thread.name.size() + 64;
    for (const HprofMethod& method : roots.methods)
      bytes += method.class_name.size() + 3 * method.name.size();
    for (const std::uint64_t id : classes.loader_ids) loader_ids_.try_emplace(id, 0);
    loader_ids_.erase(0);
    constexpr std::uint64_t kLoaderNameBytes = 2 * StringTable::kMaxNameBytes;
    bytes += loader_ids_.size() * kLoaderNameBytes;
    const std::size_t names = roots.threads.size() + 2 * roots.methods.size() + loader_ids_.size();
    snapshot.catalog = classes.make_catalog(arena_, static_cast<std::uint32_t>(names), bytes);
    Catalog& catalog = snapshot.catalog;
    catalog.threads = in_arena<ThreadRow>(arena_, roots.threads.size());
    for (std::size_t t = 0; t < roots.threads.size(); ++t) {
      catalog.threads[t].name = catalog.strings.intern(roots.threads[t].name);
      catalog.threads[t].object = ObjectId{roots.threads[t].object};
      catalog.threads[t].vm_id = roots.threads[t].serial;
    }
    catalog.methods = in_arena<MethodRow>(arena_, roots.methods.size());
    for (std::size_t m = 0; m < roots.methods.size(); ++m)
      catalog.methods[m] = {catalog.strings.intern(roots.methods[m].class_name),
                            catalog.strings.intern(roots.methods[m].name)};
  }

  // MAT's pseudo object at address 0 (rule 8); its reference to its class is implied like every object's.
  void add_boot_loader(ClassId loader_class, std::uint64_t shallow_bytes) {
    const std::size_t at = graph_.class_of.size() - 1;
    graph_.class_of[at] = loader_class;
    graph_.shallow_units[at] = static_cast<std::uint32_t>(shallow_bytes / graph_.unit_bytes);
    if (addresses_.size() != 0) addresses_.push(0);
  }

  void show_columns() noexcept {
    snapshot.class_of = graph_.class_of.span();
    snapshot.shallow_units = graph_.shallow_units.span();
    snapshot.first_ref = graph_.first_ref.span();
    snapshot.target = graph_.target.span();
    snapshot.label = graph_.label.span();
    snapshot.shallow_unit_bytes = graph_.unit_bytes;
  }

  void name_loaders(const HprofClasses& classes, const ObjectIndex& index,
                    const HprofValues& values) {
    Catalog& catalog = snapshot.catalog;
    catalog.loaders = in_arena<LoaderRow>(arena_, loader_ids_.size() + 1);
    catalog.loaders[0].name = catalog.strings.intern("boot");
    catalog.loaders[0].builtin = true;
    std::uint32_t next = 1;
    for (auto& [id, number] : loader_ids_) {
      const ObjectId object{index.find(id)};
      // A loader that the dump lacks is the boot loader's, as in the dumps of some newer VMs.
      number = object.valid() ? next++ : 0;
      if (object.valid()) name_loader(catalog.loaders[number], object, values);
    }
    catalog.loaders = catalog.loaders.first(next);
    for (std::uint32_t c = 0; c < classes.count(); ++c) {
      ClassRow& row = catalog.classes[c];
      const std::uint64_t loader = c < classes.dumped() ? classes.loader_ids[c] : 0;
      row.loader = LoaderId{loader == 0 ? 0 : loader_ids_[loader]};
      const LoaderRow& of = catalog.loaders[row.loader.value];
      if (row.loader.value == 0 ||
          (of.builtin && catalog.strings.view(of.name) == kPlatformLoaderName))
        row.flags |= kClassPlatform;
    }
  }

  void name_loader(LoaderRow& row, ObjectId object, const HprofValues& values) {
    Catalog& catalog = snapshot.catalog;
    row.object = object;
    const ClassId of = snapshot.class_of[object.value];
    std::string name(of.valid() ? catalog.class_name(of) : "?");
    const std::string_view builtin = builtin_loader_name(name);
    row.builtin = !builtin.empty();
    const std::string own = row.builtin
                                ? std::string()
                                : values.text_field(object.value, "java.lang.ClassLoader", "name");
    if (row.builtin)
      name = builtin;
    else if (!own.empty())
      name += " \"" + own + '"';
    row.name = catalog.strings.intern(name);
  }

  // Class objects of loaders that are never unloaded are roots, so that a path begins at the static field; not those of hidden
  // classes, which may go before.
  void adopt_roots(const HprofRoots& found) {
    std::vector<RootRecord> roots = found.roots;
    if (!like_mat) {
      std::vector<bool> rooted(snapshot.object_count(), false);
      for (const RootRecord& root : roots)
        rooted[root.object.value] =
            rooted[root.object.value] || root.kind == RootKind::kSystemClass;
      for (std::uint32_t c = 0; c < snapshot.catalog.class_count(); ++c) {
        const ClassRow& row = snapshot.catalog.classes[c];
        if (!row.mirror.valid() || row.loader.value == 0 || rooted[row.mirror.value]) continue;
        if (!snapshot.catalog.loaders[row.loader.value].builtin) continue;
        if (snapshot.catalog.is_hidden(ClassId{c})) continue;
        RootRecord root;
        root.object = row.mirror;
        root.kind = RootKind::kSystemClass;
        roots.push_back(root);
      }
    }
    const std::span<RootRecord> kept = in_arena<RootRecord>(arena_, roots.size());
    std::ranges::copy(roots, kept.begin());
    snapshot.roots = kept;
  }

  void note_losses(const HprofSurvey& survey, const ObjectIndex& index, const HprofClasses& classes,
                   const HprofRoots& roots) {
    const HprofLosses& lost = survey.losses;
    snapshot.losses.objects_unknown_class = graph_.without_class;
    snapshot.losses.references_to_unknown = graph_.unknown_references;
    snapshot.losses.roots_dropped = roots.dropped;
    snapshot.losses.names_dropped = snapshot.catalog.strings.dropped();
    if (lost.cut)
      losses.push_back(text_of("the dump is cut at offset %" PRIu64 ": at least %" PRIu64
                               " bytes are missing",
                               lost.cut_offset, lost.cut_missing_bytes));
    if (lost.bad_segments != 0)
      losses.push_back(text_of("%" PRIu64 " damaged heap segments, the first at offset %" PRIu64
                               ": %" PRIu64 " bytes not read",
                               lost.bad_segments, lost.first_bad_offset, lost.bad_segment_bytes));
    if (!index.repeated().empty())
      losses.push_back(
          text_of("%zu objects repeat the identifier of another, or have none: dropped",
                  index.repeated().size()));
    if (classes.cut_cycles != 0)
      losses.push_back(text_of("%" PRIu64
                               " classes are their own superclass, somewhere up: cut there",
                               classes.cut_cycles));
  }

  HprofGraph graph_;
  GrowingArray<std::uint64_t> addresses_;
  std::map<std::uint64_t, std::uint32_t> loader_ids_;  // to LoaderId
};

}  // namespace

std::unique_ptr<ImportedHeap> import_hprof(std::span<const std::byte> file,
                                           const ImportOptions& options) {
  return std::make_unique<HprofHeap>(file, options);
}

}  // namespace holdfast::analysis
