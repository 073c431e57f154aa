// A profiler that compares the heap as the agent's reader sees it in memory with what the profiling API tells of it, at one standstill.
// Shape:  for each file HEAP_PROBE_FILE.ask that appears it takes that away and writes HEAP_PROBE_FILE, one JSON object. For HEAP_PROBE_FILE.shift
//         it has the agent's self-check run, once as it is and once for each offset of the format, shifted by a word: {offset: what it says}.
// Zone:   tests.   Errors: "refused" in the answer, with the reason.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "clrprofiler/coreclr/allocation_gaps.h"
#include "clrprofiler/coreclr/finalize_queue.h"
#include "clrprofiler/coreclr/handle_tables.h"
#include "clrprofiler/coreclr/load_contexts.h"
#include "clrprofiler/coreclr/object_references.h"
#include "clrprofiler/coreclr/object_runs.h"
#include "clrprofiler/coreclr/thread_statics.h"
#include "clrprofiler/frozen/self_check.h"
#include "clrprofiler/suspension.h"
#include "common/child_mailbox.h"
#include "common/ledger.h"
#include "common/reservation.h"
#include "platforms/module.h"
#include "platforms/pages.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

// {5EC0BD00-0000-4000-8000-00000000F20B}, heap_reader_test.py knows it.
constexpr GUID kClass{0x5EC0BD00, 0x0000, 0x4000, {0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0xF2, 0x0B}};
constexpr std::size_t kMostObjects = 4'000'000;
constexpr ULONG kMostRanges = 64;
constexpr std::size_t kHandleTypes = 16;
constexpr std::uint32_t kNoBackgroundCollection = 2;
constexpr std::size_t kArenaBytes = std::size_t{64} << 20;

struct Seen {
  Address object = 0;
  Address type = 0;
  std::uint64_t bytes = 0;
  std::uint64_t references = 0;  // a sum over all of them, in order
  bool operator==(const Seen&) const = default;
};

struct Probe {
  ProfilerInfo info;
  RuntimeLayout layout;
  std::vector<Seen> told, read;
  std::size_t segments = 0, frozen_segments = 0, gaps = 0;
  HandleLayout handle_layout;
  std::size_t handles[kHandleTypes] = {};
  std::size_t awaiting_finalizer = 0, thread_statics = 0;
  LoadContexts* contexts = nullptr;
  std::size_t lost_contexts = 0;
  std::vector<Address> held;  // by handles that hold, and by the finalizer's queue
};
Probe probe;

std::uint64_t add(std::uint64_t sum, Address target) noexcept {
  return (sum ^ target) * 0x9E3779B97F4A7C15u + 1;
}

BOOL HF_COM add_reference(ObjectID, ObjectID* target, void* sum) noexcept {
  *static_cast<std::uint64_t*>(sum) = add(*static_cast<std::uint64_t*>(sum), *target);
  return 1;
}

BOOL HF_COM note_object(ObjectID object, void*) noexcept {
  Seen seen{object};
  ClassID type = 0;
  SIZE_T bytes = 0;
  probe.info->GetClassFromObject(object, &type);
  probe.info->GetObjectSize2(object, &bytes);
  seen.type = type;
  seen.bytes = bytes;
  probe.info->EnumerateObjectReferences(object, &add_reference, &seen.references);
  if (probe.told.size() < kMostObjects) probe.told.push_back(seen);
  return 1;
}

void read_object(Address object, Address type, std::uint64_t bytes) noexcept {
  Seen seen{object, type, bytes};
  if (is_collectible(type)) {  // told before all others
    const auto context = probe.contexts->object_of(type);
    if (!context) ++probe.lost_contexts;
    if (context) seen.references = add(seen.references, *context);
  }
  const bool fits = for_each_slot(object, type, bytes, [&](Address slot) {
    const auto target = load<Address>(slot);
    if (target != 0) seen.references = add(seen.references, target);
  });
  if (!fits) seen.references = ~std::uint64_t{0};
  if (probe.read.size() < kMostObjects) probe.read.push_back(seen);
}

Result<void> read_heap(std::span<const AddressRange> frozen, Arena& arena) noexcept {
  HF_TRY(segments, read_segments(probe.layout.gc, frozen, arena));
  HF_TRY(gaps, read_allocation_gaps(probe.layout, arena));
  HF_TRY(handles, read_handle_segments(probe.layout.gc, probe.handle_layout, arena));
  LoadContexts contexts(probe.layout, probe.handle_layout, handles);
  probe.contexts = &contexts;
  probe.segments = segments.size();
  probe.gaps = gaps.size();
  for (const HeapSegment& segment : segments) {
    probe.frozen_segments += segment.frozen ? 1 : 0;
    HF_CHECK_OK(for_each_object(probe.layout, segment, gaps, &read_object));
  }
  return {};
}

bool holds(HandleType type) noexcept {
  return type == HandleType::kStrong || type == HandleType::kPinned ||
         type == HandleType::kDependent || type == HandleType::kAsyncPinned;
}

Result<void> read_roots(Arena& arena) noexcept {
  HF_TRY(segments, read_handle_segments(probe.layout.gc, probe.handle_layout, arena));
  for (const Address segment : segments)
    for_each_handle(probe.handle_layout, segment, [](const Handle& handle) {
      ++probe.handles[static_cast<std::size_t>(handle.type) % kHandleTypes];
      if (holds(handle.type)) probe.held.push_back(handle.object);
      if (handle.second != 0) probe.held.push_back(handle.second);
    });
  HF_CHECK_OK(for_each_thread_statics(probe.layout, [](Address, Address array) {
    ++probe.thread_statics;
    probe.held.push_back(array);
  }));
  return for_each_awaiting_finalizer(probe.layout.gc, [](Address object) {
    ++probe.awaiting_finalizer;
    probe.held.push_back(object);
  });
}

Result<void> look(Arena& arena) noexcept {
  COR_PRF_NONGC_HEAP_RANGE ranges[kMostRanges];
  ULONG count = 0;
  HF_CHECK_OK(check(probe.info->GetNonGCHeapBounds(kMostRanges, &count, ranges)));
  std::vector<AddressRange> frozen;
  for (ULONG i = 0; i < std::min(count, kMostRanges); ++i)
    frozen.push_back({ranges[i].rangeStart, ranges[i].rangeStart + ranges[i].rangeLength});
  Suspension suspension(probe.info);
  HF_CHECK_OK(suspension.begin());
  if (load<std::uint32_t>(probe.layout.gc.background_state) != kNoBackgroundCollection)
    return make_error(ErrorCode::kCancelled);
  HF_CHECK_OK(check(probe.info->EnumerateGCHeapObjects(&note_object, nullptr)));
  HF_CHECK_OK(read_heap(frozen, arena));
  return read_roots(arena);
}

const void* runtime_symbol(const char* name) noexcept {
  return platforms::loaded_symbol("libcoreclr.so", name);
}

bool by_address(const Seen& a, const Seen& b) noexcept { return a.object < b.object; }

void compare(std::FILE* out) {
  std::sort(probe.told.begin(), probe.told.end(), by_address);
  std::sort(probe.read.begin(), probe.read.end(), by_address);
  std::size_t equal = 0;
  std::string first_difference;
  auto told = probe.told.begin();
  for (const Seen& one : probe.read) {
    while (told != probe.told.end() && told->object < one.object) ++told;
    if (told != probe.told.end() && *told == one)
      ++equal;
    else if (first_difference.empty())
      first_difference = std::to_string(one.object) + " " + std::to_string(one.bytes);
  }
  std::fprintf(
      out,
      "{\"told\": %zu, \"read\": %zu, \"equal\": %zu, \"segments\": %zu, \"frozen_segments\": "
      "%zu, \"gaps\": %zu, \"server\": %s, \"heaps\": %u, \"first_difference\": \"%s\", ",
      probe.told.size(), probe.read.size(), equal, probe.segments, probe.frozen_segments,
      probe.gaps, probe.layout.gc.server() ? "true" : "false", probe.layout.gc.heaps(),
      first_difference.c_str());
}

// Behind compare(), which sorts.
void tell_roots(std::FILE* out) {
  std::size_t unknown = 0;
  for (const Address object : probe.held)
    unknown +=
        std::binary_search(probe.read.begin(), probe.read.end(), Seen{object}, by_address) ? 0 : 1;
  std::string handles;
  for (const std::size_t count : probe.handles)
    handles += (handles.empty() ? "" : ", ") + std::to_string(count);
  std::fprintf(out,
               "\"handles\": [%s], \"awaiting_finalizer\": %zu, \"thread_statics\": %zu, "
               "\"lost_contexts\": %zu, \"unknown_held\": %zu}\n",
               handles.c_str(), probe.awaiting_finalizer, probe.thread_statics, probe.lost_contexts,
               unknown);
}

// A collection in the background goes on while the runtime is suspended, and its sweep makes dead objects free ones between the two
// readings: such standstills are let go.
Result<void> look_beside_no_collection(Arena& arena) noexcept {
  constexpr int kMostTries = 500;
  for (int i = 0;; ++i) {
    const Result<void> looked = look(arena);
    if (looked || looked.error().code != ErrorCode::kCancelled || i == kMostTries) return looked;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void look_and_compare(std::FILE* out) {
  Ledger ledger(kArenaBytes);
  Reservation reservation;
  if (!reservation.open(kArenaBytes)) std::abort();
  auto arena = reservation.take_arena(kArenaBytes / 2, ledger, MemoryCategory::kWorker);
  if (!arena) std::abort();
  const Result<void> looked = look_beside_no_collection(*arena);
  if (looked) {
    compare(out);
    return tell_roots(out);
  }
  std::fprintf(out, "{\"refused\": \"%s %llx\"}\n",
               std::string(error_text(looked.error().code)).c_str(),
               static_cast<unsigned long long>(looked.error().detail));
}

void answer(const std::string& path) {
  const std::string half = path + ".half";
  std::FILE* out = std::fopen(half.c_str(), "w");
  if (out == nullptr) return;
  probe.told.clear();
  probe.read.clear();
  probe.told.reserve(kMostObjects);
  probe.read.reserve(kMostObjects);
  probe.held.clear();
  probe.held.reserve(kMostObjects);
  std::fill(std::begin(probe.handles), std::end(probe.handles), std::size_t{0});
  probe.segments = probe.frozen_segments = probe.gaps = 0;
  probe.awaiting_finalizer = probe.thread_statics = probe.lost_contexts = 0;
  RuntimeRefusal why;
  const char* missing = nullptr;
  if (!read_runtime_layout(&runtime_symbol, probe.layout, why))
    missing = why.text;
  else
    missing = read_handle_layout(probe.layout.gc, probe.handle_layout);
  if (missing == nullptr)
    look_and_compare(out);
  else
    std::fprintf(out, "{\"refused\": \"%s\"}\n", missing);
  std::fclose(out);
  std::rename(half.c_str(), path.c_str());
}

// -- the self-check, with a format that is wrong --

struct Shift {
  const char* name;
  std::uint32_t RuntimeLayout::*member;
};
constexpr Shift kShifts[] = {
    {"first_thread", &RuntimeLayout::first_thread},
    {"thread_link", &RuntimeLayout::thread_link},
    {"thread_locals", &RuntimeLayout::thread_locals},
    {"thread_statics", &RuntimeLayout::thread_statics},
    {"statics_array", &RuntimeLayout::statics_array},
    {"component_count", &RuntimeLayout::component_count},
    {"class_shared", &RuntimeLayout::class_shared},
    {"shared_class", &RuntimeLayout::shared_class},
    {"class_parent", &RuntimeLayout::class_parent},
    {"statics_info_bytes", &RuntimeLayout::statics_info_bytes},
    {"shared_fields", &RuntimeLayout::shared_fields},
    {"class_module", &RuntimeLayout::class_module},
    {"module_types", &RuntimeLayout::module_types},
    {"types_table", &RuntimeLayout::types_table},
    {"module_instances", &RuntimeLayout::module_instances},
    {"instances_buckets", &RuntimeLayout::instances_buckets},
    {"instance_class", &RuntimeLayout::instance_class},
    {"instance_next", &RuntimeLayout::instance_next},
    {"class_auxiliary", &RuntimeLayout::class_auxiliary},
    {"auxiliary_module", &RuntimeLayout::auxiliary_module},
    {"module_allocator", &RuntimeLayout::module_allocator},
};

// What a dump's memory and child need.
struct CheckBench {
  static constexpr std::uint64_t kMemory = std::uint64_t{512} << 20;
  static constexpr std::size_t kStack = std::size_t{1} << 20;

  CheckBench() {
    if (!reservation.open(CaptureMemory::address_space_bytes(kMemory) + kStack)) std::abort();
    if (!memory.open(reservation, ledger)) std::abort();
    auto stack = reservation.take(kStack);
    if (!stack || !platforms::commit_pages(*stack, kStack)) std::abort();
    work.stack = *stack;
    work.stack_bytes = kStack;
    work.mailbox = new (platforms::shared_pages(sizeof(ChildMailbox))) ChildMailbox;
    work.watchdog_seconds = 60;
  }
  const char* check(const HeapFormat& format) {
    if (!memory.begin_dump()) std::abort();
    SelfCheck self_check(probe.info, format, memory, work);
    const char* says = self_check.run();
    memory.end_dump();
    return says != nullptr ? says : "";
  }

  Ledger ledger{kMemory};
  Reservation reservation;
  CaptureMemory memory;
  FrozenWork work;
};

void answer_shifts(const std::string& path) {
  const std::string half = path + ".half";
  std::FILE* out = std::fopen(half.c_str(), "w");
  HeapFormat format;
  RuntimeRefusal why;
  if (out == nullptr || !read_runtime_layout(&runtime_symbol, format.layout, why) ||
      read_handle_layout(format.layout.gc, format.handles) != nullptr)
    std::abort();
  probe.info->SetEventMask2(COR_PRF_ENABLE_STACK_SNAPSHOT, 0);
  CheckBench bench;
  std::fprintf(out, "{\"\": \"%s\"", bench.check(format));
  for (const Shift& shift : kShifts) {
    HeapFormat wrong = format;
    wrong.layout.*shift.member += sizeof(Address);
    std::fprintf(out, ", \"%s\": \"%s\"", shift.name, bench.check(wrong));
  }
  std::fprintf(out, "}\n");
  std::fclose(out);
  std::rename(half.c_str(), path.c_str());
}

void serve(const std::string& path) {
  const std::string ask = path + ".ask", shift = path + ".shift";
  for (;;) {
    if (::unlink(ask.c_str()) == 0) answer(path);
    if (::unlink(shift.c_str()) == 0) answer_shifts(path);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// -- what the runtime calls --

HRESULT HF_COM initialize(ICorProfilerCallback*, IUnknown* runtime) noexcept {
  const char* path = std::getenv("HEAP_PROBE_FILE");
  if (path == nullptr || !probe.info.open(*runtime)) return CORPROF_E_PROFILER_CANCEL_ACTIVATION;
  std::thread(&serve, std::string(path)).detach();
  return S_OK;
}

HRESULT HF_COM query_callback(ICorProfilerCallback* self, REFIID iid, void** out) noexcept {
  bool known = same(*iid, kIUnknownVersions[0].iid);
  for (const InterfaceVersion& version : kICorProfilerCallbackVersions)
    known = known || same(*iid, version.iid);
  *out = known ? self : nullptr;
  return known ? S_OK : E_NOINTERFACE;
}

ULONG HF_COM count_callback(ICorProfilerCallback*) noexcept { return 1; }

constexpr ICorProfilerCallback::Table make_callback_table() noexcept {
  auto table = ICorProfilerCallback::Table::answering<S_OK>();
  table.QueryInterface = &query_callback;
  table.AddRef = table.Release = &count_callback;
  table.Initialize = &initialize;
  return table;
}

constexpr ICorProfilerCallback::Table kCallbackTable = make_callback_table();
constinit ICorProfilerCallback callback{&kCallbackTable};

// -- the door --

HRESULT HF_COM query_factory(IClassFactory* self, REFIID, void** out) noexcept {
  *out = self;
  return S_OK;
}

ULONG HF_COM count_factory(IClassFactory*) noexcept { return 1; }

HRESULT HF_COM create_instance(IClassFactory*, IUnknown*, REFIID iid, void** out) noexcept {
  return callback.QueryInterface(iid, out);
}

constexpr IClassFactory::Table make_factory_table() noexcept {
  auto table = IClassFactory::Table::answering<S_OK>();
  table.QueryInterface = &query_factory;
  table.AddRef = table.Release = &count_factory;
  table.CreateInstance = &create_instance;
  return table;
}

constexpr IClassFactory::Table kFactoryTable = make_factory_table();
constinit IClassFactory factory{&kFactoryTable};

}  // namespace

extern "C" [[gnu::visibility("default")]] HRESULT HF_COM DllGetClassObject(REFCLSID class_id,
                                                                           REFIID iid,
                                                                           void** out) noexcept {
  *out = nullptr;
  if (!same(*class_id, kClass)) return CLASS_E_CLASSNOTAVAILABLE;
  return factory.QueryInterface(iid, out);
}
