#include "analysis/import/hprof_walk.h"

namespace holdfast::analysis {
namespace {

// Steps over `count` values of a name and a typed value each.
bool skip_values(HprofCursor& c, std::uint32_t count, unsigned name_bytes) noexcept {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!c.has(name_bytes + 1)) return false;
    c.skip(name_bytes);
    const unsigned bytes = hprof_type_bytes(c.u1(), c.id_bytes());
    if (bytes == 0 || !c.has(bytes)) return false;
    c.skip(bytes);
  }
  return true;
}

bool skip_fields(HprofCursor& c, std::uint32_t count) noexcept {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!c.has(c.id_bytes() + 1)) return false;
    c.skip(c.id_bytes());
    if (hprof_type_bytes(c.u1(), c.id_bytes()) == 0) return false;
  }
  return true;
}

bool is_record_tag(std::uint8_t tag) noexcept {
  return (tag >= 0x01 && tag <= 0x0E) ||
         tag == static_cast<std::uint8_t>(HprofTag::kHeapDumpSegment) ||
         tag == static_cast<std::uint8_t>(HprofTag::kHeapDumpEnd);
}

}  // namespace

bool read_class_dump(HprofCursor& c, ClassDump& out) noexcept {
  const std::uint64_t fixed = 7 * c.id_bytes() + 4 + 4 + 2;
  if (!c.has(fixed)) return false;
  out.id = c.id();
  c.skip(4);  // stack trace
  out.super_id = c.id();
  out.loader_id = c.id();
  out.signers_id = c.id();
  out.domain_id = c.id();
  c.skip(2 * c.id_bytes());  // reserved
  out.instance_bytes = c.u4();
  out.constant_count = c.u2();
  out.constants = c.at();
  if (!skip_values(c, out.constant_count, 2) || !c.has(2)) return false;
  out.static_count = c.u2();
  out.statics = c.at();
  if (!skip_values(c, out.static_count, c.id_bytes()) || !c.has(2)) return false;
  out.field_count = c.u2();
  out.fields = c.at();
  return skip_fields(c, out.field_count);
}

bool read_root(HeapTag tag, HprofCursor& c, HprofRoot& out) noexcept {
  unsigned more = 0;  // bytes behind the id
  switch (tag) {
    case HeapTag::kRootUnknown:
    case HeapTag::kRootStickyClass:
    case HeapTag::kRootMonitorUsed:
    case HeapTag::kRootInternedString:
    case HeapTag::kRootFinalizing:
    case HeapTag::kRootDebugger:
    case HeapTag::kRootReferenceCleanup:
    case HeapTag::kRootVmInternal:
    case HeapTag::kUnreachable:
      break;
    case HeapTag::kRootJniGlobal:
      more = c.id_bytes();
      break;
    case HeapTag::kRootNativeStack:
    case HeapTag::kRootThreadBlock:
      more = 4;
      break;
    case HeapTag::kRootJniLocal:
    case HeapTag::kRootJavaFrame:
    case HeapTag::kRootThreadObject:
    case HeapTag::kRootJniMonitor:
      more = 8;
      break;
    default:
      return false;
  }
  if (!c.has(c.id_bytes() + more)) return false;
  out = HprofRoot{c.id(), 0, kNoFrame, tag};
  if (tag == HeapTag::kRootJniGlobal) {
    c.skip(more);
  } else if (more != 0) {
    out.thread_serial = c.u4();
    if (more == 8) out.frame = c.u4();
  }
  return true;
}

std::uint64_t whole_heap_dump(std::span<const std::byte> file, std::uint64_t body,
                              std::uint64_t bytes) noexcept {
  constexpr std::uint64_t kWrap = std::uint64_t{1} << 32;
  std::uint64_t longest = bytes;
  for (std::uint64_t candidate = bytes; candidate <= file.size() - body; candidate += kWrap)
    if (candidate == file.size() - body ||
        is_record_tag(std::to_integer<std::uint8_t>(file[body + candidate])))
      longest = candidate;
  return longest;
}

}  // namespace holdfast::analysis
