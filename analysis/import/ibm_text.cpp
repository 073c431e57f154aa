#include "analysis/import/ibm_text.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <numeric>

#include "analysis/import/graph_columns.h"
#include "analysis/import/heap_roots.h"
#include "analysis/import/ibm_text_classes.h"
#include "analysis/import/loss_sentence.h"
#include "analysis/import/object_index.h"
#include "analysis/import/pass_teller.h"

namespace holdfast::analysis {
namespace {

constexpr std::uint64_t kLeastObjectBytes = 9;  // "0x1 [0] A"

// The first pass: everything whose size decides about the arrays of the second.
class Survey {
 public:
  Survey(std::string_view text, Ledger& ledger, const ImportProgress& progress)
      : ids(std::min<std::uint64_t>(text.size() / kLeastObjectBytes + 1, kMaxObjects), ledger,
            MemoryCategory::kCapture),
        teller_(progress, "finding objects") {
    walk_ibm_text(text, *this);
    if (unit_bytes == 0) unit_bytes = 1;
    if (references > UINT32_MAX)
      throw ImportFailure(ErrorCode::kTooMany, 0, "more than 4,294,967,295 references");
  }

  bool more(std::uint64_t offset) {
    teller_.tell(offset, ids.size());
    return true;
  }
  void comment(std::string_view text) {
    constexpr std::string_view kVersion = "// Version:";
    if (text.starts_with(kVersion)) version = skip_blanks(text.substr(kVersion.size()));
    has_end = parse_end_comment(text, told_objects) || has_end;
  }
  void object(const IbmObjectLine& line, std::uint64_t) {
    if (ids.size() == kMaxObjects)
      throw ImportFailure(ErrorCode::kTooMany, 0, "more than 2,147,483,632 objects");
    ids.push(line.address);
    unit_bytes = std::gcd(unit_bytes, line.shallow_bytes);
  }
  void reference(std::uint64_t address) noexcept { references += address != 0; }
  void bad_line(std::uint64_t offset) noexcept {
    if (bad_lines++ == 0) first_bad_offset = offset;
  }

  GrowingArray<std::uint64_t> ids;
  std::string_view version;
  std::uint64_t unit_bytes = 0, references = 0;
  std::uint64_t bad_lines = 0, first_bad_offset = 0;
  std::uint64_t told_objects = 0;
  bool has_end = false;

 private:
  PassTeller teller_;
};

// The second pass. An object whose address came before has no class, no size and no references.
class Decoder {
 public:
  Decoder(const Survey& survey, const ObjectIndex& index, IbmTextClasses& classes,
          GraphColumns& columns, const ImportProgress& progress)
      : survey_(survey),
        index_(index),
        classes_(classes),
        columns_(columns),
        teller_(progress, "reading references") {}

  void run(std::string_view text) {
    walk_ibm_text(text, *this);
    columns_.end();
  }

  bool more(std::uint64_t offset) {
    teller_.tell(offset, columns_.next_object());
    return true;
  }
  void comment(std::string_view) noexcept {}
  void bad_line(std::uint64_t) noexcept {}  // told by the survey
  void object(const IbmObjectLine& line, std::uint64_t) {
    const std::span<const std::uint32_t> repeated = index_.repeated();
    present_ =
        next_repeated_ == repeated.size() || repeated[next_repeated_] != columns_.next_object();
    if (!present_) ++next_repeated_;
    columns_.begin_object(present_ ? classes_.of(line) : ClassId{},
                          present_ ? units(line.shallow_bytes) : 0);
  }
  void reference(std::uint64_t address) {
    if (address == 0 || !present_) return;
    const std::uint32_t object = index_.find(address);
    if (object == ObjectIndex::kNone)
      ++unknown_references;
    else
      columns_.add_reference(object, special(SpecialRef::kOther));
  }

  std::uint64_t unknown_references = 0, lowered_sizes = 0;

 private:
  std::uint32_t units(std::uint64_t bytes) noexcept {
    const std::uint64_t units = bytes / survey_.unit_bytes;
    lowered_sizes += units > UINT32_MAX;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(units, UINT32_MAX));
  }

  const Survey& survey_;
  const ObjectIndex& index_;
  IbmTextClasses& classes_;
  GraphColumns& columns_;
  PassTeller teller_;
  std::size_t next_repeated_ = 0;
  bool present_ = false;
};

// A dump with a version line has an end line, too; where that is missing, half a line at the end may be half an address.
std::string_view whole_lines(std::string_view text) noexcept {
  const std::size_t last = text.rfind('\n');
  const std::string_view tail = last == std::string_view::npos ? text : text.substr(last + 1);
  if (!text.starts_with("//") || tail.empty() || skip_blanks(tail).starts_with("//")) return text;
  return text.substr(0, text.size() - tail.size());
}

class IbmTextHeap final : public ImportedHeap {
 public:
  IbmTextHeap(std::string_view text, const ImportOptions& options)
      : ImportedHeap(options.memory_limit_bytes) {
    input_bytes = text.size();
    format = "IBM heap dump (text)";
    const std::string_view whole = whole_lines(text);
    Survey survey(whole, ledger_, options.progress);
    if (survey.ids.size() == 0)
      throw ImportFailure(ErrorCode::kDamaged, survey.first_bad_offset, "there is no object");
    open_arena(std::uint64_t{survey.ids.size()} * 256 + survey.references * 32 + text.size());
    read(whole, survey, options);
    note_cut(text, survey);
    std::snprintf(record.vm.vm_version, sizeof record.vm.vm_version, "%.*s",
                  static_cast<int>(std::min<std::size_t>(survey.version.size(), kMaxFactText)),
                  survey.version.data());
    if (options.keep_addresses) {
      addresses_ = std::move(survey.ids);
      addresses = addresses_.span();
    }
  }

 private:
  void read(std::string_view text, const Survey& survey, const ImportOptions& options) {
    const ObjectIndex index(survey.ids.span(), {}, ledger_);
    IbmTextClasses classes(ledger_);
    columns_ = std::make_unique<GraphColumns>(survey.ids.size(), survey.references, ledger_);
    Decoder decoder(survey, index, classes, *columns_, options.progress);
    decoder.run(text);
    snapshot.catalog = classes.make_catalog(arena_);
    columns_->show_in(snapshot, survey.unit_bytes);
    adopt_heap_roots(snapshot, record, arena_, survey.ids.span(), index.repeated(), ledger_);
    record.notes.add("the dump has no field names: every reference counts as strong");
    snapshot.losses.references_to_unknown = decoder.unknown_references;
    snapshot.losses.names_dropped = snapshot.catalog.strings.dropped();
    note_losses(survey, index, decoder);
  }

  void note_cut(std::string_view text, const Survey& survey) {
    const bool has_begin = text.starts_with("//");
    if (has_begin && !survey.has_end)
      losses.insert(
          losses.begin(),
          loss_sentence("the dump has no end line: it is cut at offset %zu", text.size()));
    else if (survey.has_end && survey.told_objects != survey.ids.size())
      losses.push_back(loss_sentence("its end line counts %" PRIu64 " objects; %zu were found",
                                     survey.told_objects, survey.ids.size()));
  }

  void note_losses(const Survey& survey, const ObjectIndex& index, const Decoder& decoder) {
    if (survey.bad_lines != 0)
      losses.push_back(loss_sentence("%" PRIu64
                                     " lines cannot be read, the first at offset %" PRIu64,
                                     survey.bad_lines, survey.first_bad_offset));
    if (!index.repeated().empty())
      losses.push_back(
          loss_sentence("%zu objects repeat the address of another, or have none: dropped",
                        index.repeated().size()));
    if (decoder.lowered_sizes != 0)
      losses.push_back(
          loss_sentence("%" PRIu64 " objects are larger than can be kept: their sizes are lowered",
                        decoder.lowered_sizes));
  }

  std::unique_ptr<GraphColumns> columns_;
  GrowingArray<std::uint64_t> addresses_;
};

}  // namespace

std::unique_ptr<ImportedHeap> import_ibm_text(std::span<const std::byte> file,
                                              const ImportOptions& options) {
  if (options.like_mat)
    throw ImportFailure(
        ErrorCode::kRefused, 0,
        "Eclipse MAT's rules are applied while an HPROF dump is read, and this is none");
  return std::make_unique<IbmTextHeap>(
      std::string_view(reinterpret_cast<const char*>(file.data()), file.size()), options);
}

}  // namespace holdfast::analysis
