#include "clrprofiler/runtime_facts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/command_line.h"
#include "platforms/process.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kLeastContainerHeap = std::uint64_t{20} << 20;
constexpr std::uint64_t kContainerHeapPercent = 75;

std::string_view file_name_of(std::string_view path) noexcept {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool take_ending(std::string_view& name, std::string_view ending) noexcept {
  if (!name.ends_with(ending) || name.size() == ending.size()) return false;
  name.remove_suffix(ending.size());
  return true;
}

void copy_fact(std::string_view text, char (&out)[kMaxFactText]) noexcept {
  const std::size_t bytes = std::min(text.size(), kMaxFactText - 1);
  if (bytes != 0) std::memcpy(out, text.data(), bytes);
  out[bytes] = '\0';
}

const char* setting(const char* name) noexcept {
  char key[64];
  for (const char* prefix : {"DOTNET_", "COMPlus_"}) {
    std::snprintf(key, sizeof key, "%s%s", prefix, name);
    if (const char* value = platforms::environment_value(key)) return value;
  }
  return nullptr;
}

std::uint64_t hexadecimal(const char* text) noexcept {
  return text != nullptr ? std::strtoull(text, nullptr, 16) : 0;
}

const char* collector_name() noexcept {
  const bool server = hexadecimal(setting("gcServer")) != 0;
  const char* concurrent = setting("gcConcurrent");
  if (concurrent != nullptr && hexadecimal(concurrent) == 0)
    return server ? "Server, not concurrent" : "Workstation, not concurrent";
  return server ? "Server" : "Workstation";
}

}  // namespace

std::string_view application_name_of(std::string_view arguments) noexcept {
  std::string_view first;
  while (!arguments.empty()) {
    const std::size_t end = std::min(arguments.find('\0'), arguments.size());
    std::string_view name = file_name_of(arguments.substr(0, end));
    arguments.remove_prefix(std::min(end + 1, arguments.size()));
    if (take_ending(name, ".dll")) return name;
    if (!first.empty()) continue;
    first = name;
    take_ending(first, ".exe");
    if (first != "dotnet") return first;  // an executable of the application's own
  }
  return first;
}

std::uint64_t heap_limit_bytes(const char* hard_limit, const char* hard_limit_percent,
                               std::uint64_t physical_bytes, std::uint64_t cgroup_bytes) noexcept {
  if (const std::uint64_t bytes = hexadecimal(hard_limit)) return bytes;
  const bool contained = cgroup_bytes != platforms::kUnknownBytes && cgroup_bytes < physical_bytes;
  const std::uint64_t whole = contained ? cgroup_bytes : physical_bytes;
  if (const std::uint64_t percent = hexadecimal(hard_limit_percent); percent > 0 && percent <= 100)
    return whole / 100 * percent;
  if (!contained) return platforms::kUnknownBytes;
  return std::max(whole / 100 * kContainerHeapPercent, kLeastContainerHeap);
}

std::uint64_t heap_limit_bytes() noexcept {
  return heap_limit_bytes(setting("GCHeapHardLimit"), setting("GCHeapHardLimitPercent"),
                          platforms::physical_memory_bytes(), platforms::cgroup_limit_bytes());
}

void read_application_name(char (&out)[kMaxFactText]) noexcept {
  char line[kMaxCommandLine];
  copy_fact(application_name_of(read_command_line(line)), out);
}

VmFacts read_runtime_facts(ProfilerInfo& info) noexcept {
  VmFacts facts;
  USHORT instance = 0, major = 0, minor = 0, build = 0, fix = 0;
  COR_PRF_RUNTIME_TYPE type = COR_PRF_DESKTOP_CLR;
  const bool known = info.version() >= 3 &&
                     succeeded(info->GetRuntimeInformation(&instance, &type, &major, &minor, &build,
                                                           &fix, 0, nullptr, nullptr));
  const bool framework = known && type == COR_PRF_DESKTOP_CLR;
  copy_fact(framework ? ".NET Framework" : ".NET", facts.vm_name);
  copy_fact("Microsoft", facts.vm_vendor);
  if (known && framework)
    std::snprintf(facts.vm_version, sizeof facts.vm_version, "%d.%d.%d.%d", major, minor, build,
                  fix);
  else if (known)
    std::snprintf(facts.vm_version, sizeof facts.vm_version, "%d.%d.%d", major, minor, build);
  read_application_name(facts.main_name);
  copy_fact(collector_name(), facts.collector);
  facts.command_line_hash = command_line_hash();
  return facts;
}

}  // namespace holdfast::clr
