// The report reader: a file in, a verified report out, or the reason why not. It builds and runs without any VM.
// Shape:  the file is mapped; the report points into the mapping. Checked in this order: size, magic, major version, length,
//         checksum, flatbuffers verifier, then every index and list length that the schema cannot express.
// Zone:   worker (self-check of what was written), offline.
// Errors: kNotOurs, kNewerVersion (detail: major), kDamaged (detail: offset), kIo (detail: errno).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/result.h"
#include "platforms/file.h"

namespace holdfast::report {
struct Report;  // generated: analysis/report/report_generated.h
}

namespace holdfast::analysis {

inline constexpr std::uint16_t kReportMajor = 1;
inline constexpr std::uint16_t kReportMinor = 7;

Result<const report::Report*> check_report(std::span<const std::byte> file) noexcept;

class ReportFile {
 public:
  ReportFile() = default;
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;
  ~ReportFile();
  Result<const report::Report*> open(const char* path) noexcept;
  std::uint64_t file_bytes() const noexcept { return mapped_.bytes; }

 private:
  platforms::MappedFile mapped_;
};

}  // namespace holdfast::analysis
