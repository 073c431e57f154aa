// A full example of every request and answer, for tests and as seeds of the fuzzer.
// Zone:   tests.   Errors: none.
#pragma once

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "common/control/messages.h"

namespace holdfast::control {

inline std::vector<Request> sample_requests() {
  std::vector<Request> all;
  for (int i = 0; i <= static_cast<int>(Command::kDetach); ++i) {
    Request request;
    request.command = static_cast<Command>(i);
    all.push_back(request);
  }
  Request& dump = all[static_cast<std::size_t>(Command::kDump)];
  dump.kind = DumpKind::kExtended;
  dump.capture = CaptureChoice::kFrozen;
  dump.pause_limit_ns = 250'000'000;
  dump.snapshot = true;
  dump.analyses = "suspects+tree";
  dump.file = "by-hand-%t.hfr";
  all[static_cast<std::size_t>(Command::kSet)].options = "every=5m,on=signal+oom";
  all[static_cast<std::size_t>(Command::kWatch)].interval_ms = 1500;
  all[static_cast<std::size_t>(Command::kWatch)].classes = 50;
  return all;
}

inline DumpProgress sample_progress(std::uint32_t number) {
  DumpProgress dump;
  dump.number = number;
  dump.trigger = Trigger::kCgroupAbove;
  dump.stage = DumpStage::kFailed;
  dump.rung = CaptureRung::kWalk;
  dump.extended = true;
  dump.merged = 3;
  dump.asked_utc_ms = 1'795'000'000'123;
  dump.predicted_pause_ns = 11;
  dump.pause_limit_ns = UINT64_MAX;
  dump.pause_ns = 22;
  dump.elapsed_ns = 33;
  dump.report_bytes = 44;
  dump.objects = 55;
  dump.references = UINT64_MAX;
  dump.analysis_began_utc_ms = 66;
  dump.expected = {77, 88};
  std::memset(dump.report_path, 'p', sizeof dump.report_path - 1);
  dump.error = Error{ErrorCode::kIo, 0, 77, -28};
  std::memset(dump.note.text, 'n', sizeof dump.note.text - 1);
  return dump;
}

// What the views and spans of the sample answers point to.
struct AnswerSamples {
  std::vector<NamedBytes> memory{kMaxListed, {"capture", 1, UINT64_MAX}};
  std::vector<NamedText> options{kMaxListed, {"file", "%e-%h-%p-%t-%n.hfr"}};
  std::vector<TriggerState> triggers{kMaxListed, {"heap-above", "85%", "waits", 4, 5}};
  DumpProgress last_extended = sample_progress(7);
  std::vector<DumpProgress> dumps{DumpHistory::kMaxRememberedDumps, sample_progress(9)};
  std::vector<HistogramRow> rows;
  std::vector<WatchedAccount> accounts{kMaxWatchedAccounts};

  explicit AnswerSamples(std::uint32_t row_count) : rows(row_count) {
    for (std::uint32_t i = 0; i < row_count; ++i) {
      rows[i].identity = i * 0x9E3779B97F4A7C15u;
      rows[i].instances = i + 1;
      rows[i].shallow_bytes = UINT64_MAX - i;
      std::memset(rows[i].name, 'c', sizeof rows[i].name - 1);
      std::snprintf(rows[i].name, 12, "%010u.", i);
      rows[i].name[11] = 'C';
    }
    for (WatchedAccount& row : accounts) {
      std::memset(row.name, 'a', sizeof row.name - 1);
      row.allocated = {UINT64_MAX, 2, 3, 4};
      row.live = {5, 6, 7, UINT64_MAX};
    }
  }

  Answer of(AnswerKind kind) const {
    Answer a;
    a.kind = kind;
    a.last = kind != AnswerKind::kProgress;
    if (kind == AnswerKind::kRefused) a.refusal = {RefusalKind::kNotUnderstood, "no such thing"};
    if (kind == AnswerKind::kPong) a.pong = {"1.2.3", 4242};
    if (kind == AnswerKind::kStatus) a.status = status();
    if (kind == AnswerKind::kProgress) a.progress = sample_progress(9);
    if (kind == AnswerKind::kDone) a.text = "done: \xC3\xA9";
    if (kind == AnswerKind::kHistogram) a.histogram = histogram();
    if (kind == AnswerKind::kHistogram) a.collections.young = 7;
    if (kind == AnswerKind::kHistogram) a.ages = ages();
    return a;
  }

  AgeVerdict ages() const {
    AgeVerdict v;
    v.on = true;
    v.collections = UINT64_MAX;
    v.utc_ms = 2;
    v.candidates = 3;
    v.looks = 4;
    v.count = kMostAgeSuspects;
    for (AgeSuspect& s : v.suspects) {
      s = {"", 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
      std::memset(s.name, 's', sizeof s.name - 1);
    }
    return v;
  }

  Status status() const {
    Status s;
    s.tool_version = "0.1.0";
    s.build_description = "c5bc4dc0f3a1";
    s.vm_name = "OpenJDK 64-Bit Server VM";
    s.vm_version = "17.0.15";
    s.vm_vendor = "Debian";
    s.main_name = "com.acme.Main";
    s.collector = "G1";
    s.host = "web1";
    s.container = "0123456789ab";
    s.pid = 1;
    s.utc_ms = 2;
    s.vm_uptime_ms = 3;
    s.agent_uptime_ms = 4;
    s.agent_cpu_ns = 5;
    s.dir = "/var/dumps";
    s.frozen_refusal = "this VM's heap cannot be read as memory";
    s.memory_limit_bytes = 6;
    s.memory_used_bytes = 7;
    s.memory_peak_bytes = 8;
    s.memory = memory;
    s.heap = {9, 10, 11};
    s.collections = {12, 13, 14, 15, kUnknownCount, 16};
    s.collections.last_pause_ns = 17;
    s.collections.heard = {18, 19, 20, 21, 22, 23};
    s.requests = {16, 17, 18, 19};
    s.reports = 20;
    s.failed = 21;
    s.connections = 22;
    s.connections_refused = 23;
    s.watchers = 24;
    s.options = options;
    s.triggers = triggers;
    s.dumps = dumps;
    s.last_extended = &last_extended;
    return s;
  }

  ClassHistogram histogram() const {
    ClassHistogram h;
    h.sequence = 1;
    h.taken_utc_ms = 2;
    h.reachable_only = true;
    h.pause_ns = 3;
    h.cost_ns = 4;
    h.heap = {5, 6, 7};
    h.total_instances = 8;
    h.total_bytes = 9;
    h.classes = 10;
    h.rows = rows;
    h.accounts = {true, true, true, true, 11, 12, accounts};
    return h;
  }
};

// Room for any message, as a peer would have it.
struct MessageBuffer {
  std::unique_ptr<std::byte[]> bytes{new std::byte[kMaxAnswerBytes]};
  std::span<std::byte> all() const { return {bytes.get(), kMaxAnswerBytes}; }
};

}  // namespace holdfast::control
