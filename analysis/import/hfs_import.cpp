#include "analysis/import/hfs_import.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "analysis/snapshot_file/block_format.h"
#include "analysis/snapshot_file/snapshot_reader.h"

namespace holdfast::analysis {
namespace {

// What the snapshot's arrays take; names as StringTable stores them.
std::uint64_t snapshot_bytes(const Snapshot& s) noexcept {
  constexpr std::uint64_t kNameBytes = 20;
  const Catalog& catalog = s.catalog;
  std::uint64_t bytes = s.class_of.size_bytes() + s.shallow_units.size_bytes() +
                        s.first_ref.size_bytes() + s.target.size_bytes() + s.label.size_bytes() +
                        s.roots.size_bytes() + catalog.classes.size_bytes() +
                        catalog.loaders.size_bytes() + catalog.fields.size_bytes() +
                        catalog.threads.size_bytes() + catalog.methods.size_bytes();
  for (std::uint32_t i = 0; i < catalog.strings.size(); ++i)
    bytes += catalog.strings.view(StringId{i}).size() + kNameBytes;
  return bytes;
}

std::string format_of(std::span<const std::byte> file) {
  std::uint16_t major = 0, minor = 0;
  std::memcpy(&major, &file[kSnapshotMagic.size()], sizeof major);
  std::memcpy(&minor, &file[kSnapshotMagic.size() + sizeof major], sizeof minor);
  return "holdfast snapshot " + std::to_string(major) + "." + std::to_string(minor);
}

std::string cut_sentence(const SnapshotCut& cut) {
  char text[256];
  std::snprintf(text, sizeof text,
                "the snapshot is cut at offset %" PRIu64 ": %" PRIu64 " objects, %" PRIu64
                " references and %" PRIu64 " GC roots are missing",
                cut.offset, cut.objects_missing, cut.references_missing, cut.roots_dropped);
  return text;
}

ImportFailure failure_of(const Error& error) {
  const auto detail = static_cast<std::uint64_t>(error.detail);
  switch (error.code) {
    case ErrorCode::kNewerVersion:
      return {
          error.code, 0,
          "the snapshot was written by a newer holdfast (format " + std::to_string(detail) + ")"};
    case ErrorCode::kDamaged:
      return {error.code, detail, "the snapshot is damaged"};
    case ErrorCode::kOutOfBudget:
      return {error.code, 0, "the snapshot takes " + std::to_string(detail) + " bytes"};
    case ErrorCode::kOutOfMemory:
      return {error.code, 0, "the system refuses " + std::to_string(detail) + " bytes"};
    default:
      return {error.code, 0, std::string(error_text(error.code))};
  }
}

class SnapshotHeap final : public ImportedHeap {
 public:
  SnapshotHeap(std::span<const std::byte> file, const ImportOptions& options)
      : ImportedHeap(options.memory_limit_bytes) {
    const SnapshotReading reading{options.memory_limit_bytes, options.keep_addresses};
    if (const auto read = file_.read(file, reading); !read) throw failure_of(read.error());
    snapshot = file_.snapshot();
    like_mat = snapshot.roots_alike;
    if (options.like_mat && !like_mat)
      throw ImportFailure(ErrorCode::kRefused, 0,
                          "Eclipse MAT's rules are applied while an HPROF dump is read, and this "
                          "snapshot was not made by them");
    record = file_.record();
    addresses = file_.addresses();
    input_bytes = file.size();
    format = format_of(file);
    charged_bytes_ = snapshot_bytes(snapshot) + addresses.size_bytes();
    if (!ledger_.charge(MemoryCategory::kGraph, charged_bytes_)) {
      charged_bytes_ = 0;
      throw ImportFailure(ErrorCode::kOutOfBudget, 0, "the memory limit is used up");
    }
    if (file_.cut().cut) losses.push_back(cut_sentence(file_.cut()));
    open_arena(std::uint64_t{snapshot.object_count()} * 256 + snapshot.reference_count() * 32);
  }
  ~SnapshotHeap() override { ledger_.refund(MemoryCategory::kGraph, charged_bytes_); }

 private:
  SnapshotFile file_;
  std::uint64_t charged_bytes_ = 0;
};

}  // namespace

bool looks_like_snapshot(std::span<const std::byte> first_bytes) noexcept {
  return first_bytes.size() >= kSnapshotMagic.size() &&
         std::memcmp(first_bytes.data(), kSnapshotMagic.data(), kSnapshotMagic.size()) == 0;
}

std::unique_ptr<ImportedHeap> import_snapshot(std::span<const std::byte> file,
                                              const ImportOptions& options) {
  return std::make_unique<SnapshotHeap>(file, options);
}

}  // namespace holdfast::analysis
