// Any line of /proc is taken or refused, and no view leads out of it.
#include <cstdlib>
#include <cstring>

#include "platforms/linux/other_process_text.h"

namespace {

void check_inside(std::string_view line, std::string_view part) {
  if (part.empty()) return;
  const bool inside =
      part.data() >= line.data() && part.data() + part.size() <= line.data() + line.size();
  if (!inside) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace holdfast::platforms;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  OtherProcess process;
  take_status_line(line, process);
  if (::strnlen(process.name, sizeof process.name) == sizeof process.name) std::abort();
  std::uint64_t number = 0;
  parse_start(line, number);
  parse_socket_link(line, number);
  MappedName file;
  if (parse_mapped_file(line, file)) check_inside(line, file.path);
  LocalSocketName socket;
  if (parse_local_socket(line, socket)) check_inside(line, socket.path);
  std::string_view name;
  if (parse_user(line, 0, name)) check_inside(line, name);
  return 0;
}
