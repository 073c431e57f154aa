#include "common/control/control_status.h"

#include <algorithm>

#include "common/text_tail.h"
#include "common/time_units.h"
#include "common/version.h"
#include "platforms/clock.h"
#include "platforms/process.h"
#include "platforms/thread.h"

namespace holdfast::control {

namespace {

void read_process(DumpEngine& engine, Status& s, StatusRoom& room) noexcept {
  room.vm = engine.adapter().facts();
  platforms::host_name(room.host, sizeof room.host);
  platforms::container_id(room.container, sizeof room.container);
  s.tool_version = kVersion;
  s.build_description = build_description();
  s.vm_name = room.vm.vm_name;
  s.vm_version = room.vm.vm_version;
  s.vm_vendor = room.vm.vm_vendor;
  s.main_name = room.vm.main_name;
  s.collector = room.vm.collector;
  s.host = room.host;
  s.container = room.container;
  s.pid = platforms::process_id();
  s.utc_ms = platforms::utc_ms();
  s.vm_uptime_ms = platforms::process_uptime_ms();
  s.agent_cpu_ns = platforms::own_threads_cpu_ns();
}

void read_memory(const Ledger& ledger, Status& s, StatusRoom& room) noexcept {
  s.memory_limit_bytes = ledger.limit_bytes();
  s.memory_used_bytes = ledger.total_bytes();
  s.memory_peak_bytes = ledger.peak_bytes();
  for (std::size_t i = 0; i < kMemoryCategoryCount; ++i) {
    const auto category = static_cast<MemoryCategory>(i);
    room.memory[i] = {memory_category_name(category), ledger.category_bytes(category),
                      ledger.category_peak_bytes(category)};
  }
  s.memory = room.memory;
}

void read_options(Status& s, StatusRoom& room) noexcept {
  std::size_t count = 0;
  for (const OptionRow& row : option_table()) {
    if (count == kMaxListed) continue;
    room.option_list[count] = {row.key,
                               option_text(room.options, row.key, room.option_texts[count])};
    ++count;
  }
  s.options = std::span(room.option_list).first(count);
  s.dir = room.options.dir;
}

// Where the owner does not say more: what on= names.
std::size_t list_named_triggers(StatusRoom& room) noexcept {
  std::string_view names = option_text(room.options, "on", room.on);
  std::size_t count = 0;
  while (!names.empty() && count < kMaxListed) {
    const std::size_t plus = std::min(names.find('+'), names.size());
    room.triggers[count++] = {names.substr(0, plus), "on", "", 0, 0};
    names = text_tail(names, plus + 1);
  }
  return count;
}

void read_triggers(const ControlCalls& calls, Status& s, StatusRoom& room) noexcept {
  const std::size_t count =
      calls.triggers != nullptr
          ? calls.triggers(calls.context, std::span<TriggerState>(room.triggers))
          : list_named_triggers(room);
  s.triggers = std::span(room.triggers).first(std::min(count, kMaxListed));
}

// The last histogram is newer than the last dump, where there is one.
void read_heap(DumpEngine& engine, Status& s, StatusRoom& room) noexcept {
  room.seen = engine.vm_seen();
  s.frozen_refusal = room.seen.frozen_refusal.text;
  s.heap = room.seen.heap;
  engine.visit_histogram(
      [](void* heap, const ClassHistogram& histogram) noexcept {
        if (histogram.sequence != 0) *static_cast<HeapFigures*>(heap) = histogram.heap;
      },
      &s.heap);
  s.collections = engine.adapter().collections();
}

}  // namespace

Status read_status(DumpEngine& engine, const ControlCalls& calls, const ControlCounts& counts,
                   std::uint64_t opened_at_ns, StatusRoom& room) noexcept {
  Status s;
  room.options = engine.options();
  read_process(engine, s, room);
  s.agent_uptime_ms = (platforms::monotonic_ns() - opened_at_ns) / kNsPerMs;
  read_memory(engine.ledger(), s, room);
  read_heap(engine, s, room);
  read_options(s, room);
  read_triggers(calls, s, room);
  s.requests = engine.gate_counts();
  const DumpEngine::Totals totals = engine.totals();
  s.reports = totals.reports;
  s.failed = totals.failed;
  s.connections = counts.connections;
  s.connections_refused = counts.connections_refused;
  s.watchers = counts.watchers;
  s.dumps = std::span(room.dumps).first(engine.last_dumps(room.dumps));
  if (engine.last_extended(room.last_extended)) s.last_extended = &room.last_extended;
  return s;
}

}  // namespace holdfast::control
