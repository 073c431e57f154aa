// The slots of static fields, listed before a collection and read inside it: for runtimes whose collections do not tell them.
// Why in two halves: whose a slot is takes names and calls, which the pause has no time for; what is in it only the pause can tell.
// Shape:  list(): fields of the classes of compiled methods and of their base classes, kMostStatics at most; code that was compiled ahead
//         has no such methods, so the fields of its classes stay without a name. read_stopped(): one word a slot. record(): the
//         recording then has them as if the runtime had told them. 32 B a slot and its name.
//         Left out: structs (what the runtime calls their address lies in a box, which a collection may move), generic classes,
//         application domains but the first, and everything while there are collectible modules (field_search.h).
// Zone:   list(), record(): capture, on a thread that the runtime does not know or that has called ForceGC, from one to the other nothing
//         is unloaded. read_stopped(): stopped.
// Errors: list(): the runtime's, kOutOfBudget. record(): false when there was no room for all.
#pragma once

#include <span>
#include <string_view>

#include "clrprofiler/heap/heap_recording.h"
#include "clrprofiler/profiler_info.h"

namespace holdfast::clr {

class StaticList {
 public:
  // What is listed lives in `arena`.
  Result<void> list(ProfilerInfo& info, std::uint32_t most, std::uint32_t most_name_units,
                    Arena& arena) noexcept;
  std::size_t size() const noexcept { return count_; }

  void read_stopped() noexcept {
    for (Slot& slot : slots_.first(count_))
      slot.object = *reinterpret_cast<const volatile std::uintptr_t*>(slot.address);
  }
  bool record(HeapRecording& recording) const noexcept;

 private:
  friend class SlotCollector;

  struct Slot {
    std::uintptr_t address = 0;
    std::uintptr_t object = 0;
    std::uint32_t name_at = 0;
    std::uint32_t name_units = 0;
  };

  bool full() const noexcept { return full_; }
  void add(std::uint64_t address, std::u16string_view name) noexcept;

  std::span<Slot> slots_;
  std::span<char16_t> names_;
  std::size_t count_ = 0;
  std::size_t name_units_ = 0;
  bool full_ = false;
};

}  // namespace holdfast::clr
