#include "jvmti/hotspot/age_layout.h"

#include <string_view>

#include "jvmti/hotspot/vm_flags.h"

namespace holdfast::jvmti {

namespace {

constexpr std::uint64_t kMostAgeOffset = 4096;
constexpr std::int64_t kMostAgeShift = 32;
constexpr std::int64_t kMostAge = 15;  // four bits in every version
constexpr std::int32_t kLightweightLocking = 2;

// Structures of G1's have a new name since 24.
struct RegionNames {
  const char* manager;
  const char* region;
  const char* type;
};
constexpr RegionNames kRegionNames[] = {{"G1HeapRegionManager", "G1HeapRegion", "G1HeapRegionType"},
                                        {"HeapRegionManager", "HeapRegion", "HeapRegionType"}};

class AgeReader {
 public:
  AgeReader(const VmTables& tables, std::string_view collector, const std::byte* heap) noexcept
      : tables_(tables), collector_(collector), heap_(heap) {}

  AgeLayout read() noexcept {
    out_.why_not = "";
    if (collector_ == "G1") {
      read_regions();
    } else if (collector_ == "Parallel" || collector_ == "Serial") {
      read_range();
    } else {
      refuse("this collector keeps none that could be read");
    }
    read_mark();
    read_locks();
    return out_;
  }

 private:
  // The first reason is the one that is told.
  void refuse(const char* why) noexcept {
    if (out_.why_not[0] == '\0') out_.why_not = why;
  }

  std::uint32_t offset(const char* type, const char* field, const char* why) noexcept {
    const auto found = tables_.field(type, field);
    if (found && found->address == nullptr && found->offset < kMostAgeOffset)
      return static_cast<std::uint32_t>(found->offset);
    refuse(why);
    return 0;
  }
  bool has(const char* type, const char* field) const noexcept {
    return tables_.field(type, field).has_value();
  }
  std::int64_t mark_constant(const char* name, const char* old_name) const noexcept {
    const auto value = tables_.constant(name);
    return value ? *value : tables_.constant(old_name).value_or(-1);
  }

  void read_mark() noexcept {
    const std::int64_t shift = mark_constant("markWord::age_shift", "markOopDesc::age_shift");
    const std::int64_t mask = mark_constant("markWord::age_mask", "markOopDesc::age_mask");
    const bool same_locks =
        mark_constant("markWord::lock_mask", "markOopDesc::lock_mask") == 3 &&
        mark_constant("markWord::locked_value", "markOopDesc::locked_value") == 0 &&
        mark_constant("markWord::unlocked_value", "markOopDesc::unlocked_value") == 1 &&
        mark_constant("markWord::monitor_value", "markOopDesc::monitor_value") == 2;
    if (shift < 2 || shift > kMostAgeShift || mask != kMostAge || !same_locks)
      return refuse("the VM does not tell the bits of its mark words");
    out_.age_shift = static_cast<std::uint32_t>(shift);
    out_.age_mask = static_cast<std::uint64_t>(mask);
  }

  // From 21 on a flag says how objects are locked; later there is one way alone, and no displaced header.
  void read_locks() noexcept {
    constexpr const char* kWhy = "the VM does not tell where mark words of locked objects stand";
    const std::byte* mode = find_vm_flag(tables_, "LockingMode");
    out_.locks_displace = mode != nullptr ? read_at<std::int32_t>(mode) != kLightweightLocking
                                          : has("BasicLock", "_displaced_header");
    if (out_.locks_displace)
      out_.displaced_mark = offset(
          "BasicLock", has("BasicLock", "_metadata") ? "_metadata" : "_displaced_header", kWhy);
    const std::byte* table = find_vm_flag(tables_, "UseObjectMonitorTable");
    out_.monitors_displace = table == nullptr || read_at<std::uint8_t>(table) == 0;
    if (out_.monitors_displace)
      out_.monitor_mark = offset("ObjectMonitor",
                                 has("ObjectMonitor", "_metadata") ? "_metadata" : "_header", kWhy);
  }

  // The pointer to the young generation: static with Parallel, else in the heap; on 8 the first of an array.
  void read_range() noexcept {
    constexpr const char* kWhy = "the VM does not tell where its young generation lies";
    out_.young = YoungPlace::kRange;
    const bool parallel = collector_ == "Parallel";
    if (parallel) {
      const auto cell = tables_.field("ParallelScavengeHeap", "_young_gen");
      if (!cell || cell->address == nullptr) return refuse(kWhy);
      out_.generation_cell = reinterpret_cast<std::uintptr_t>(cell->address);
    } else {
      const bool old = has("GenCollectedHeap", "_gens");
      const char* heap_type = has("SerialHeap", "_young_gen") ? "SerialHeap" : "GenCollectedHeap";
      out_.generation_cell = reinterpret_cast<std::uintptr_t>(heap_) +
                             offset(heap_type, old ? "_gens" : "_young_gen", kWhy);
    }
    const std::uint32_t range = offset(parallel ? "PSYoungGen" : "Generation", "_reserved", kWhy);
    out_.range_start = range + offset("MemRegion", "_start", kWhy);
    out_.range_words = range + offset("MemRegion", "_word_size", kWhy);
  }

  void read_regions() noexcept {
    constexpr const char* kWhy = "the VM does not tell the types of its regions";
    out_.young = YoungPlace::kRegions;
    const bool renamed = has(kRegionNames[0].region, "_type");
    const RegionNames& names = kRegionNames[renamed ? 0 : 1];
    out_.region_table = reinterpret_cast<std::uintptr_t>(heap_) +
                        offset("G1CollectedHeap", "_hrm", kWhy) +
                        offset(names.manager, "_regions", kWhy);
    out_.table_base = offset("G1HeapRegionTable", "_base", kWhy);
    out_.table_length = offset("G1HeapRegionTable", "_length", kWhy);
    out_.table_shift = offset("G1HeapRegionTable", "_shift_by", kWhy);
    out_.region_bottom = offset(names.region, "_bottom", kWhy);
    out_.region_tag = offset(names.region, "_type", kWhy) + offset(names.type, "_tag", kWhy);
    if (has(names.region, "_top")) out_.region_top = offset(names.region, "_top", kWhy);
    const auto mask =
        tables_.constant(renamed ? "G1HeapRegionType::YoungMask" : "HeapRegionType::YoungMask");
    if (!mask || *mask <= 0 || *mask > 0x80) return refuse(kWhy);
    out_.young_mask = static_cast<std::uint32_t>(*mask);
  }

  const VmTables& tables_;
  std::string_view collector_;
  const std::byte* heap_;
  AgeLayout out_;
};

}  // namespace

AgeLayout read_age_layout(VmSymbol symbol) noexcept {
  AgeLayout untold;
  VmTables tables;
  const auto cell = tables.open(symbol) ? tables.field("Universe", "_collectedHeap") : std::nullopt;
  if (!cell || cell->address == nullptr) return untold;
  const VmFlags flags = read_vm_flags(symbol);
  return AgeReader(tables, flags.collector, read_at<const std::byte*>(cell->address)).read();
}

}  // namespace holdfast::jvmti
