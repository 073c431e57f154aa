#include "cli/attach/vm_readiness.h"

#include <algorithm>

namespace holdfast::cli {
namespace {

constexpr std::size_t kHeadBytes = 8;
// Without a counters file: by then a VM has started, even on a busy machine.
constexpr std::uint64_t kReadyAgeMs = 3000;
constexpr std::uint64_t kReadyDeadlineNs = 5'000'000'000;

VmReadiness readiness_of(const Target& target, const TargetFiles& files) {
  const std::string& path = target.counters_path;
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return VmReadiness::kUnknown;
  const platforms::Descriptor folder =
      platforms::open_directory_inside(files.root.get(), path.substr(0, slash).c_str());
  if (!folder.valid()) return VmReadiness::kUnknown;
  char head[kHeadBytes];
  const std::int64_t bytes =
      platforms::read_first_in(folder.get(), path.c_str() + slash + 1, head, sizeof head);
  return readiness_from({head, bytes > 0 ? static_cast<std::size_t>(bytes) : 0});
}

bool may_be_ready(const Target& target, const TargetFiles& files) {
  const VmReadiness readiness = readiness_of(target, files);
  if (readiness != VmReadiness::kUnknown) return readiness == VmReadiness::kReady;
  return platforms::process_age_ms(target.process) > kReadyAgeMs;
}

}  // namespace

VmReadiness readiness_from(std::string_view head) {
  constexpr std::string_view kBigEndian = "\xca\xfe\xc0\xc0", kLittleEndian = "\xc0\xc0\xfe\xca";
  constexpr std::size_t kMajorAt = 5, kAccessibleAt = 7;
  constexpr char kMajor = 2;
  const bool known = head.size() >= kHeadBytes &&
                     (head.starts_with(kBigEndian) || head.starts_with(kLittleEndian)) &&
                     head[kMajorAt] == kMajor;
  if (!known) return VmReadiness::kUnknown;
  return head[kAccessibleAt] == 0 ? VmReadiness::kStarting : VmReadiness::kReady;
}

void wait_until_ready(const Target& target, const TargetFiles& files, const Patience& patience) {
  // Half of what a person grants is kept for the rest.
  patience.at_most(std::min(kReadyDeadlineNs, patience.left_ns() / 2)).wait([&] {
    return may_be_ready(target, files) || !platforms::same_process(target.process);
  });
}

}  // namespace holdfast::cli
