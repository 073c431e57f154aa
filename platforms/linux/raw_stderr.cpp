#include "platforms/raw_stderr.h"

#include <sys/uio.h>
#include <unistd.h>

namespace holdfast::platforms {

void write_stderr_line(std::string_view line) noexcept {
  char newline = '\n';
  iovec parts[2] = {{const_cast<char*>(line.data()), line.size()}, {&newline, 1}};
  [[maybe_unused]] const ssize_t ignored = ::writev(STDERR_FILENO, parts, 2);
}

}  // namespace holdfast::platforms
