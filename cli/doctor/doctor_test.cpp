#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_run_for_test.h"
#include "cli/doctor/command_doctor.h"
#include "cli/doctor/doctor_output.h"
#include "cli/doctor/library_mark.h"
#include "cli/doctor/process_look.h"
#include "cli/doctor/system_look.h"
#include "cli/talk/fake_agent.h"
#include "cli/text/golden_for_test.h"
#include "common/version.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMb = 1u << 20, kGb = 1u << 30;

SystemLook good_machine() {
  SystemLook look;
  std::snprintf(look.system.kernel, sizeof look.system.kernel, "Linux 6.1.0, x86_64");
  look.system.ptrace_scope = {1, 0};
  look.system.user_namespaces = {1000, 0};
  look.system.overcommit = {0, 0};
  std::snprintf(look.system.huge_pages, sizeof look.system.huge_pages, "always");
  look.system.available_bytes = {static_cast<std::int64_t>(8 * kGb), 0};
  look.own.effective_user = 1000;
  look.own.seccomp = {0, 0};
  look.groups.version = 2;
  look.child.took_ns = 300'000;
  look.library.path = "/opt/holdfast/lib/libholdfast.so";
  look.library.mark = {"0.1.0", "c5bc4dc0f3a1"};
  look.own_version = "0.1.0";
  look.own_build = "c5bc4dc0f3a1";
  look.working = {"/home/alice", 0, 50 * kGb, false};
  look.temporary = {"/tmp", 0, 2 * kGb, false};
  look.sockets = {"/run/user/1000/holdfast"};
  look.java = {{"/usr/lib/jvm/17", "/usr/lib/jvm/17/bin/java", "17.0.17", 17, false}};
  look.dotnet = {{"/usr/share/dotnet/shared/Microsoft.NETCore.App/8.0.1", "", "8.0.1", 8, false}};
  return look;
}

ProcessLook java_process() {
  ProcessLook look;
  look.target.process.pid = 4242;
  look.target.process.effective_user = platforms::own_effective_user();
  look.target.process.catches_quit = true;
  look.target.vm = VmKind::kHotSpot;
  look.target.command_line = {MainKind::kClass, "shop.Main", {}};
  look.target.collector = "G1";
  look.vm_version = "17.0.17";
  look.facts.seccomp = {0, 0};
  look.facts.resident_bytes = {static_cast<std::int64_t>(2 * kGb), 0};
  look.groups.version = 2;
  look.system.available_bytes = {static_cast<std::int64_t>(8 * kGb), 0};
  look.library = good_machine().library;
  look.own_version = "0.1.0";
  look.own_build = "c5bc4dc0f3a1";
  look.directory = {"/srv/shop", 0, 50 * kGb, false};
  return look;
}

Finding found(const Findings& findings, const std::string& subject) {
  for (const FindingGroup& group : findings)
    for (const Finding& finding : group.findings)
      if (finding.subject == subject) return finding;
  FAIL("no finding: ", subject);
  return {};
}

// The finding, what it says, and whether a dump is possible with it.
void check(const Findings& findings, const std::string& subject, Verdict verdict,
           const std::string& said) {
  const Finding finding = found(findings, subject);
  CHECK_MESSAGE(finding.verdict == verdict, finding.fact);
  CHECK_MESSAGE(finding.fact.find(said) != std::string::npos, finding.fact);
  CHECK(speaks_against_dump(findings) == (verdict == Verdict::kNo));
}

void check_system(const SystemLook& look, const std::string& subject, Verdict verdict,
                  const std::string& said) {
  check(system_findings(look), subject, verdict, said);
}
void check_process(const ProcessLook& look, const std::string& subject, Verdict verdict,
                   const std::string& said) {
  check(process_findings(look), subject, verdict, said);
}

}  // namespace

TEST_CASE("doctor: golden, of a machine and of a process, on one screen") {
  const Findings machine = system_findings(good_machine());
  const std::string text = doctor_text({0, "web1"}, machine, 80, false);
  check_golden("doctor_80", text);
  CHECK(std::ranges::count(text, '\n') <= 30);
  check_golden("doctor_json", doctor_json({0, "web1"}, machine));
  ProcessLook process = java_process();
  process.target.collector = "ZGC";
  process.groups.limit_bytes = kGb;
  process.groups.room_bytes = 200 * kMb;
  check_golden("doctor_process_80",
               doctor_text({4242, "shop.Main"}, process_findings(process), 80, false));
  CHECK(doctor_text({0, "a\x1b[2Jb"}, machine, 40, true).find("\x1b[2J") == std::string::npos);
}

TEST_CASE("doctor: a machine on which something is missing") {
  SystemLook look = good_machine();
  look.child.error = EPERM;
  look.own.seccomp.value = 2;
  check_system(look, "child process", Verdict::kLimited, "not permitted");
  check_system(look, "seccomp", Verdict::kOk, "a filter is in force");
  look = good_machine();
  look.system.ptrace_scope = {0, ENOENT};
  check_system(look, "ptrace", Verdict::kOk, "not in this kernel");
  look.system.ptrace_scope = {0, ENODATA};
  check_system(look, "ptrace", Verdict::kUnknown, "No data");
  look.system.ptrace_scope = {0, EACCES};
  check_system(look, "ptrace", Verdict::kUnknown, "Permission denied");
  look.own.error = EACCES;
  check_system(look, "rights", Verdict::kUnknown, "Permission denied");
  look.own.error = 0;
  look.own.effective_user = 0;
  check_system(look, "rights", Verdict::kLimited, "CAP_SYS_PTRACE");
  look.own.capabilities = UINT64_MAX;
  check_system(look, "rights", Verdict::kOk, "all users");
  look.system.overcommit.value = 2;
  check_system(look, "overcommit", Verdict::kLimited, "strict");
  look.groups.most_processes = 100;
  look.groups.processes = 98;
  check_system(look, "processes", Verdict::kLimited, "2 more");
  look.working.error = EROFS;
  check_system(look, "directory", Verdict::kLimited, "Read-only");
  look.temporary.no_exec = true;
  check_system(look, "/tmp", Verdict::kLimited, "noexec");
  look.sockets.clear();
  check_system(look, "control socket", Verdict::kLimited, "no directory");
  look.java.clear();
  check_system(look, "Java", Verdict::kOk, "none is found");
  look.system.available_bytes.error = ENOENT;
  look.groups.version = 0;
  check_system(look, "memory", Verdict::kUnknown, "cannot be read");
  look.groups.most_processes = UINT64_MAX;
  check_system(look, "processes", Verdict::kUnknown, "no control group is seen");
  look.library.mark.build = "another";
  check_system(look, "library", Verdict::kLimited, "this command is 0.1.0 (build c5bc4dc0f3a1)");
  look.library.mark = {};
  check_system(look, "library", Verdict::kUnknown, "version is not in it");
  look.library.refusal = {ExitCode::kWrongUsage, "libholdfast.so is in none of /x"};
  check_system(look, "library", Verdict::kNo, "in none of");
}

TEST_CASE("doctor: what to do about a library depends on what named it") {
  SystemLook look = good_machine();
  const auto advice = [&](LibrarySource source) {
    look.library.source = source;
    return found(system_findings(look), "library").advice;
  };
  look.library.mark.build = "another";
  CHECK(advice(LibrarySource::kUsualPlace) == "install both of one build");
  CHECK(advice(LibrarySource::kOption).starts_with("name one of this build with --library"));
  CHECK(advice(LibrarySource::kVariable).starts_with("set HOLDFAST_LIB"));
  look.library.refusal = {ExitCode::kWrongUsage, "/no/such.so: No such file"};
  CHECK(advice(LibrarySource::kUsualPlace).starts_with("install"));
  CHECK(advice(LibrarySource::kOption).find("--library") != std::string::npos);
  CHECK(advice(LibrarySource::kVariable).find("HOLDFAST_LIB") != std::string::npos);
  CHECK(look_at_library("/no/such.so").source == LibrarySource::kOption);
}

TEST_CASE("doctor: a working directory that was removed, and places for sockets") {
  const platforms::ScratchDirectory scratch;
  CHECK(usable_for_sockets(scratch.file("new")));
  CHECK_FALSE(usable_for_sockets(scratch.file("none/new")));
  scratch.write("file", "");
  CHECK_FALSE(usable_for_sockets(scratch.file("file")));
  fs::create_directory(scratch.file("open"));
  ::chmod(scratch.file("open").c_str(), 0755);  // others may look into it
  CHECK_FALSE(usable_for_sockets(scratch.file("open")));
  ::chmod(scratch.file("open").c_str(), 0700);
  CHECK(usable_for_sockets(scratch.file("open")));
  const fs::path before = fs::current_path();
  fs::create_directory(scratch.file("gone"));
  fs::current_path(scratch.file("gone"));
  fs::remove(scratch.file("gone"));
  const DiskLook disk = look_at_working_directory();
  fs::current_path(before);
  CHECK(disk.path == ".");
  CHECK(disk.error == ENOENT);
}

TEST_CASE("doctor: a directory of a process is judged by its user, and named as it names it") {
  platforms::OtherProcess own;
  REQUIRE(platforms::read_other_process(static_cast<std::uint32_t>(::getpid()), own) == 0);
  const platforms::ScratchDirectory scratch;
  const std::string path = fs::canonical(scratch.path()).string();
  const DiskLook there = look_at_disk_of(own, path + "/");
  CHECK(there.path == path);
  CHECK(there.error == 0);
  CHECK(there.free_bytes != UINT64_MAX);
  CHECK(look_at_disk_of(own, path + "/none").error == ENOENT);
  const std::string working = fs::current_path().string();
  CHECK(look_at_disk_of(own, ".").path == working);
  CHECK(look_at_disk_of(own, "none/at all").path == working + "/none/at all");
  CHECK(look_at_disk_of(own, "none/at all").error == ENOENT);
  if (::geteuid() != 0) return;  // only root has processes of other users
  ::chmod(path.c_str(), 0755);
  const platforms::ChildForTest child(
      [](void*) -> int {
        if (!platforms::become_other_user_for_test()) return 1;
        for (;;) ::pause();
      },
      nullptr);
  platforms::OtherProcess other;
  for (int tries = 0; tries < 1000 && other.effective_user == 0; ++tries) {
    REQUIRE(platforms::read_other_process(child.pid(), other) == 0);
    ::usleep(1000);
  }
  CHECK(look_at_disk_of(other, path).error == EACCES);  // root could write there
  ::chmod(path.c_str(), 0777);
  CHECK(look_at_disk_of(other, path).error == 0);
}

TEST_CASE("doctor: whether a library fits is not known where the program cannot be read") {
  ProcessLook look = java_process();
  look.target.process.pid = static_cast<std::uint32_t>(::getpid());
  look_at_fit("/proc/self/exe", look);
  CHECK(look.fit.good());
  CHECK(look.fit_trouble.empty());
  check_process(look, "library", Verdict::kOk, "as this command");
  look.target.process.pid = platforms::dead_pid_for_test();
  look_at_fit("/proc/self/exe", look);
  check_process(look, "library", Verdict::kUnknown, "the program cannot be read: No such file");
}

TEST_CASE("doctor: an agent of a stopped process is not waited for") {
  ProcessLook look = java_process();
  look.target.process.state = platforms::ProcessState::kStopped;
  look.loaded = true;
  AgentDoor door;
  bool asked = false;
  door.connect = [&](std::uint32_t) {
    asked = true;
    return AgentDoor::kNoAgent;
  };
  look_for_agent(door, look);
  CHECK_FALSE(asked);
  CHECK(found(process_findings(look), "agent").verdict == Verdict::kUnknown);
  CHECK(found(process_findings(look), "agent").fact.find("is stopped") != std::string::npos);
  look.target.process.state = platforms::ProcessState::kLiving;
  look_for_agent(door, look);
  CHECK(asked);
}

TEST_CASE("doctor: can a Java process be attached to, and how is it captured?") {
  ProcessLook look = java_process();
  check_process(look, "attach", Verdict::kOk, "permitted");
  check_process(look, "capture", Verdict::kOk, "fork snapshot expected");
  check_process(look, "pause", Verdict::kOk, "44.0 ms");  // 4 ms, and 20 ms a GB
  std::snprintf(look.system.huge_pages, sizeof look.system.huge_pages, "madvise");
  check_process(look, "pause", Verdict::kOk, "44.0 ms");
  look.target.options = {"-XX:+UseTransparentHugePages"};
  check_process(look, "pause", Verdict::kOk, "14.0 ms");
  look.target.options.clear();
  std::snprintf(look.system.huge_pages, sizeof look.system.huge_pages, "always");
  check_process(look, "pause", Verdict::kOk, "14.0 ms");
  look.target.collector.clear();
  check_process(look, "collector", Verdict::kUnknown, "neither an option nor a counter");
  check_process(look, "capture", Verdict::kUnknown, "if the collector is Serial");
  look.target.options = {"-XX:+UseG1GC", "-XX:+DisableAttachMechanism"};
  check_process(look, "attach", Verdict::kNo, "DisableAttachMechanism");
  CHECK(found(process_findings(look), "collector").fact == "G1");
}

TEST_CASE("doctor: what forbids or worsens a dump of a Java process") {
  ProcessLook look = java_process();
  look.target.options = {"-XX:-EnableDynamicAgentLoading"};
  check_process(look, "attach", Verdict::kNo, "EnableDynamicAgentLoading");
  look = java_process();
  look.target.process.state = platforms::ProcessState::kStopped;
  check_process(look, "attach", Verdict::kNo, "is stopped");
  look = java_process();
  look.target.process.catches_quit = false;
  check_process(look, "attach", Verdict::kUnknown, "SIGQUIT");
  look.target.options_hidden = true;
  check_process(look, "attach", Verdict::kUnknown, "stand in a file");
  look.target.options_hidden = false;
  look.target.options = {"-XX:+ReduceSignalUsage"};
  check_process(look, "attach", Verdict::kOk, "permitted");
  look.target.options = {"-Xrs", "-XX:+UseZGC"};
  look.target.collector.clear();
  check_process(look, "attach", Verdict::kOk, "permitted");
  check_process(look, "capture", Verdict::kLimited, "ZGC maps the heap shared");
  check_process(look, "pause", Verdict::kUnknown, "walk");
  look = java_process();
  look.facts.seccomp.value = 2;
  check_process(look, "capture", Verdict::kUnknown, "a filter cannot be read");
  look.vm_version = "1.7.0_80";  // what is certain goes first
  check_process(look, "capture", Verdict::kLimited, "needs Java 8");
  look.vm_version = "1.8.0_392";
  look.facts.seccomp = {0, EACCES};
  check_process(look, "capture", Verdict::kUnknown, "seccomp mode cannot be read: Permission");
  look.facts.seccomp = {0, 0};
  look.direct_io = {0, EACCES};
  check_process(look, "capture", Verdict::kUnknown, "O_DIRECT");
  look.direct_io = {2, 0};
  check_process(look, "capture", Verdict::kLimited, "O_DIRECT");
  look.system.pins_direct_io = true;
  check_process(look, "capture", Verdict::kOk, "fork snapshot expected");
  look.groups.version = 0;
  check_process(look, "processes", Verdict::kUnknown, "no control group is seen");
  look.groups.version = 2;
  look.groups.limit_bytes = 3 * kGb;
  look.groups.room_bytes = kGb;
  check_process(look, "memory", Verdict::kLimited, "1.0 GB left");
  look.facts.resident_bytes.error = EACCES;
  check_process(look, "memory", Verdict::kOk, "1.0 GB left");
  check_process(look, "pause", Verdict::kUnknown, "Permission denied");
  look.loaded = true;
  check_process(look, "agent", Verdict::kLimited, "does not listen");
  look.agent_trouble = "does not answer";
  check_process(look, "agent", Verdict::kUnknown, "does not answer");
  look.fit = refused("/x/libholdfast.so is for musl");
  check_process(look, "library", Verdict::kNo, "musl");
  look.vm_version.clear();
  CHECK(found(process_findings(look), "VM").verdict == Verdict::kUnknown);
  look.target.vm = VmKind::kOpenJ9;
  check_process(look, "VM", Verdict::kNo, "OpenJ9");
  look.target.vm = VmKind::kNone;
  check_process(look, "VM", Verdict::kNo, "no Java or .NET VM");
  look.refusal = refused("belongs to user bob");
  check_process(look, "permission", Verdict::kNo, "user bob");
}

TEST_CASE("doctor: an agent that is there is asked, whatever its options forbid to others") {
  ProcessLook look = java_process();
  look.target.options = {"-XX:+DisableAttachMechanism"};
  look.agent = AgentLook{"0.1.0", "",         "17.0.17+10", "ZGC", "the collector is ZGC",
                         "/x",    30'000'000, 25'000'000};
  check_process(look, "attach", Verdict::kOk, "not needed");
  check_process(look, "capture", Verdict::kLimited, "the collector is ZGC");
  check_process(look, "pause", Verdict::kOk, "stopped it for 30.0 ms, predicted 25.0 ms");
  check_process(look, "agent", Verdict::kOk, "0.1.0 answers");
  look.agent->frozen_refusal.clear();
  look.agent->version = "0.0.9";
  check_process(look, "capture", Verdict::kOk, "fork snapshot");
  check_process(look, "agent", Verdict::kOk, "this command is 0.1.0");
}

TEST_CASE("doctor: .NET by its version and its environment") {
  ProcessLook look = java_process();
  look.target.vm = VmKind::kCoreClr;
  look.vm_version = "9.0.1";
  check_process(look, "capture", Verdict::kOk, "fork snapshot");
  look.vm_version = "8.0.11";
  check_process(look, "capture", Verdict::kLimited, "heap events");
  look.vm_version = "3.1.32";
  check_process(look, "capture", Verdict::kLimited, "by calls");
  look.vm_version.clear();
  check_process(look, "capture", Verdict::kUnknown, "version is not known");
  look.target.dotnet.profiler = "/opt/other.so";
  check_process(look, "attach", Verdict::kNo, "/opt/other.so");
  look.target.dotnet.not_listening = "DOTNET_EnableDiagnostics=0";
  check_process(look, "attach", Verdict::kNo, "DOTNET_EnableDiagnostics=0");
  const std::string shared = "/usr/share/dotnet/shared/Microsoft.NETCore.App/";
  CHECK(dotnet_version_of(shared + "9.0.1/libcoreclr.so") == "9.0.1");
  CHECK(dotnet_version_of(shared + "1.1.13/libcoreclr.so") == "1.1.13");
  CHECK(dotnet_version_of(shared + "next/libcoreclr.so").empty());
  CHECK(dotnet_version_of("/srv/shop/2.1.0/libcoreclr.so").empty());  // the application's own
  CHECK(dotnet_major("1.1.13") == 1);
  CHECK(dotnet_version_of("").empty());
}

TEST_CASE("doctor: the mark of a library, and files without one") {
  const std::string before(100'000, 'x');
  CHECK(library_mark(before + "@(#)holdfast 1.2.3 v1.2.3-4-gabc-dirty" + '\0').build ==
        "v1.2.3-4-gabc-dirty");
  CHECK(library_mark("@(#)holdfast 1.2.3").version == "1.2.3");
  CHECK(library_mark("@(#)holdfast 1.2.3").build.empty());
  CHECK(library_mark("@(#)holdfast ").version.empty());
  CHECK(library_mark("@(#)holdfast \x1b[2J").version.empty());
  CHECK(library_mark(before).version.empty());
  CHECK(read_library_mark("/no/such/file").version.empty());
}

TEST_CASE("doctor: the command, on this machine, on itself, on what is no process") {
  const Outcome machine = run_command({"doctor", "--json"});
  const auto document = nlohmann::json::parse(machine.out);
  CHECK(document["schema_version"] == 1);
  CHECK(document["pid"].is_null());
  CHECK((machine.code == ExitCode::kDone) == document["dump_possible"].get<bool>());
  const Outcome own = run_command({"doctor", std::to_string(::getpid())});
  CHECK(own.code == ExitCode::kRefused);
  CHECK(own.out.find("there is no Java or .NET VM in it") != std::string::npos);
  check_refusal(run_command({"doctor", "99999999"}), ExitCode::kWrongUsage, {"99999999"});
  check_refusal(run_command({"doctor", "0"}), ExitCode::kWrongUsage, {"no such process"});
  check_refusal(run_command({"doctor", ""}), ExitCode::kWrongUsage, {"PID"});
  check_refusal(run_command({"doctor", "no.such.Main"}), ExitCode::kWrongUsage, {"no.such.Main"});
  check_refusal(run_command({"doctor", "1", "2"}), ExitCode::kWrongUsage, {"2"});
  check_refusal(run_command({"doctor", "--width", "3"}), ExitCode::kWrongUsage, {"--width"});
  const Outcome elsewhere = run_command({"doctor", "--library", "/no/such.so"});
  CHECK(elsewhere.code == ExitCode::kRefused);
  CHECK(elsewhere.out.find("/no/such.so: No such file") != std::string::npos);
}
