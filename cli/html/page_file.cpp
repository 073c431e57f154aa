#include "cli/html/page_file.h"

#include "cli/html/html_page.h"
#include "common/atomic_file.h"

namespace holdfast::cli {

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
