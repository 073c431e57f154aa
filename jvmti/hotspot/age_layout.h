// Where HotSpot keeps how many collections an object has survived: age bits of the mark word, and which part of the heap is young.
// Why apart from heap_layout: without it the heap is read all the same, so what is missing here only means that ages are not told.
// Shape:  offsets in bytes; addresses are of the VM's own structures, which stay where they are for its life. What those hold changes with
//         each collection and is read in the child (object_ages.h).
// Zone:   read_age_layout(): capture (after VM init). The values: any.
// Errors: `why_not` is not empty: a literal that names what the VM does not tell.
// Source: HotSpot, oops/markWord.hpp (markOop.hpp up to 13), gc/g1/heapRegionType.hpp, runtime/{basicLock,objectMonitor}.hpp.
#pragma once

#include <cstdint>

#include "jvmti/hotspot/vm_tables.h"

namespace holdfast::jvmti {

enum class YoungPlace : std::uint8_t {
  kRange,   // one stretch of the heap: Serial, Parallel
  kRegions  // by the type of each region: G1
};

struct AgeLayout {
  const char* why_not = "the layout was not read";
  YoungPlace young = YoungPlace::kRange;

  // the mark word; its two lowest bits are 00 locked, 01 not locked, 10 inflated in every version
  std::uint32_t age_shift = 0;
  std::uint64_t age_mask = 0;        // after the shift
  bool locks_displace = false;       // of a locked object the mark word stands on a thread's stack
  bool monitors_displace = false;    // of an inflated one in its monitor
  std::uint32_t displaced_mark = 0;  // BasicLock -> mark word
  std::uint32_t monitor_mark = 0;    // ObjectMonitor -> mark word

  // kRange
  std::uint64_t generation_cell = 0;  // address of the pointer to the young generation
  std::uint32_t range_start = 0;      // generation -> start of its reserved range
  std::uint32_t range_words = 0;

  // kRegions
  std::uint64_t region_table = 0;  // address of a G1HeapRegionTable
  std::uint32_t table_base = 0;    // -> pointers to regions, in the order of addresses
  std::uint32_t table_length = 0;
  std::uint32_t table_shift = 0;    // -> a region's bytes as a power of two
  std::uint32_t region_bottom = 0;  // region -> its first address
  std::uint32_t region_tag = 0;     // region -> its type
  std::uint32_t region_top = 0;     // region -> the end of what is allocated in it; 0: not known
  std::uint32_t young_mask = 0;     // of the type
};

AgeLayout read_age_layout(VmSymbol symbol) noexcept;

}  // namespace holdfast::jvmti
