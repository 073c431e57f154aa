#include "analysis/import/import.h"

#include "analysis/import/hfs_import.h"
#include "analysis/import/hprof_import.h"
#include "analysis/import/ibm_text.h"
#include "analysis/import/phd_import.h"
#include "analysis/import/source.h"

namespace holdfast::analysis {
namespace {

bool known_format(std::span<const std::byte> first_bytes) {
  return looks_like_hprof(first_bytes) || looks_like_snapshot(first_bytes) ||
         looks_like_phd(first_bytes) || looks_like_ibm_text(first_bytes);
}

std::unique_ptr<ImportedHeap> import_bytes(std::span<const std::byte> bytes,
                                           const ImportOptions& options) {
  if (looks_like_hprof(bytes)) return import_hprof(bytes, options);
  if (looks_like_snapshot(bytes)) return import_snapshot(bytes, options);
  if (looks_like_ibm_text(bytes)) return import_ibm_text(bytes, options);
  if (looks_like_phd(bytes)) return import_phd(bytes, options);
  throw ImportFailure(ErrorCode::kNotOurs, 0,
                      "no heap dump that is known here; readable: HPROF, holdfast snapshots, IBM "
                      "heap dumps as text or PHD; "
                      "plain, or packed with gzip or zstd");
}

// The one who asked knows the size of the file, and so that is what progress is told in.
ImportOptions in_file_bytes(const ImportOptions& options, const Source& source) {
  ImportOptions scaled = options;
  scaled.mapped_input = true;
  if (source.archive() == ArchiveKind::kNone || !options.progress) return scaled;
  const double share =
      static_cast<double>(source.file_bytes()) / static_cast<double>(source.bytes().size());
  scaled.progress = [tell = options.progress, share](const char* pass, std::uint64_t done_bytes,
                                                     std::uint64_t objects) {
    return tell(pass, static_cast<std::uint64_t>(static_cast<double>(done_bytes) * share), objects);
  };
  return scaled;
}

}  // namespace

void ImportedHeap::open_arena(std::uint64_t address_space_bytes) {
  constexpr std::uint64_t kBeside = std::uint64_t{1}
                                    << 30;  // rounding, and tables that do not grow with the heap
  const std::uint64_t bytes = address_space_bytes + kBeside;
  if (const auto opened = reservation_.open(bytes); !opened)
    throw ImportFailure(opened.error().code, 0, "the system refuses address space");
  auto arena = reservation_.take_arena(bytes, ledger_, MemoryCategory::kAnalysis);
  if (!arena) throw ImportFailure(arena.error().code, 0, "the system refuses address space");
  arena_ = std::move(*arena);
}

std::unique_ptr<ImportedHeap> import_heap(const std::string& path, const ImportOptions& options) {
  const UnpackProgress unpacking = [&](std::uint64_t packed_bytes) {
    return !options.progress || options.progress("unpacking", packed_bytes, 0);
  };
  const Source source(path, known_format, unpacking);
  std::unique_ptr<ImportedHeap> heap = import_bytes(source.bytes(), in_file_bytes(options, source));
  if (source.archive() != ArchiveKind::kNone)
    heap->format += std::string(", packed with ") + archive_name(source.archive());
  if (!source.loss().empty()) heap->losses.insert(heap->losses.begin(), source.loss());
  return heap;
}

}  // namespace holdfast::analysis
