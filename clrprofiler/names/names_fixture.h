// A fake runtime, memory as a dump has it, and a reader on both: what the tests of this room share.
// Zone:   offline.   Errors: aborts when there is no memory.
#pragma once

#include <cstdlib>
#include <string>

#include "clrprofiler/names/class_reader.h"
#include "clrprofiler/names/fake_type_system.h"
#include "common/capture_memory.h"

namespace holdfast::clr {

struct NamesBench {
  static constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;

  FakeTypeSystem runtime;
  Ledger ledger{kMemory};
  Reservation reservation;
  CaptureMemory memory;
  ProfilerInfo info;
  Modules modules;
  ClassReader reader;

  NamesBench() {
    if (!reservation.open(CaptureMemory::address_space_bytes(kMemory)) ||
        !memory.open(reservation, ledger) || !memory.begin_dump())
      std::abort();
  }
  ~NamesBench() {
    modules.close();
    memory.end_dump();
  }
  NamesBench(const NamesBench&) = delete;
  NamesBench& operator=(const NamesBench&) = delete;

  // After the modules are there.
  void open() {
    if (!info.open(runtime.unknown()) || !modules.open(info, memory.work_arena()) ||
        !reader.open(info, modules, memory.work_arena()))
      std::abort();
  }
  std::string name(ClassID id) { return std::string(reader.read(id).name); }
  std::string name(std::string_view description) { return name(runtime.get(description)); }
};

}  // namespace holdfast::clr
