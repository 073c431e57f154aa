#include "cli/html/page_file.h"

#include "cli/html/html_page.h"
#include "common/atomic_file.h"

namespace holdfast::cli {

bool pages_built() { return !kReportPage.script.empty(); }

OutputFile page_file(const std::string& path) {
  if (!path.empty() && !pages_built())
    throw Stop{ExitCode::kRefused,
               "--html: this holdfast was built without pages (HOLDFAST_BUILD_WEB=OFF)"};
  return {"--html", path, std::string(kPageMark)};
}

void write_page(const OutputFile& file, const std::string& page) {
  file.write([&](const char* directory, const char* name) -> Result<void> {
    AtomicFile made;
    HF_CHECK_OK(made.open(directory, name));
    HF_CHECK_OK(made.write(reinterpret_cast<const std::byte*>(page.data()), page.size()));
    return made.publish();
  });
}

}  // namespace holdfast::cli
