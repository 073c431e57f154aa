#include "cli/html/report_page.h"

#include <algorithm>

#include "cli/html/html_page.h"
#include "common/atomic_file.h"

namespace holdfast::cli {
namespace {

// A quarter of the rows each time: at most ten times for the longest list there is.
constexpr std::size_t kCutFactor = 4;
constexpr std::size_t kLeastRows = 1;

std::size_t longest_list(const ReportView& view) {
  return std::max({view.classes.size(), view.loaders.size(), view.packages.size(),
                   view.threads.size(), view.tree.size(), view.top_objects.size(),
                   view.suspects.size()});
}

std::string page_with(const ReportView& view, std::size_t top, bool cut) {
  Json document = report_document(view, {top, std::nullopt});
  if (cut) document["page_rows_limit"] = top;
  return html_page(kReportPage, document);
}

}  // namespace

std::string report_page(const ReportView& view, std::size_t top, std::size_t most_bytes) {
  top = std::min(top, longest_list(view));
  std::string page = page_with(view, top, false);
  while (page.size() > most_bytes && top > kLeastRows) {
    top = std::max(kLeastRows, top / kCutFactor);
    page = page_with(view, top, true);
  }
  return page;
}

OutputFile page_file(const std::string& path) { return {"--html", path, std::string(kPageMark)}; }

void write_page(const OutputFile& file, const std::string& page) {
  file.write([&](const char* directory, const char* name) -> Result<void> {
    AtomicFile made;
    HF_CHECK_OK(made.open(directory, name));
    HF_CHECK_OK(made.write(reinterpret_cast<const std::byte*>(page.data()), page.size()));
    return made.publish();
  });
}

}  // namespace holdfast::cli
