#include "cli/attach/vm_counters.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>

#include "cli/attach/vm_readiness.h"
#include "platforms/foreign_files.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{128} << 10;  // usually it has 32
constexpr std::size_t kCutAt = 1024;                           // PerfMaxStringConstLength

constexpr char kLittleEndian = 1;
constexpr std::size_t kByteOrderAt = 4, kFirstEntryAt = 24, kEntriesAt = 28, kHeaderBytes = 32;
constexpr std::size_t kNameAt = 4, kLengthAt = 8, kTypeAt = 12, kDataAt = 16, kEntryBytes = 20;

std::uint32_t number_at(std::string_view text, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])) << (8 * i);
  return value;
}

std::string_view until_zero(std::string_view text) { return text.substr(0, text.find('\0')); }

// The text that an entry with this name has; of "java.rt.vmArgs" without its zero.
std::optional<std::string_view> text_named(std::string_view file, std::string_view name) {
  if (file.size() < kHeaderBytes) return std::nullopt;
  std::string_view rest =
      file.substr(std::min<std::size_t>(number_at(file, kFirstEntryAt), file.size()));
  for (std::uint32_t left = number_at(file, kEntriesAt); left != 0; --left) {
    if (rest.size() < kEntryBytes) return std::nullopt;
    const std::size_t bytes = number_at(rest, 0);
    if (bytes < kEntryBytes || bytes > rest.size()) return std::nullopt;
    const std::string_view entry = rest.substr(0, bytes);
    const std::size_t name_at = number_at(entry, kNameAt), data_at = number_at(entry, kDataAt);
    if (name_at > bytes || data_at > bytes) return std::nullopt;
    if (until_zero(entry.substr(name_at)) == name && entry[kTypeAt] == 'B')
      return until_zero(entry.substr(data_at).substr(0, number_at(entry, kLengthAt)));
    rest.remove_prefix(bytes);
  }
  return std::nullopt;
}

// A file of flags has them without "-XX:".
void add_options(std::vector<std::string>& to, std::string_view text, std::string_view before) {
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;)
    to.push_back(word.starts_with("-X") ? word : std::string(before) + word);
}

std::string collector_named_by(std::string_view file) {
  const std::string_view policy = text_named(file, "sun.gc.policy.name").value_or("");
  if (policy.find("CMS") != policy.npos) return "CMS";
  if (policy.starts_with("GarbageFirst")) return "G1";
  if (policy.starts_with("ParScav")) return "Parallel";
  if (policy.starts_with("ParNew")) return "ParNew";
  if (policy.starts_with("Copy")) return "Serial";
  for (const char* name : {"sun.gc.collector.0.name", "sun.gc.collector.2.name"}) {
    const std::string_view collector = text_named(file, name).value_or("");
    if (collector.starts_with('Z')) return "ZGC";
    if (collector.starts_with("Shenandoah")) return "Shenandoah";
  }
  return {};
}

}  // namespace

VmCounters counters_from(std::string_view file) {
  VmCounters counters;
  if (readiness_from(file) != VmReadiness::kReady || file[kByteOrderAt] != kLittleEndian)
    return counters;
  counters.collector = collector_named_by(file);
  const auto arguments = text_named(file, "java.rt.vmArgs");
  const std::string_view flags = text_named(file, "java.rt.vmFlags").value_or("");
  if (!arguments || arguments->size() >= kCutAt || flags.size() >= kCutAt) return counters;
  counters.options_whole = true;
  add_options(counters.options, flags, "-XX:");
  add_options(counters.options, *arguments, "");
  return counters;
}

VmCounters read_vm_counters(int root, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return {};
  const platforms::Descriptor folder =
      platforms::open_directory_inside(root, path.substr(0, slash).c_str());
  if (!folder.valid()) return {};
  std::string file(kMaxFileBytes, '\0');
  const std::int64_t bytes =
      platforms::read_first_in(folder.get(), path.c_str() + slash + 1, file.data(), file.size());
  return counters_from({file.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0});
}

}  // namespace holdfast::cli
