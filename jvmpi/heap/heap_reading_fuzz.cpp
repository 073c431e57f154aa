// Any bytes as what a VM shows of its heap: whatever is read of them seals into a graph that is sound, or is refused; the VM is left with
// its collector on.
// Input:  one byte (which dump is forged, how it is read), then the dump.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "jvmpi/fake_vm.h"
#include "jvmpi/heap/heap_reading.h"

using namespace holdfast;
using namespace holdfast::jvmpi;

namespace {

constexpr std::uint64_t kMemory = std::uint64_t{4} << 20;

void check(bool right) {
  if (!right) std::abort();
}

// A VM of a few classes, whose ids a mutated dump may hit.
struct Bench {
  FakeVm vm;
  VmRequests requests;
  Ledger ledger{kMemory};
  Reservation reservation;
  CaptureMemory memory;

  Bench() {
    check(reservation.open(CaptureMemory::address_space_bytes(kMemory)).ok());
    check(memory.open(reservation, ledger).ok());
    heard = &requests;
    vm.interface.NotifyEvent = [](JVMPI_Event* event) { heard->deliver(*event); };
    requests.open(vm.interface);
    const VmId object = vm.add_class("java.lang.Object", 0).id;
    vm.add_class("java.lang.Class", object);
    FakeClass& node = vm.add_class("shop.Node", object);
    node.statics = {{"first", "Lshop/Node;"}, {"count", "J"}};
    node.instances = {{"next", "Lshop/Node;"}, {"open", "Z"}, {"name", "[C"}};
    node.interfaces = {vm.add_class("shop.Linked", 0).id};
    const VmId chars = vm.add_primitive_array(ValueType::kChar, 4).id;
    const VmId last = vm.add_instance(node.id, {0, 1, chars}).id;
    const VmId first = vm.add_instance(node.id, {last, 0, chars}).id;
    vm.add_object_array(node.id, {first, last, 0});
    node.statics[0].value = first;
    vm.roots = {{RecordTag::kStickyClass, node.id}, {RecordTag::kJavaFrame, last, 0x70, 0}};
  }
  void read(bool one_buffer, RecordTail tail) {
    memory.end_dump();
    check(memory.begin_dump().ok());
    HeapReading heap(requests, memory);
    ReadingPlan plan;
    plan.one_buffer = one_buffer;
    plan.tail = tail;
    Snapshot graph;
    if (heap.read(plan)) {
      const Result<void> sealed = heap.seal(graph);  // verified
      check(sealed.ok() || sealed.error().code != ErrorCode::kInconsistent);
    }
    check(vm.gc_off == 0 && vm.broken_rules == 0);
    memory.end_dump();
  }
  static inline VmRequests* heard = nullptr;
};

Bench& bench() {
  static const auto kMade = std::make_unique<Bench>();
  return *kMade;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto input = std::as_bytes(std::span(data, size)).subspan(1);
  const std::vector<std::byte> forged(input.begin(), input.end());
  const bool object = (data[0] & 1) != 0;
  (object ? bench().vm.forged_object : bench().vm.forged_dump) = forged;
  bench().read((data[0] & 2) != 0,
               (data[0] & 4) != 0 ? RecordTail::kUnwritten : RecordTail::kWritten);
  bench().vm.forged_object.clear();
  bench().vm.forged_dump.clear();
  return 0;
}

extern "C" std::size_t hf_fuzz_seed(std::uint8_t* out, std::size_t capacity) {
  static unsigned turn = 0;
  std::vector<std::byte> seed;
  VmRequests& requests = bench().requests;
  const GcOff off(requests);
  const auto keep = [&](const char* begin, std::size_t bytes) {
    const auto* const first = reinterpret_cast<const std::byte*>(begin);
    seed.assign(first, first + bytes);
  };
  const bool object = (turn & 1) != 0;
  if (object) {
    const auto ids = bench().vm.all_ids();
    requests.ask(kObjectDump, ids[turn / 8 % ids.size()], [&](const JVMPI_Event& event) {
      keep(event.u.object_dump.data, static_cast<std::size_t>(event.u.object_dump.data_len));
    });
  } else {
    JVMPI_HeapDumpArg level{kDumpValues};
    requests.ask(kHeapDump, &level, [&](const JVMPI_Event& event) {
      keep(event.u.heap_dump.begin,
           static_cast<std::size_t>(event.u.heap_dump.end - event.u.heap_dump.begin));
    });
  }
  if (seed.size() + 1 > capacity) return 0;
  out[0] = static_cast<std::uint8_t>(turn++ & 7);
  std::memcpy(out + 1, seed.data(), seed.size());
  return seed.size() + 1;
}
