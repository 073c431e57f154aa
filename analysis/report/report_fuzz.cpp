// Fuzz target of the report reader: any bytes, as they are and with the header that would make them pass its first checks.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "analysis/report/file_header.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_fixture.h"

using namespace holdfast::analysis;

// A copy of exactly this size, so that reading past the end is seen.
static void check_copy(const std::uint8_t* data, std::size_t size, bool sealed) {
  const auto memory = std::make_unique<std::uint64_t[]>((size + 7) / 8);
  auto* bytes = reinterpret_cast<std::byte*>(memory.get());
  if (size != 0) std::memcpy(bytes, data, size);
  if (sealed && size > kReportHeaderBytes) write_header({bytes, size});
  (void)check_report({bytes, size}).ok();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_copy(data, size, false);
  check_copy(data, size, true);
  return 0;
}

extern "C" std::size_t hf_fuzz_seed(std::uint8_t* out, std::size_t capacity) {
  ReportFixture fixture;
  const auto image = fixture.image();
  if (image.size() > capacity) return 0;
  std::memcpy(out, image.data(), image.size());
  return image.size();
}
