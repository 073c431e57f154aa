// Fuzz target of the HPROF importer: any bytes are refused, or become a snapshot that verifies and that the passes can take, in
// bounded memory.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "analysis/dominators.h"
#include "analysis/import/hprof_import.h"
#include "analysis/lab/sample_hprof.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr std::uint64_t kMemoryLimit = std::uint64_t{64} << 20;

void read(std::span<const std::byte> file, bool like_mat) {
  ImportOptions options;
  options.like_mat = like_mat;
  options.keep_addresses = true;
  options.memory_limit_bytes = kMemoryLimit;
  try {
    const auto heap = import_hprof(file, options);
    if (!verify(heap->snapshot)) std::abort();
    if (heap->ledger().peak_bytes() > kMemoryLimit) std::abort();
    const CancelToken cancel;
    const auto references = CountedReferences::make(heap->snapshot, heap->arena(), cancel);
    if (!references) std::abort();
    const auto found = compute_dominators(*references, kStrongOnly, heap->arena(), cancel);
    if (!found && found.error().code != ErrorCode::kOutOfBudget) std::abort();
  } catch (const ImportFailure& failure) {
    // A small file never justifies much memory, whatever it says of itself.
    if (failure.code == ErrorCode::kOutOfMemory || failure.code == ErrorCode::kTooMany ||
        failure.code == ErrorCode::kOutOfBudget)
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);  // of its own, so that reading behind it is noticed
  if (size != 0) std::memcpy(bytes.data(), data, size);
  read(bytes, size % 2 == 0);
  return 0;
}

extern "C" std::size_t hf_fuzz_seed(std::uint8_t* out, std::size_t capacity) {
  const std::vector<std::byte> bytes = lab::sample_hprof(8, true);
  if (bytes.size() > capacity) return 0;
  std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}
