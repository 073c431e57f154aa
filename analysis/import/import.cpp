#include "analysis/import/import.h"

#include "analysis/import/hprof_import.h"
#include "analysis/import/source.h"

namespace holdfast::analysis {

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
  const Source source(path);
  if (looks_like_hprof(source.bytes())) return import_hprof(source.bytes(), options);
  throw ImportFailure(ErrorCode::kNotOurs, 0, "no heap dump that is known here");
}

}  // namespace holdfast::analysis
