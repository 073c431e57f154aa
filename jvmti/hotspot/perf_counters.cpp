#include "jvmti/hotspot/perf_counters.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "jvmti/hotspot/vm_flags.h"

namespace holdfast::jvmti {

namespace {

// PerfDataPrologue and PerfDataEntry are a file format, versioned 2.0 since JDK 1.5.
constexpr std::uint32_t kMagic = 0xC0C0'FECA;  // CA FE C0 C0 in memory
constexpr std::size_t kMajorOffset = 5;
constexpr std::uint8_t kMajor = 2;
constexpr std::size_t kFirstEntryOffset = 24;
constexpr std::size_t kEntryCountOffset = 28;
constexpr std::size_t kPrologueBytes = 32;
constexpr std::size_t kEntryBytes = 20;
constexpr std::uint64_t kMaxEntries = 4096;  // about 300 exist
constexpr std::uint64_t kMaxMemoryBytes = std::uint64_t{1} << 20;

// One entry: its name and where its value stands.
struct Entry {
  std::string_view name;
  const std::byte* value = nullptr;
  std::size_t value_bytes = 0;
  char type = 0;  // 'J' a number, 'B' text
  std::size_t bytes = 0;
};

// False: the entry does not fit where it claims to be.
bool read_entry(const std::byte* at, std::size_t left, Entry& out) noexcept {
  if (left < kEntryBytes) return false;
  const auto length = read_at<std::uint32_t>(at);
  const auto name = read_at<std::uint32_t>(at + 4);
  const auto vector_length = read_at<std::uint32_t>(at + 8);
  const auto data = read_at<std::uint32_t>(at + 16);
  if (length < kEntryBytes || length > left || name >= data || data > length) return false;
  const auto* text = reinterpret_cast<const char*>(at + name);
  out.name = std::string_view(text, data - name);
  out.name = out.name.substr(0, out.name.find('\0'));
  out.type = static_cast<char>(read_at<std::uint8_t>(at + 12));
  out.value = at + data;
  out.value_bytes = vector_length == 0 ? sizeof(std::uint64_t) : vector_length;
  out.bytes = length;
  return out.value_bytes <= length - data;
}

// Those that the VM has made so far; it may be making the next one.
template <class Visit>
void for_each_entry(const std::byte* start, std::size_t size, Visit visit) noexcept {
  const auto count = read_at<std::uint32_t>(start + kEntryCountOffset);
  std::size_t at = read_at<std::uint32_t>(start + kFirstEntryOffset);
  Entry entry;
  for (std::uint32_t i = 0; i < count && read_entry(start + at, size - at, entry); ++i) {
    visit(entry);
    at += entry.bytes;
  }
}

std::uint64_t counter_now(const std::byte* word) noexcept {
  // The VM's threads write it; a whole aligned word is read whole.
  return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(word), __ATOMIC_RELAXED);
}

// Takes `text` off the front of `name`.
bool skip(std::string_view& name, std::string_view text) noexcept {
  if (name.substr(0, text.size()) != text) return false;
  name.remove_prefix(text.size());
  return true;
}

bool take_index(std::string_view& name, std::size_t limit, std::size_t& out) noexcept {
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), out);
  if (error != std::errc{} || out >= limit) return false;
  name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  return true;
}

bool is_set(const VmTables& tables, std::string_view flag) noexcept {
  const std::byte* value = find_vm_flag(tables, flag);
  return value != nullptr && read_at<std::uint8_t>(value) != 0;
}

bool is_generational_shenandoah(const VmTables& tables) noexcept {
  const std::byte* value = find_vm_flag(tables, "ShenandoahGCMode");
  const char* const mode = value != nullptr ? read_at<const char*>(value) : nullptr;
  return mode != nullptr && std::string_view(mode) == "generational";
}

}  // namespace

// What open() gathers on its way through the entries.
struct CounterSearch {
  PerfCounters& found;
  std::string_view names[PerfCounters::kMaxCollectors];  // of the collectors

  void take(const Entry& entry) noexcept;
  void take_collector(std::string_view name, const Entry& entry) noexcept;
  void take_space(std::string_view name, const Entry& entry) noexcept;
  void take_allocation(std::string_view name, const Entry& entry) noexcept;
  PerfCounters::Meaning meaning(const VmTables& tables) const noexcept;
};

void CounterSearch::take_collector(std::string_view name, const Entry& entry) noexcept {
  std::size_t index = 0;
  if (!take_index(name, PerfCounters::kMaxCollectors, index)) return;
  const bool number = entry.type == 'J';
  if (number && name == ".invocations") found.collectors_[index].invocations = entry.value;
  if (number && name == ".time") found.collectors_[index].time = entry.value;
  if (number && name == ".lastEntryTime") found.collectors_[index].entry = entry.value;
  if (number && name == ".lastExitTime") found.collectors_[index].exit = entry.value;
  if (entry.type != 'B' || name != ".name") return;
  const std::string_view text(reinterpret_cast<const char*>(entry.value), entry.value_bytes);
  names[index] = text.substr(0, text.find('\0'));
}

// sun.gc.generation.0.space.2.used
void CounterSearch::take_space(std::string_view name, const Entry& entry) noexcept {
  std::size_t generation = 0;
  std::size_t space = 0;
  constexpr std::size_t kMaxGenerations = 2;
  if (entry.type != 'J' || !take_index(name, kMaxGenerations, generation) ||
      !skip(name, ".space.") || !take_index(name, PerfCounters::kMaxSpaces, space))
    return;
  if (name == ".used" && found.space_count_ < PerfCounters::kMaxSpaces)
    found.spaces_[found.space_count_++] = entry.value;
  // The young generation's two survivor spaces are never in use at once.
  if (name == ".capacity" && generation == 0 && space == 1) found.survivor_capacity_ = entry.value;
}

// sun.gc.tlab.alloc, and its neighbours, which are told at the same time.
void CounterSearch::take_allocation(std::string_view name, const Entry& entry) noexcept {
  if (entry.type != 'J') return;
  if (name == "alloc") found.allocated_words_ = entry.value;
  if (found.allocation_count_ < PerfCounters::kMaxAllocations)
    found.allocations_[found.allocation_count_++] = entry.value;
}

void CounterSearch::take(const Entry& entry) noexcept {
  std::string_view name = entry.name;
  if (!skip(name, "sun.gc.")) return;
  if (skip(name, "collector.")) return take_collector(name, entry);
  if (skip(name, "generation.")) return take_space(name, entry);
  if (skip(name, "tlab.")) take_allocation(name, entry);
}

// The table of docs/decisions/037-collection-counters.md.
PerfCounters::Meaning CounterSearch::meaning(const VmTables& tables) const noexcept {
  constexpr auto kStarts = [](std::string_view name, std::string_view with) {
    return name.substr(0, with.size()) == with;
  };
  PerfCounters::Meaning out;
  const bool cms_of_8 = names[1] == "CMS" && names[2].empty();
  if (kStarts(names[1], "Shenandoah")) {
    out.young = 1;  // its pauses, of whatever kind
    out.one_generation = !is_generational_shenandoah(tables);
  } else if (cms_of_8) {
    out.young = 0;
    out.cycles = 1;  // pauses of cycles, and full collections among them
  } else if (!names[1].empty()) {
    out.young = 0;
    out.full = 1;
    if (!names[2].empty()) out.cycles = 2;
  } else if (!names[0].empty()) {
    out.young = 0;  // generational ZGC: pauses of minor collections
    out.whole = 2;
    out.allocation_told = true;
  } else if (!names[2].empty() || is_set(tables, "UseZGC")) {
    out.young = 2;  // ZGC: pauses; on 11 they are not counted
    out.one_generation = out.allocation_told = true;
  }
  return out;
}

bool PerfCounters::open(VmSymbol symbol, std::uint64_t max_heap_bytes) noexcept {
  *this = PerfCounters{};
  VmTables tables;
  if (max_heap_bytes == 0 || !tables.open(symbol)) return false;
  const auto start_field = tables.field("PerfMemory", "_start");
  const auto end_field = tables.field("PerfMemory", "_end");
  if (!start_field || start_field->address == nullptr || !end_field ||
      end_field->address == nullptr)
    return false;
  const auto* start = read_at<const std::byte*>(start_field->address);
  const auto* end = read_at<const std::byte*>(end_field->address);
  if (start == nullptr || end <= start + kPrologueBytes ||
      static_cast<std::uint64_t>(end - start) > kMaxMemoryBytes)
    return false;
  if (read_at<std::uint32_t>(start) != kMagic ||
      read_at<std::uint8_t>(start + kMajorOffset) != kMajor)
    return false;
  const auto count = read_at<std::uint32_t>(start + kEntryCountOffset);
  const auto first = read_at<std::uint32_t>(start + kFirstEntryOffset);
  const auto size = static_cast<std::size_t>(end - start);
  if (count > kMaxEntries || first < kPrologueBytes || first >= size) return false;
  start_ = start;
  size_ = size;
  CounterSearch search{*this, {}};
  for_each_entry(start, size, [&search](const Entry& entry) { search.take(entry); });
  meaning_ = search.meaning(tables);
  max_heap_bytes_ = max_heap_bytes;
  if (allocated_words_ == nullptr && meaning_.allocation_told)
    meaning_ = Meaning{meaning_.young};  // without it nothing is known of what ZGC leaves
  const bool counted =
      meaning_.young < kMaxCollectors && collectors_[meaning_.young].invocations != nullptr;
  const bool usable = space_count_ != 0 && (counted || meaning_.one_generation);
  if (!usable) *this = PerfCounters{};
  return usable;
}

std::uint64_t PerfCounters::count_of(std::size_t collector) const noexcept {
  if (collector >= kMaxCollectors || collectors_[collector].invocations == nullptr)
    return kUnknownCount;
  return counter_now(collectors_[collector].invocations);
}

void PerfCounters::add_allocation(CollectionFigures& out) const noexcept {
  constexpr std::uint64_t kWordBytes = 8;
  out.allocated_bytes = counter_now(allocated_words_) * kWordBytes;
  constexpr std::uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
  for (std::size_t i = 0; i < allocation_count_; ++i)
    out.allocation_stamp = (out.allocation_stamp ^ counter_now(allocations_[i])) * kSpread;
}

std::uint64_t PerfCounters::ticks_per_s() const noexcept {
  const std::uint64_t known = __atomic_load_n(&ticks_per_s_, __ATOMIC_RELAXED);
  if (known != 0) return known;
  std::uint64_t told = 0;
  for_each_entry(start_, size_, [&told](const Entry& entry) {
    if (entry.name == "sun.os.hrt.frequency" && entry.type == 'J') told = counter_now(entry.value);
  });
  __atomic_store_n(&ticks_per_s_, told, __ATOMIC_RELAXED);
  return told;
}

std::uint64_t PerfCounters::ns_of(std::uint64_t ticks) const noexcept {
  constexpr double kNsPerS = 1e9;
  const std::uint64_t frequency = ticks_per_s();
  if (frequency == 0) return kUnknownCount;
  return static_cast<std::uint64_t>(static_cast<double>(ticks) * kNsPerS /
                                    static_cast<double>(frequency));
}

// Of whichever collector ended last; unknown while one is at work.
std::uint64_t PerfCounters::last_pause_ns() const noexcept {
  std::uint64_t last_exit = 0, ticks = kUnknownCount;
  for (const Collector& collector : collectors_) {
    if (collector.entry == nullptr || collector.exit == nullptr) continue;
    const std::uint64_t exit = counter_now(collector.exit);
    const std::uint64_t entry = counter_now(collector.entry);
    if (entry > exit) return kUnknownCount;
    if (exit <= last_exit) continue;
    last_exit = exit;
    ticks = exit - entry;
  }
  return ticks == kUnknownCount ? kUnknownCount : ns_of(ticks);
}

CollectionFigures PerfCounters::figures() const noexcept {
  CollectionFigures out;
  if (space_count_ == 0) return out;
  out.young = count_of(meaning_.young);
  out.full = count_of(meaning_.full);
  out.cycles = count_of(meaning_.cycles);
  if (out.cycles != kUnknownCount) out.cycles /= Meaning::kPausesOfCycle;
  std::uint64_t ticks = 0;
  for (const Collector& collector : collectors_)
    if (collector.time != nullptr) ticks += counter_now(collector.time);
  out.pause_ns = ns_of(ticks);
  out.last_pause_ns = last_pause_ns();
  out.used_after_bytes = 0;
  for (std::size_t i = 0; i < space_count_; ++i) out.used_after_bytes += counter_now(spaces_[i]);
  const std::uint64_t survivor =
      survivor_capacity_ != nullptr ? counter_now(survivor_capacity_) : 0;
  out.max_bytes = max_heap_bytes_ - std::min(survivor, max_heap_bytes_ / 2);
  out.one_generation = meaning_.one_generation;
  out.whole_pauses = count_of(meaning_.whole);
  if (meaning_.allocation_told) add_allocation(out);
  return out;
}

}  // namespace holdfast::jvmti
