// Accounts on their way from the book through the engine to an analysis, with a scripted VM.
#include "common/accounts/dump_accounts.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "common/agent_core.h"
#include "common/fake_vm_adapter.h"
#include "common/log.h"
#include "common/resting_bytes_for_test.h"
#include "platforms/clock.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;

std::uint64_t within(std::uint64_t ns) { return platforms::monotonic_ns() + ns; }

// Allocates one cart of 100 bytes whenever it is asked.
class AccountingVm : public ScriptedVm {
 public:
  std::atomic<int> told{0};
  std::atomic<int> captures_before_told{-1};
  std::uint64_t tell_accounts(AccountBook& book, std::uint64_t, Notes&) noexcept override {
    ++told;
    captures_before_told = captures.load();
    book.sampled({1, 0, book.name("shop.Cart")}, 100);
    return 0;
  }
};

// What the last analysis was given.
struct Seen {
  bool accounts = false;
  std::size_t rows = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t since_report_bytes = 0;
  std::uint64_t last_report_utc_ms = 0;
  std::string account, class_name, notes;
};
Seen seen;
bool fail_analysis = false;

Result<AnalysisOutcome> look_at_accounts(AnalysisInput& input) noexcept {
  seen = Seen();
  for (const Note& note : input.record.notes.all()) seen.notes += note.text + std::string("|");
  seen.accounts = input.accounts != nullptr;
  if (seen.accounts && !input.accounts->rows.empty()) {
    const AccountFigures& figures = *input.accounts;
    seen.rows = figures.rows.size();
    seen.allocated_bytes = figures.rows[0].allocated.bytes;
    seen.since_report_bytes = figures.rows[0].since_report.bytes;
    seen.last_report_utc_ms = figures.last_report_utc_ms;
    seen.account = figures.strings.view(figures.accounts[figures.rows[0].account]);
    seen.class_name = figures.strings.view(figures.rows[0].class_name);
  }
  if (fail_analysis) return make_error(ErrorCode::kIo, 28);
  return AnalysisOutcome{};
}

struct Running {
  AccountingVm vm;
  DumpEngine engine;
  explicit Running(const std::string& more, std::uint64_t memory = kMemory) {
    fail_analysis = false;
    Options options;
    OptionError error;
    REQUIRE_MESSAGE(parse_options("cooldown=0,sample=0" + more, options, error), error.text);
    REQUIRE(engine.open(options, memory, vm, {&look_at_accounts}).ok());
    PatternError wrong;
    if (options.accounts[0] != '\0') REQUIRE_MESSAGE(engine.open_accounts(wrong).ok(), wrong.text);
    REQUIRE(engine.vm_ready().ok());
  }
  ~Running() { engine.close(within(kSecond)); }
  void dump() {
    DumpRequest request;
    request.trigger = Trigger::kSignal;
    request.asked_at_ns = platforms::monotonic_ns();
    REQUIRE(engine.request(request) == GateAnswer::kAccepted);
    REQUIRE(engine.wait_idle(within(10 * kSecond)));
  }
};

class LoadedAgent : public AgentCore {
 public:
  ScriptedVm vm;
  bool load(const std::string& options) {
    return read_options(options) && reserve(vm, {&look_at_accounts}, std::uint64_t{256} << 20);
  }
};

std::string said_at_load(const std::string& options, bool& stays) {
  const platforms::ScratchDirectory scratch;
  const std::string log = std::string(scratch.path()) + "/log";
  {
    LoadedAgent agent;
    stays = agent.load(options + ",log=error:" + log);
    close_log();
  }
  std::stringstream text;
  text << std::ifstream(log).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("figures reach the analysis; since the last report begins anew with each report") {
  Running run(",accounts=shop.*");
  const std::uint64_t resting = resting_bytes(run.engine);
  CHECK(run.engine.ledger().category_bytes(MemoryCategory::kAccounts) > 1u << 20);
  run.dump();
  CHECK(seen.accounts);
  CHECK(seen.account == "shop.*");
  CHECK(seen.class_name == "shop.Cart");
  CHECK(seen.allocated_bytes == 100);
  CHECK(seen.since_report_bytes == 100);
  CHECK(seen.last_report_utc_ms == 0);
  CHECK(run.vm.captures_before_told == 0);
  run.dump();
  CHECK(seen.allocated_bytes == 200);
  CHECK(seen.since_report_bytes == 100);
  CHECK(seen.last_report_utc_ms != 0);
  fail_analysis = true;
  run.dump();
  const std::uint64_t reported = seen.last_report_utc_ms;
  fail_analysis = false;
  run.dump();
  CHECK(seen.allocated_bytes == 400);
  CHECK(seen.since_report_bytes == 200);  // one of them went into no report
  CHECK(seen.last_report_utc_ms == reported);
  run.vm.fail = true;  // the capture
  run.dump();
  run.vm.fail = false;
  run.dump();
  CHECK(seen.allocated_bytes == 600);
  CHECK(seen.since_report_bytes == 200);
  CHECK(run.vm.told == 6);
  CHECK(run.engine.ledger().total_bytes() == resting);
}

TEST_CASE("extended dumps have them, too") {
  Running run(",accounts=shop.*,dump=extended,capture=walk");
  run.dump();
  CHECK(seen.accounts);
  CHECK(seen.allocated_bytes == 100);
}

TEST_CASE("without accounts= nothing is reserved, charged, asked for or told") {
  Running run("");
  CHECK_FALSE(run.engine.accounts().is_open());
  run.dump();
  CHECK_FALSE(seen.accounts);
  CHECK(seen.notes.find("accounts") == seen.notes.npos);
  CHECK(run.vm.told == 0);
  CHECK(run.engine.ledger().category_bytes(MemoryCategory::kAccounts) == 0);
}

TEST_CASE(
    "no room for the figures: the dump goes on without them, a note says so, nothing is reported") {
  Running run(",accounts=shop.*", 16u << 20);
  for (int i = 0; i < 5000; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "shop.C%d", i);
    run.engine.accounts().sampled({1, 0, run.engine.accounts().name(name)}, 8);
  }
  Ledger& ledger = run.engine.ledger();
  resting_bytes(run.engine);
  // What is left is enough for a capture's share and some names, and not for the figures as well.
  const std::uint64_t taken = ledger.left_bytes() - (std::uint64_t{600} << 10);
  REQUIRE(ledger.charge(MemoryCategory::kWorker, taken));
  run.dump();
  CHECK_FALSE(seen.accounts);
  CHECK(seen.notes.find("accounts are left out: memory= has no room for a copy of them|") !=
        seen.notes.npos);
  ledger.refund(MemoryCategory::kWorker, taken);
  run.dump();
  CHECK(seen.accounts);
  CHECK(seen.rows == 5001);
  CHECK(seen.last_report_utc_ms == 0);
}

TEST_CASE(
    "the address space that is said to be needed is enough, for the fullest book at every "
    "memory=") {
  for (const std::uint64_t memory : {16u << 20, 64u << 20, 512u << 20}) {
    Ledger ledger(memory);
    Reservation reservation;
    REQUIRE(reservation.open(DumpAccounts::address_space_bytes(memory)));
    DumpAccounts accounts;
    CHECK(accounts.reserve(reservation, ledger));
    Options options;
    std::strcpy(options.accounts, "shop.*");
    PatternError error;
    CHECK(accounts.open(options, error));
    CHECK(ledger.total_bytes() <= memory / 8 + (16u << 10));
    AccountBook& book = accounts.book();
    std::string name(60, 'x');
    for (std::uint32_t i = 0; i < 100'000; ++i)
      book.sampled({1, 0, book.name(name + std::to_string(i))}, 8);
    AccountingVm vm;
    Notes notes;
    accounts.take(vm, UINT64_MAX, notes);
    CHECK(accounts.taken() != nullptr);
    CHECK(notes.all().empty());
    CHECK(ledger.total_bytes() < memory * 2 / 5);
    accounts.end_dump(false);
    CHECK(ledger.total_bytes() <= memory / 8 + (16u << 10));
  }
}

TEST_CASE("a pattern that is wrong turns the agent off with one line, at load") {
  bool stays = true;
  const std::string said = said_at_load("accounts=shop..cart", stays);
  CHECK_FALSE(stays);
  CHECK(said.find("accounts=shop..cart: shop..cart: wanted is a.b (a package or class)") !=
        said.npos);
  CHECK(said.find("; the agent stays off\n") != said.npos);
  CHECK(said.find('\n') == said.size() - 1);
  CHECK(said_at_load("accounts=shop.*,accounts-by=method", stays).empty());
  CHECK(stays);
}

TEST_CASE("patterns that memory= has no room for are one line, too") {
  const platforms::ScratchDirectory scratch;
  const std::string path = std::string(scratch.path()) + "/patterns";
  {
    std::ofstream file(path);
    for (int i = 0; i < 10'000; ++i) file << i << std::string(180, 'p') << '\n';
  }
  bool stays = true;
  // The patterns alone take more than half of it, the book the rest.
  const std::string said = said_at_load("memory=16m,accounts=" + path, stays);
  if (!stays) CHECK(said.find("accounts=: memory=16m has no room for them") != said.npos);
  said_at_load("memory=64m,accounts=" + path, stays);
  CHECK(stays);
}
