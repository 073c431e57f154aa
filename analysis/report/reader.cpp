#include "analysis/report/reader.h"

#include "analysis/report/file_header.h"
#include "analysis/report/index_check.h"
#include "analysis/report/report_generated.h"

namespace holdfast::analysis {
namespace {

constexpr std::size_t kAlignment = alignof(std::uint64_t);
constexpr flatbuffers::uoffset_t kMaxDepth = 8;  // Report > suspects > path > steps is 4 deep
constexpr std::size_t kMinTableBytes = 8;  // its offset in the parent and its own to the vtable

bool well_formed(std::span<const std::byte> payload) noexcept {
  if (payload.size() < kMinTableBytes) return false;
  flatbuffers::Verifier::Options options;
  options.max_depth = kMaxDepth;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(payload.size() / kMinTableBytes);
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(payload.data()),
                                 payload.size(), options);
  return report::VerifyReportBuffer(verifier);
}

}  // namespace

Result<const report::Report*> check_report(std::span<const std::byte> file) noexcept {
  HF_TRY(payload, read_header(file));
  if (reinterpret_cast<std::uintptr_t>(payload.data()) % kAlignment != 0) {
    return make_error(ErrorCode::kInconsistent);  // the caller's memory, not the file
  }
  if (!well_formed(payload)) return make_error(ErrorCode::kDamaged, kReportHeaderBytes);
  const report::Report* report = report::GetReport(payload.data());
  if (auto good = check_indices(*report, payload, newer_minor(file)); !good) {
    return make_error(ErrorCode::kDamaged,
                      static_cast<std::int64_t>(kReportHeaderBytes) + good.error().detail);
  }
  return report;
}

ReportFile::~ReportFile() { platforms::unmap_file(mapped_); }

Result<const report::Report*> ReportFile::open(const char* path) noexcept {
  platforms::unmap_file(mapped_);
  if (const int error = platforms::map_file(path, mapped_); error != 0)
    return make_error(ErrorCode::kIo, error);
  return check_report({mapped_.data, static_cast<std::size_t>(mapped_.bytes)});
}

}  // namespace holdfast::analysis
