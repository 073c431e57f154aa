#include "analysis/report_file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "common/text_tail.h"
#include "platforms/file.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kMaxNameTries = 10'000;

FileNameFacts name_facts(const AnalysisInput& input) noexcept {
  const DumpRecord& record = input.record;
  FileNameFacts facts;
  facts.main_name = record.vm.main_name;
  facts.host = record.host;
  facts.container = record.container;
  facts.pid = record.pid;
  facts.utc_ms = record.started_utc_ms;
  facts.sequence = record.sequence;
  facts.kind = is_extended(input.capture) ? "extended" : "simple";
  return facts;
}

std::string_view name_pattern(const AnalysisInput& input) noexcept {
  const std::string_view asked(input.record.request.file);
  return asked.empty() ? std::string_view(input.options.file) : asked;
}

bool numbered(std::string_view pattern) noexcept {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    if (pattern[i + 1] == 'n') return true;
    ++i;  // the letter, which may be another '%'
  }
  return false;
}

// "report.hfr" -> "report-2.hfr"
Result<FileName> with_number(const FileName& name, std::uint32_t number) noexcept {
  const std::string_view text(name.text);
  const std::size_t dot = text.rfind('.');
  const std::string_view stem = text.substr(0, dot);
  const std::string_view end =
      dot == std::string_view::npos ? std::string_view{} : text_tail(text, dot);
  FileName out;
  const int length =
      std::snprintf(out.text, sizeof out.text, "%.*s-%u%.*s", static_cast<int>(stem.size()),
                    stem.data(), number, static_cast<int>(end.size()), end.data());
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof out.text)
    return make_error(ErrorCode::kBadOption);
  return out;
}

bool is_free(const char* directory, const FileName& name) noexcept {
  char path[AtomicFile::kMaxPath];
  const int length = std::snprintf(path, sizeof path, "%s/%s", directory, name.text);
  return length > 0 && static_cast<std::size_t>(length) < sizeof path &&
         !platforms::file_exists(path);
}

}  // namespace

Result<FileName> choose_report_name(AnalysisInput& input) noexcept {
  const bool has_number = numbered(name_pattern(input));
  for (std::uint32_t tries = 0; tries < kMaxNameTries; ++tries) {
    HF_TRY(name, expand_file_name(name_pattern(input), name_facts(input)));
    if (!has_number && tries != 0) {
      HF_TRY(other, with_number(name, tries + 1));
      name = other;
    }
    if (is_free(input.options.dir, name)) return name;
    if (has_number) ++input.record.sequence;
  }
  return make_error(ErrorCode::kExists);
}

Result<void> ReportFiles::open(AtomicFile& file, std::span<const std::byte> image) noexcept {
  HF_CHECK_OK(file.open(input_.options.dir, name_.text));
  return file.write(image.data(), image.size());
}

void ReportFiles::note(const AtomicFile& file, std::size_t bytes) noexcept {
  const std::size_t length = std::min(std::strlen(file.path()), sizeof outcome_.report_path - 1);
  std::memcpy(outcome_.report_path, file.path(), length);
  outcome_.report_path[length] = '\0';
  outcome_.report_bytes = bytes;
}

Result<void> ReportFiles::publish_basic(std::span<const std::byte> image) noexcept {
  Result<void> done = open(basic_, image);
  if (done) {
    note(basic_, image.size());
    outcome_.complete = false;
    if (input_.publishing != nullptr) input_.publishing(input_.published_context, outcome_);
    done = basic_.publish_locked();
  }
  has_basic_ = done.ok();
  if (!has_basic_) basic_.abandon();  // its temporary name is the full one's, too
  return done;
}

Result<void> ReportFiles::publish(std::span<const std::byte> image) noexcept {
  AtomicFile file;
  HF_CHECK_OK(open(file, image));
  HF_CHECK_OK(has_basic_ ? file.replace() : file.publish());
  note(file, image.size());
  outcome_.complete = true;
  return {};
}

void tidy_directory(const AnalysisInput& input) noexcept {
  remove_stale_temporaries(input.options.dir);
  const Result<FileName> prefix = constant_prefix(input.options.file, name_facts(input));
  // Without a constant part every report in the directory would count, also other services'.
  if (!prefix || prefix->text[0] == '\0') return;
  const int keep = static_cast<int>(input.options.max_dumps);
  remove_oldest_files(input.options.dir, prefix->text, ".hfr", keep);
  remove_oldest_files(input.options.dir, prefix->text, ".hfs", keep);
}

}  // namespace holdfast::analysis
