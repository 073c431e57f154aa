// Fuzz target of the snapshot reader and of the reader of the report inside: any bytes, as they are and with every block's
// checksum and number made right.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "analysis/report/reader.h"
#include "analysis/snapshot_file/block_format.h"
#include "analysis/snapshot_file/embedded_report.h"
#include "analysis/snapshot_file/snapshot_fixture.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr std::uint64_t kMemoryLimit = std::uint64_t{32} << 20;

void reseal(std::span<std::byte> file) {
  std::uint32_t number = 0;
  std::size_t at = kSnapshotHeaderBytes;
  while (at + kBlockHeaderBytes < file.size()) {
    const auto bytes = file.subspan(at).first<kBlockHeaderBytes>();
    auto header = read_block_header(bytes);
    if (!header || header->stored_bytes > file.size() - at - kBlockHeaderBytes) return;
    header->number = number++;
    write_block_header(*header, file.subspan(at + kBlockHeaderBytes, header->stored_bytes), bytes);
    at += kBlockHeaderBytes + header->stored_bytes;
  }
}

void read(std::span<const std::byte> bytes) {
  SnapshotFile file;
  if (file.read(bytes, {kMemoryLimit, true}) && !verify(file.snapshot())) std::abort();
  EmbeddedReport report;
  if (report.read(bytes)) (void)check_report(report.image());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size != 0) std::memcpy(bytes.data(), data, size);
  read(bytes);
  reseal(bytes);
  read(bytes);
  return 0;
}

extern "C" std::size_t hf_fuzz_seed(std::uint8_t* out, std::size_t capacity) {
  SnapshotFixture fixture(11, 60);
  const std::vector<std::byte> bytes = fixture.file();
  if (bytes.size() > capacity) return 0;
  std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}
