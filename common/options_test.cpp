#include "common/options.h"

#include "common/option_text.h"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

using namespace holdfast;

namespace {

Options parsed(const std::string& text) {
  Options options;
  OptionError error;
  const bool ok = parse_options(text, options, error);
  CHECK_MESSAGE(ok, text << " -> " << error.text);
  return options;
}

std::string refused(const std::string& text) {
  Options options;
  OptionError error;
  CHECK_MESSAGE(!parse_options(text, options, error), text);
  std::string said = error.text;
  CHECK(said.find('\n') == said.npos);
  CHECK(said.size() > 10);
  return said;
}

// All values as one text, to compare two of them.
std::string shown(const Options& o) {
  std::string text;
  for (const char* word : {o.dir, o.file, o.only, o.accounts, o.log_file})
    text += std::string(word) + "|";
  for (const std::uint64_t number : {std::uint64_t{o.on},
                                     o.every_ns,
                                     std::uint64_t{o.heap_above_percent},
                                     std::uint64_t{o.cgroup_above_percent},
                                     o.cooldown_ns,
                                     std::uint64_t{o.max_dumps},
                                     static_cast<std::uint64_t>(o.dump),
                                     static_cast<std::uint64_t>(o.capture),
                                     o.memory_bytes,
                                     o.pause_ns,
                                     o.exit_wait_ns,
                                     std::uint64_t{o.then_exit},
                                     std::uint64_t{o.snapshot},
                                     std::uint64_t{o.retain},
                                     std::uint64_t{o.analyses},
                                     static_cast<std::uint64_t>(o.log),
                                     static_cast<std::uint64_t>(o.accounts_mode),
                                     std::uint64_t{o.accounts_by},
                                     o.sample_bytes,
                                     std::uint64_t{o.sample_steady},
                                     static_cast<std::uint64_t>(o.ages),
                                     std::uint64_t{o.help}})
    text += std::to_string(number) + "|";
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("nothing said is the defaults, and the table shows the same ones") {
  const Options options = parsed("");
  CHECK(options.named == 0);
  for (const OptionRow& row : option_table()) {
    const std::string key(row.key), value(row.default_text);
    const Options named = parsed(key + "=" + value);
    CHECK(option_named(named, key));
    CHECK_MESSAGE(shown(named) == shown(options), "the default of " << key << " is not " << value);
  }
}

TEST_CASE("the keys are those of the design, in its order") {
  constexpr const char* kKeys[] = {
      "dir",          "file",     "only",          "on",          "every",    "heap-above",
      "cgroup-above", "cooldown", "max-dumps",     "dump",        "capture",  "collect",
      "memory",       "pause",    "exit-wait",     "then",        "snapshot", "retain",
      "analyses",     "accounts", "accounts-mode", "accounts-by", "ages",     "sample",
      "sample-only",  "track",    "control",       "log"};
  REQUIRE(option_table().size() == std::size(kKeys));
  for (std::size_t i = 0; i < std::size(kKeys); ++i) CHECK(option_table()[i].key == kKeys[i]);
}

TEST_CASE("analyses: single ones joined, or a word that stands alone") {
  CHECK(parsed("analyses=suspects+tree").analyses == (kAnalyseSuspects | kAnalyseTree));
  CHECK(parsed("analyses=reachable+cuts").analyses == (kAnalyseReachable | kAnalyseCuts));
  CHECK(parsed("analyses=holders").analyses == kAnalyseHolders);
  CHECK(parsed("analyses=all").analyses == kAnalyseAll);
  CHECK(parsed("analyses=classes").analyses == 0);
  for (const char* wrong : {"", "classes+tree", "trees", "tree+", "none"})
    CHECK(has(refused("analyses=" + std::string(wrong)), "holders joined with '+'"));
}

TEST_CASE(
    "accounts: patterns as they are written, how they are counted, and what tells rows apart") {
  CHECK(parsed("").accounts[0] == '\0');
  CHECK(parsed("").sample_bytes == 512u << 10);
  CHECK(!parsed("").sample_steady);
  CHECK(parsed("sample=512k").sample_steady);
  CHECK(!parsed("sample=auto").sample_steady);
  CHECK(parsed("sample=auto").sample_bytes == 512u << 10);
  const Options o = parsed(
      "accounts=shop.*+jar:app.jar+*,accounts-mode=exact,accounts-by=method+thread,sample=64k");
  CHECK(std::string(o.accounts) == "shop.*+jar:app.jar+*");
  CHECK(o.accounts_mode == AccountMode::kExact);
  CHECK(o.accounts_by == (kByMethod | kByThread));
  CHECK(o.sample_bytes == 64u << 10);
  CHECK(parsed("sample=0").sample_bytes == 0);
  CHECK(parsed("sample=1k").sample_bytes == 1u << 10);
  CHECK(parsed("sample=1g").sample_bytes == 1u << 30);
  CHECK(parsed("accounts-by=thread").accounts_by == kByThread);
  CHECK(parsed("accounts-by=user+application+request+session").accounts_by == kByAnnotations);
  CHECK(std::string(parsed("sample-only=user:al*+class:shop.*").sample_only) ==
        "user:al*+class:shop.*");
  CHECK(std::string(parsed("sample-only=off").sample_only).empty());
  CHECK(std::string(parsed("accounts=/etc/shop.txt").accounts) == "/etc/shop.txt");
  for (const char* wrong : {"sample=1", "sample=1023", "sample=2g", "sample=off", "sample=-1"})
    CHECK(has(refused(wrong),
              "auto (512k, with ages 64k, or more where that costs too much), 0 (every "
              "allocation) or a size from 1k to 1g"));
  CHECK(has(refused("accounts-mode=off"), "sampled, or exact or exact-live in a Java VM"));
  CHECK(has(refused("accounts-by=class"), "method, thread, or what threads say"));
  CHECK(has(refused("accounts-by=off+method"), "method, thread, or what threads say"));
  Options later = parsed("accounts=shop.*");
  OptionError error;
  REQUIRE(parse_options("accounts=off", later, error));
  CHECK(later.accounts[0] == '\0');
  OptionText room;
  CHECK(option_text(o, "accounts", room) == "shop.*+jar:app.jar+*");
  CHECK(option_text(later, "accounts", room) == "off");
  CHECK(option_text(o, "accounts-mode", room) == "exact");
  CHECK(option_text(parsed("accounts-mode=exact-live"), "accounts-mode", room) == "exact-live");
  CHECK(option_text(o, "accounts-by", room) == "method+thread");
  CHECK(option_text(o, "sample", room) == "64k");
  CHECK(option_text(parsed("sample=1000000"), "sample", room) == "1000000");
  CHECK(option_text(parsed("sample=2m"), "sample", room) == "2m");
  CHECK(option_text(parsed("sample=0"), "sample", room) == "0");
}

TEST_CASE("every key takes its values") {
  const Options o = parsed(
      "dir=/var/"
      "dumps,file=%k-%n.hfr,on=signal+exit+start+gc+growth,every=90s,heap-above=85%,cgroup-above="
      "99%,"
      "cooldown=5m,max-dumps=7,dump=extended,capture="
      "walk,"
      "memory=256m,pause=500ms,exit-wait=0,then=exit,snapshot=on,retain=strong+weak,log=info:/tmp/"
      "hf.log");
  CHECK(std::string(o.dir) == "/var/dumps");
  CHECK(std::string(o.file) == "%k-%n.hfr");
  CHECK(o.on == (kOnSignal | kOnExit | kOnStart | kOnGc | kOnGrowth));
  CHECK(o.every_ns == 90'000'000'000);
  CHECK(o.heap_above_percent == 85);
  CHECK(o.cgroup_above_percent == 99);
  CHECK(o.cooldown_ns == 300'000'000'000);
  CHECK(o.max_dumps == 7);
  CHECK(o.dump == DumpKind::kExtended);
  CHECK(o.capture == CaptureChoice::kWalk);
  CHECK(o.memory_bytes == (256u << 20));
  CHECK(o.pause_ns == 500'000'000);
  CHECK(o.exit_wait_ns == 0);
  CHECK(o.then_exit);
  CHECK(o.snapshot);
  CHECK(o.retain == (kRetainStrong | kRetainWeak));
  CHECK(o.log == LogLevel::kInfo);
  CHECK(std::string(o.log_file) == "/tmp/hf.log");
  CHECK(option_named(o, "pause"));
  CHECK_FALSE(option_named(o, "log-file"));
  CHECK_FALSE(option_named(o, "no-such-key"));
  CHECK(parsed("on=off").on == 0);
  CHECK(parsed("every=1s").every_ns == 1'000'000'000);
  CHECK(parsed("retain=+soft+weak").retain == (kRetainStrong | kRetainSoft | kRetainWeak));
  CHECK(std::string(parsed("dir=/a=b,").dir) == "/a=b");
  CHECK(parsed("help,dump=simple").help);
}

TEST_CASE("a later command overrides only what it names") {
  Options options = parsed("dir=/a,pause=3s");
  OptionError error;
  REQUIRE(parse_options("pause=4s", options, error));
  CHECK(std::string(options.dir) == "/a");
  CHECK(options.pause_ns == 4'000'000'000);
  CHECK_FALSE(option_named(options, "dir"));
}

TEST_CASE("ages: on or off") {
  CHECK(parsed("").ages == AgesChoice::kOff);
  CHECK(parsed("ages=on").ages == AgesChoice::kOn);
  OptionText room;
  CHECK(option_text(parsed("ages=on"), "ages", room) == "on");
  for (const char* wrong : {"", "yes", "exact", "on+off"})
    CHECK(has(refused("ages=" + std::string(wrong)), "wanted is on or off"));
}

TEST_CASE("off takes back what was set before") {
  Options options = parsed("every=5m,heap-above=80%,cgroup-above=90%,on=gc");
  OptionError error;
  REQUIRE(parse_options("every=off,heap-above=off,cgroup-above=off,on=off", options, error));
  CHECK(options.every_ns == 0);
  CHECK(options.heap_above_percent == 0);
  CHECK(options.cgroup_above_percent == 0);
  CHECK(options.on == 0);
}

TEST_CASE("an unknown key is answered with the nearest one, if any is near") {
  CHECK(refused("exit_wait=5s") == "exit_wait: there is no such option; did you mean exit-wait=?");
  CHECK(has(refused("Dir=/x"), "did you mean dir=?"));
  CHECK(has(refused("dirs=/x"), "did you mean dir=?"));
  CHECK(has(refused("maxdump=3"), "did you mean max-dumps=?"));
  CHECK(has(refused("directory-for-reports=/x"), "`help` lists them"));
  CHECK(has(refused("=x"), "there is no such option"));
  CHECK(has(refused(std::string(5000, 'k') + "=1"), "there is no such option"));
}

TEST_CASE("a bad value is answered with key, value and what is allowed") {
  CHECK(refused("pause=soon") == "pause=soon: wanted is a time such as 500ms, 1s, 5m");
  constexpr const char* kBad[] = {"on=signal+",
                                  "on=+signal",
                                  "on=all",
                                  "on=off+signal",
                                  "on=signal+off",
                                  "on=gcx",
                                  "every=0",
                                  "every=999ms",
                                  "every=169h",
                                  "every=5",
                                  "heap-above=85",
                                  "heap-above=0%",
                                  "heap-above=100%",
                                  "heap-above=4294967296%",
                                  "cgroup-above=100%",
                                  "cgroup-above=-1%",
                                  "cooldown=60",
                                  "cooldown=-1s",
                                  "cooldown=8000h",
                                  "cooldown=99999999999999999999s",
                                  "max-dumps=0",
                                  "max-dumps=100001",
                                  "max-dumps=18446744073709551617",
                                  "dump=full",
                                  "capture=fast",
                                  "memory=1m",
                                  "memory=16x",
                                  "memory=99999999999g",
                                  "memory=-1",
                                  "pause=0",
                                  "then=stop",
                                  "snapshot=yes",
                                  "retain=all",
                                  "retain=soft+",
                                  "log=loud",
                                  "log=info:",
                                  "log=:x",
                                  "only=+shop",
                                  "only=shop+",
                                  "only=a++b",
                                  "file=a/b.hfr",
                                  "file=report",
                                  "file=.hfr",
                                  "file=%q.hfr",
                                  "file=%.hfr",
                                  "file=%{X.hfr",
                                  "file=%{}.hfr"};
  for (const std::string text : kBad) {
    const std::string said = refused(text);
    CHECK_MESSAGE(said.substr(0, text.size() + 12) == text + ": wanted is ", said);
  }
}

TEST_CASE("empty values, doubled keys, bare words, values that a comma cut") {
  for (const OptionRow& row : option_table()) {
    const std::string key(row.key);
    CHECK(has(refused(key + "="), key + "=: wanted is "));
    CHECK(has(refused(key), key + ": wanted is key=value: " + key + "=VALUE, where VALUE is "));
    const std::string twice = key + "=" + std::string(row.default_text);
    CHECK(has(refused(twice + "," + twice), key + "= is given twice"));
  }
  CHECK(has(refused("dir=/var/my,dumps"), "dumps: wanted is key=value (commas separate options"));
  CHECK(has(refused("help=on"), "there is no such option"));
}

TEST_CASE(
    "values too long to keep are refused, and shown short, on one line, without control "
    "characters") {
  const std::string longest(kMaxOptionText - 1, 'd');
  CHECK(std::string(parsed("dir=" + longest).dir) == longest);
  const std::string said = refused("dir=" + longest + "d");
  CHECK(has(said, "this one is too long"));
  CHECK(said.size() < 300);
  CHECK(has(refused("file=" + longest + ".hfr"), "too long"));
  CHECK(has(refused("pause=\x1B[31m\nx\xFF"), "pause=?[31m?x?: wanted"));
}

TEST_CASE("help names every key with its default, one line each") {
  std::vector<std::string> lines;
  print_option_help(
      [](void* all, std::string_view line) {
        static_cast<std::vector<std::string>*>(all)->emplace_back(line);
      },
      &lines);
  REQUIRE(lines.size() == option_table().size() + 1);
  for (std::size_t i = 0; i < option_table().size(); ++i) {
    const OptionRow& row = option_table()[i];
    CHECK(has(lines[i + 1], std::string(row.key) + " "));
    CHECK(has(lines[i + 1], "(default " + std::string(row.default_text) + ")"));
    CHECK(lines[i + 1].size() < 300);
  }
}
