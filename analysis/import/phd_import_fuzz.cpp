// Fuzz target of the PHD importer: any bytes; whatever is read must be a consistent graph.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "analysis/import/import_failure.h"
#include "analysis/import/phd_fixture.h"
#include "analysis/import/phd_import.h"

using namespace holdfast;
using namespace holdfast::analysis;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMemoryLimit = std::uint64_t{64} << 20;
  ImportOptions options;
  options.memory_limit_bytes = kMemoryLimit;
  try {
    const auto heap = import_phd(std::as_bytes(std::span(data, size)), options);
    if (!verify(heap->snapshot)) __builtin_trap();
  } catch (const ImportFailure&) {
  }
  return 0;
}

extern "C" std::size_t hf_fuzz_seed(std::uint8_t* out, std::size_t capacity) {
  PhdWriter writer;
  writer.example();
  const Bytes bytes = writer.bytes();
  if (bytes.size() > capacity) return 0;
  std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}
