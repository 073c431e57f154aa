#include <algorithm>
#include <array>
#include <string_view>

#include "cli/attach/start_words.h"
#include "cli/doctor/process_look.h"
#include "cli/text/number_text.h"
#include "common/capture_plan.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

using platforms::Seccomp;

// docs/reference/capture-methods.md: what a fork snapshot was measured to stop for.
constexpr std::uint64_t kForkNs = 4 * kNsPerMs, kForkNsPerGb = 20 * kNsPerMs,
                        kForkNsPerGbHuge = 5 * kNsPerMs, kGb = std::uint64_t{1} << 30;
constexpr unsigned kFirstForkJava = 8, kFirstForkDotnet = 9, kFirstSessionDotnet = 5;

bool is_java(const ProcessLook& look) { return look.target.vm == VmKind::kHotSpot; }

Finding vm_finding(const ProcessLook& look) {
  const std::string version = look.vm_version.empty() ? "" : " " + look.vm_version;
  switch (look.target.vm) {
    case VmKind::kHotSpot:
    case VmKind::kCoreClr: {
      const std::string name = is_java(look) ? "HotSpot" : ".NET";
      if (!version.empty()) return {Verdict::kOk, "VM", name + version};
      return {Verdict::kUnknown, "VM", name + "; its files do not say the version"};
    }
    case VmKind::kStarting:
      return {Verdict::kNo, "VM", "a launcher that has not started its VM yet", "try again"};
    case VmKind::kOpenJ9:
      return {Verdict::kNo, "VM", "OpenJ9, which is not supported",
              "jcmd Dump.heap and 'holdfast analyze' show its heap"};
    case VmKind::kNone:
      break;
  }
  return {Verdict::kNo, "VM", "there is no Java or .NET VM in it",
          "'holdfast ps' lists those that have one"};
}

Finding agent_finding(const ProcessLook& look) {
  if (look.agent) {
    const AgentLook& agent = *look.agent;
    const std::string fact = version_text(agent.version, agent.build) + " answers";
    const bool same =
        agent.version == look.own_version &&
        (agent.build.empty() || look.own_build.empty() || agent.build == look.own_build);
    if (same) return {Verdict::kOk, "agent", fact};
    return {Verdict::kOk, "agent",
            fact + "; this command is " + version_text(look.own_version, look.own_build)};
  }
  if (!look.agent_trouble.empty()) return {Verdict::kUnknown, "agent", look.agent_trouble};
  if (look.loaded)
    return {Verdict::kLimited, "agent",
            "libholdfast.so is in its memory, but does not listen: it has left, turned itself off, "
            "or has control=off",
            "its standard error says why; 'holdfast dump' asks the VM to start it again"};
  return {Verdict::kOk, "agent", "none yet; 'holdfast dump' loads it"};
}

Finding java_attach_finding(const ProcessLook& look) {
  const auto& options = look.target.options;
  const std::string start = "start it with " + load_at_start_text(look.target.vm);
  if (flag_is_on(options, "DisableAttachMechanism", false))
    return {Verdict::kNo, "attach", "-XX:+DisableAttachMechanism forbids it", start};
  if (!flag_is_on(options, "EnableDynamicAgentLoading", true))
    return {Verdict::kNo, "attach", "-XX:-EnableDynamicAgentLoading forbids to load agents", start};
  if (look.target.options_hidden)
    return {Verdict::kUnknown, "attach",
            "some of the VM's options stand in a file (@FILE, -XX:Flags=, -XX:VMOptionsFile=) and "
            "cannot be seen",
            "'holdfast dump' finds out"};
  if (!look.target.process.catches_quit && !reduces_signals(options))
    return {Verdict::kUnknown, "attach",
            "the VM has no handler for SIGQUIT yet, by which it is asked to listen",
            "try again in a moment"};
  return {Verdict::kOk, "attach", "permitted by the VM's options"};
}

Finding dotnet_attach_finding(const ProcessLook& look) {
  const DotnetSettings& settings = look.target.dotnet;
  if (!settings.not_listening.empty())
    return {Verdict::kNo, "attach", settings.not_listening + " keeps the runtime from listening",
            settings.starts_profilers ? "start it with " + load_at_start_text(look.target.vm)
                                      : "start it without that setting"};
  if (!settings.profiler.empty() && !look.loaded)
    return {Verdict::kNo, "attach", "another profiler is in it: " + settings.profiler,
            "start it with " + load_beside_text()};
  return {Verdict::kOk, "attach", "permitted by its environment"};
}

Finding attach_finding(const ProcessLook& look) {
  if (look.agent) return {Verdict::kOk, "attach", "not needed: the agent is there"};
  if (look.target.process.state == platforms::ProcessState::kStopped)
    return {Verdict::kNo, "attach", "the process is stopped, by a signal or a debugger",
            "kill -CONT " + std::to_string(look.target.process.pid)};
  return is_java(look) ? java_attach_finding(look) : dotnet_attach_finding(look);
}

struct CollectorFlag {
  std::string_view flag, name;
};
constexpr std::array<CollectorFlag, 9> kCollectorFlags = {{{"UseZGC", "ZGC"},
                                                           {"UseShenandoahGC", "Shenandoah"},
                                                           {"UseEpsilonGC", "Epsilon"},
                                                           {"UseG1GC", "G1"},
                                                           {"UseParallelGC", "Parallel"},
                                                           {"UseParallelOldGC", "Parallel"},
                                                           {"UseConcMarkSweepGC", "CMS"},
                                                           {"UseParNewGC", "ParNew"},
                                                           {"UseSerialGC", "Serial"}}};

// Empty: not known. The VM has chosen for itself, and has no counters.
std::string collector_of(const ProcessLook& look) {
  if (look.agent && !look.agent->collector.empty()) return look.agent->collector;
  if (!look.target.collector.empty()) return look.target.collector;
  for (const CollectorFlag& known : kCollectorFlags)
    if (flag_is_on(look.target.options, known.flag, false)) return std::string(known.name);
  return {};
}

Finding collector_finding(const ProcessLook& look) {
  const std::string collector = collector_of(look);
  if (!collector.empty()) return {Verdict::kOk, "collector", collector};
  return {Verdict::kUnknown, "collector",
          "neither an option nor a counter names it; the agent asks the VM"};
}

Finding walk_instead(const std::string& why, const std::string& advice = {}) {
  return {Verdict::kLimited, "capture", "heap walk: " + why, advice};
}

Finding fork_if(const std::string& condition) {
  return {Verdict::kUnknown, "capture", "fork snapshot, if " + condition,
          "'holdfast dump' finds out, and takes the next method where it must"};
}

// Of what can be seen from outside.
std::optional<Finding> java_hindrance(const ProcessLook& look) {
  const unsigned major = major_version(look.vm_version);
  if (major != 0 && major < kFirstForkJava)
    return walk_instead("a fork snapshot needs Java 8 or later");
  const std::string collector = collector_of(look);
  if (collector.empty()) return fork_if("the collector is Serial, Parallel, G1 or Shenandoah");
  constexpr std::array<std::string_view, 4> kRead = {"G1", "Parallel", "Serial", "Shenandoah"};
  if (std::ranges::find(kRead, collector) != kRead.end()) return std::nullopt;
  return walk_instead(
      collector + (collector == "ZGC" ? " maps the heap shared" : " is not read as memory"),
      "a fork snapshot needs Serial, Parallel, G1 or Shenandoah");
}

std::optional<Finding> dotnet_hindrance(const ProcessLook& look) {
  const unsigned major = dotnet_major(look.vm_version);
  if (major == 0)
    return Finding{Verdict::kUnknown, "capture",
                   "the runtime's version is not known: fork snapshot from 9 on, heap walk before"};
  if (major >= kFirstForkDotnet) return std::nullopt;
  return walk_instead(major >= kFirstSessionDotnet
                          ? "by heap events; a fork snapshot needs .NET 9 or later"
                          : "by calls in a collection; a fork snapshot needs .NET 9 or later");
}

// What keeps the system from making a child, or us from making one.
std::optional<Finding> child_hindrance(const ProcessLook& look) {
  if (!look.system.pins_direct_io && look.direct_io.known() && look.direct_io.value > 0)
    return walk_instead(kDirectIo);
  const auto& seccomp = look.facts.seccomp;
  if (!seccomp.known())
    return fork_if("the process may make a child; its seccomp mode cannot be read: " +
                   reason_text(seccomp.error));
  if (seccomp.value != static_cast<int>(Seccomp::kOff))
    return fork_if("the seccomp filter of the process permits a child; a filter cannot be read");
  if (!look.system.pins_direct_io && !look.direct_io.known())
    return fork_if("no file is open with O_DIRECT; its files cannot be read: " +
                   reason_text(look.direct_io.error));
  return std::nullopt;
}

// What is certain counts before what is not known.
Finding capture_finding(const ProcessLook& look) {
  if (look.agent) {
    if (look.agent->frozen_refusal.empty())
      return {Verdict::kOk, "capture", "fork snapshot, says the agent"};
    return walk_instead("no fork snapshot, says the agent: " + look.agent->frozen_refusal);
  }
  const auto of_vm = is_java(look) ? java_hindrance(look) : dotnet_hindrance(look);
  if (of_vm && of_vm->verdict == Verdict::kLimited) return *of_vm;
  const auto of_child = child_hindrance(look);
  if (of_child && (of_child->verdict == Verdict::kLimited || !of_vm)) return *of_child;
  if (of_vm) return *of_vm;
  return {Verdict::kOk, "capture",
          "fork snapshot expected; the agent tests it before the first dump"};
}

bool takes_fork(const Finding& capture) { return capture.verdict != Verdict::kLimited; }

Finding pause_finding(const ProcessLook& look, const Finding& capture) {
  if (look.agent && look.agent->last_pause_ns != 0)
    return {Verdict::kOk, "pause",
            "the last extended dump stopped it for " + human_duration(look.agent->last_pause_ns) +
                ", predicted " + human_duration(look.agent->last_predicted_ns)};
  if (!takes_fork(capture))
    return {Verdict::kUnknown, "pause",
            "how many objects there are is not known; a walk stops for 0.3 to 0.6 µs an object "
            "(.NET 0.1)",
            "'holdfast dump --extended --pause 500ms' gives a limit"};
  if (!look.facts.resident_bytes.known())
    return unknown("pause", "the resident memory cannot be read", look.facts.resident_bytes.error);
  const auto resident = static_cast<std::uint64_t>(look.facts.resident_bytes.value);
  const std::string_view mode(look.system.huge_pages);
  const bool huge =
      mode == "always" || (mode == "madvise" && is_java(look) &&
                           flag_is_on(look.target.options, "UseTransparentHugePages", false));
  const std::uint64_t gb_ns = huge ? kForkNsPerGbHuge : kForkNsPerGb;
  const auto ns = kForkNs + static_cast<std::uint64_t>(static_cast<double>(gb_ns) *
                                                       static_cast<double>(resident) / kGb);
  return {Verdict::kOk, "pause",
          "about " + human_duration(ns) + " at " + human_bytes(resident) +
              " of resident memory; the agent predicts it before each dump"};
}

Finding fit_finding(const ProcessLook& look) {
  if (look.agent) return {Verdict::kOk, "library", "not needed: the agent is there"};
  if (!look.fit.good()) return {Verdict::kNo, "library", look.fit.text};
  if (!look.fit_trouble.empty() && look.library.refusal.good())
    return {Verdict::kUnknown, "library", "whether it fits is not known: " + look.fit_trouble};
  return library_finding(look.library, look.own_version, look.own_build);
}

}  // namespace

Findings process_findings(const ProcessLook& look) {
  if (!look.refusal.good()) return {{"PROCESS", {{Verdict::kNo, "permission", look.refusal.text}}}};
  FindingGroup process{"PROCESS", {}};
  process.findings.push_back(
      {Verdict::kOk, "permission", named(look.target.process) + " may be looked at"});
  process.findings.push_back(vm_finding(look));
  if (process.findings.back().verdict == Verdict::kNo) return {process};
  process.findings.push_back(agent_finding(look));
  process.findings.push_back(attach_finding(look));
  process.findings.push_back(fit_finding(look));
  FindingGroup dump{"DUMP", {}};
  if (is_java(look)) dump.findings.push_back(collector_finding(look));
  const Finding capture = capture_finding(look);
  dump.findings.push_back(capture);
  dump.findings.push_back(pause_finding(look, capture));
  dump.findings.push_back(
      memory_finding(look.groups, look.system.available_bytes, look.facts.resident_bytes));
  constexpr std::uint64_t kNeeded = 8;  // the agent's threads and a child
  dump.findings.push_back(processes_finding(look.groups, kNeeded,
                                            " threads or processes until its control group's limit",
                                            "raise pids.max"));
  dump.findings.push_back(disk_finding("directory", look.directory));
  return {process, dump};
}

}  // namespace holdfast::cli
