#include "analysis/import/phd_import.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <numeric>
#include <unordered_map>

#include "analysis/import/class_names.h"
#include "analysis/import/graph_columns.h"
#include "analysis/import/heap_roots.h"
#include "analysis/import/hprof_classes.h"  // source_class_name
#include "analysis/import/loss_sentence.h"
#include "analysis/import/object_index.h"
#include "analysis/import/pass_teller.h"

namespace holdfast::analysis {
namespace {

constexpr std::uint64_t kLeastRecordBytes = 2;
constexpr const char* kPrimitiveArrays[] = {"boolean[]", "char[]",  "float[]", "double[]",
                                            "byte[]",    "short[]", "int[]",   "long[]"};

struct PhdClass {
  ClassId id;
  std::uint32_t object = 0;
  std::uint64_t instance_bytes = 0;
};

// The first pass: addresses, classes, and how many references there can be.
class PhdSurvey {
 public:
  PhdSurvey(std::span<const std::byte> file, const PhdHeader& header, ClassNames& names,
            Ledger& ledger, const ImportProgress& progress)
      : ids(std::min<std::uint64_t>(file.size() / kLeastRecordBytes + 1, kMaxObjects), ledger,
            MemoryCategory::kCapture) {
    PhdReader reader(file, header);
    PassTeller teller(progress, "finding objects");
    PhdRecord record;
    while (reader.next(record)) {
      teller.tell(reader.offset(), ids.size());
      add(record, names);
    }
    end_reason = reader.end_reason();
    end_offset = reader.offset();
    if (unit_bytes == 0) unit_bytes = 1;
    if (references > UINT32_MAX)
      throw ImportFailure(ErrorCode::kTooMany, 0, "more than 4,294,967,295 references");
  }

  GrowingArray<std::uint64_t> ids;
  std::unordered_map<std::uint64_t, PhdClass> classes;  // by address, the first of each
  std::vector<std::uint32_t> class_objects;             // rising
  std::uint64_t references = 0, unit_bytes = 0;
  const char* end_reason = "";
  std::uint64_t end_offset = 0;

 private:
  void add(const PhdRecord& record, ClassNames& names) {
    if (ids.size() == kMaxObjects)
      throw ImportFailure(ErrorCode::kTooMany, 0, "more than 2,147,483,632 objects");
    const auto object = static_cast<std::uint32_t>(ids.size());
    ids.push(record.address);
    references += record.reference_count;
    unit_bytes = std::gcd(unit_bytes, record.shallow_bytes);
    if (record.kind != PhdKind::kClass) return;
    ++references;  // its superclass
    class_objects.push_back(object);
    constexpr std::uint64_t kEntryBytes = 64;
    names.charge(kEntryBytes);
    const auto [at, is_new] = classes.try_emplace(record.address);
    if (is_new)
      at->second = {names.add(source_class_name(record.name)), object, record.shallow_bytes};
  }
};

// The second pass.
class PhdDecoder {
 public:
  PhdDecoder(const PhdSurvey& survey, const ObjectIndex& index, ClassNames& names,
             GraphColumns& columns)
      : survey_(survey),
        index_(index),
        names_(names),
        columns_(columns),
        class_class_(names.named("java.lang.Class")) {}

  void run(PhdReader reader, const ImportProgress& progress) {
    PassTeller teller(progress, "reading references");
    PhdRecord record;
    while (reader.next(record)) {
      teller.tell(reader.offset(), columns_.next_object());
      add(reader, record);
    }
    columns_.end();
  }

  std::uint64_t unknown_references = 0, without_class = 0;

 private:
  void add(const PhdReader& reader, const PhdRecord& record) {
    const std::span<const std::uint32_t> repeated = index_.repeated();
    if (next_repeated_ < repeated.size() && repeated[next_repeated_] == columns_.next_object()) {
      ++next_repeated_;
      columns_.begin_object(ClassId{}, 0);
      return;
    }
    std::uint64_t bytes = record.shallow_bytes;
    const ClassId of = class_of(record, bytes);
    without_class += !of.valid();
    columns_.begin_object(of, static_cast<std::uint32_t>(
                                  std::min<std::uint64_t>(bytes / survey_.unit_bytes, UINT32_MAX)));
    for (std::uint32_t i = 0; i < record.reference_count; ++i)
      add_reference(reader.reference(record, i), special(SpecialRef::kOther));
    if (record.kind == PhdKind::kClass)
      add_reference(record.class_address, special(SpecialRef::kSuperclass));
  }

  void add_reference(std::uint64_t address, RefLabel label) {
    if (address == 0) return;
    const std::uint32_t object = index_.find(address);
    if (object == ObjectIndex::kNone)
      ++unknown_references;
    else
      columns_.add_reference(object, label);
  }

  ClassId class_of(const PhdRecord& record, std::uint64_t& bytes) {
    if (record.kind == PhdKind::kClass) {
      bytes = 0;
      return class_class_;
    }
    if (record.kind == PhdKind::kPrimitiveArray)
      return names_.named(kPrimitiveArrays[record.element_type]);
    const auto found = survey_.classes.find(record.class_address);
    if (found == survey_.classes.end()) return {};
    if (record.kind == PhdKind::kObjectArray) return array_of(found->second.id);
    bytes = found->second.instance_bytes;
    return found->second.id;
  }
  ClassId array_of(ClassId element) {
    ClassId& known = arrays_[element.value];
    if (!known.valid()) known = names_.named(names_.name(element) + "[]");
    return known;
  }

  const PhdSurvey& survey_;
  const ObjectIndex& index_;
  ClassNames& names_;
  GraphColumns& columns_;
  const ClassId class_class_;
  std::unordered_map<std::uint32_t, ClassId> arrays_;
  std::size_t next_repeated_ = 0;
};

class PhdHeap final : public ImportedHeap {
 public:
  PhdHeap(std::span<const std::byte> file, const ImportOptions& options)
      : ImportedHeap(options.memory_limit_bytes) {
    const PhdHeader header = read_phd_header(file);
    input_bytes = file.size();
    format = "IBM portable heap dump " + std::to_string(header.version);
    std::snprintf(record.vm.vm_version, sizeof record.vm.vm_version, "%s",
                  header.vm_version.c_str());
    ClassNames names(ledger_);
    PhdSurvey survey(file, header, names, ledger_, options.progress);
    if (survey.ids.size() == 0)
      throw ImportFailure(ErrorCode::kDamaged, survey.end_offset, "there is no object");
    open_arena(std::uint64_t{survey.ids.size()} * 256 + survey.references * 32 + file.size());
    read(PhdReader(file, header), survey, names, options);
    if (options.keep_addresses) {
      addresses_ = std::move(survey.ids);
      addresses = addresses_.span();
    }
  }

 private:
  void read(const PhdReader& reader, const PhdSurvey& survey, ClassNames& names,
            const ImportOptions& options) {
    const ObjectIndex index(survey.ids.span(), survey.class_objects, ledger_);
    columns_ = std::make_unique<GraphColumns>(survey.ids.size(), survey.references, ledger_);
    PhdDecoder decoder(survey, index, names, *columns_);
    decoder.run(reader, options.progress);
    snapshot.catalog = names.make_catalog(arena_);
    for (const auto& [address, one] : survey.classes)
      snapshot.catalog.classes[one.id.value].mirror = ObjectId{one.object};
    columns_->show_in(snapshot, survey.unit_bytes);
    adopt_heap_roots(snapshot, record, arena_, survey.ids.span(), index.repeated(), ledger_);
    record.notes.add("the dump has no field names: every reference counts as strong");
    record.notes.add("the dump has no sizes of class objects: they count as 0 bytes");
    snapshot.losses.references_to_unknown = decoder.unknown_references;
    snapshot.losses.objects_unknown_class = decoder.without_class;
    snapshot.losses.names_dropped = snapshot.catalog.strings.dropped();
    note_losses(survey, index);
  }

  void note_losses(const PhdSurvey& survey, const ObjectIndex& index) {
    if (*survey.end_reason != '\0')
      losses.push_back(loss_sentence("the dump %s at offset %" PRIu64 ": %zu objects were read",
                                     survey.end_reason, survey.end_offset, survey.ids.size()));
    if (!index.repeated().empty())
      losses.push_back(
          loss_sentence("%zu objects repeat the address of another, or have none: dropped",
                        index.repeated().size()));
  }

  std::unique_ptr<GraphColumns> columns_;
  GrowingArray<std::uint64_t> addresses_;
};

}  // namespace

std::unique_ptr<ImportedHeap> import_phd(std::span<const std::byte> file,
                                         const ImportOptions& options) {
  if (options.like_mat)
    throw ImportFailure(
        ErrorCode::kRefused, 0,
        "Eclipse MAT's rules are applied while an HPROF dump is read, and this is none");
  return std::make_unique<PhdHeap>(file, options);
}

}  // namespace holdfast::analysis
