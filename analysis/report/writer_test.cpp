#include "analysis/report/writer.h"

#include <doctest/doctest.h>

#include <string>

#include "analysis/accounts/account_findings.h"
#include "analysis/report/index_check.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_bound.h"
#include "analysis/report/report_fixture.h"
#include "analysis/report/report_generated.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

const report::Report& read(std::span<const std::byte> image) {
  auto report = check_report(image);
  REQUIRE(report.ok());
  return **report;
}

std::string text(const report::Report& r, std::uint32_t id) { return r.strings()->Get(id)->str(); }

FixtureSizes large() {
  return {.classes = 4000,
          .loaders = 800,
          .packages = 700,
          .threads = 600,
          .objects = 20000,
          .tree = 2000,
          .tops = 50,
          .suspects = 20,
          .hidden = 20,
          .cuts = 20,
          .accounts = 1000,
          .age_ranges = 8,
          .holders = 620,
          .path_steps = 64,
          .name_bytes = 60,
          .graph = true};
}

void check_age_sums(const report::Report& r) {
  const report::AgeFacts& facts = *r.ages();
  const auto& total = *facts.total();
  for (std::uint32_t i = 0; i < facts.ranges()->size(); ++i) {
    std::uint64_t objects = facts.rest_of_classes()->objects()->Get(i);
    std::uint64_t bytes = facts.rest_of_classes()->bytes()->Get(i);
    for (const auto* row : *facts.classes()) {
      objects += row->objects()->Get(i);
      bytes += row->bytes()->Get(i);
    }
    CHECK(objects == total.objects()->Get(i));
    CHECK(bytes == total.bytes()->Get(i));
  }
}

// Whatever is listed: with the rest it comes to what was found.
void check_account_sums(const report::Report& r, const ReportFixture& f) {
  const report::AccountFacts& facts = *r.accounts();
  AccountSums accounts = f.findings.accounts.rest_of_accounts;
  AccountSums pairs = f.findings.accounts.rest_of_pairs;
  for (const AccountGroup& group : f.groups) {
    add(accounts, group.sums);
    add(pairs, group.sums);
  }
  const auto allocated = [](const auto* rows, const report::AccountRow& rest) {
    std::uint64_t bytes = rest.allocated_bytes();
    for (const auto* row : *rows) bytes += row->allocated_bytes();
    return bytes;
  };
  CHECK(allocated(facts.accounts(), *facts.rest_of_accounts()) == accounts.allocated.bytes);
  CHECK(allocated(facts.pairs(), *facts.rest_of_pairs()) == pairs.allocated.bytes);
  CHECK(facts.accounts_total() == f.findings.accounts.accounts.total);
}

}  // namespace

TEST_CASE("the options in the report are text that gives the same options again") {
  const std::string given =
      "on=signal+exit+gc+start+growth,every=90s,heap-above=85%,cgroup-above=99%,cooldown=0,"
      "max-dumps=7,pause=1500ms,then=exit,snapshot=on";
  for (const std::string& wanted : {given, std::string("on=off"), std::string()}) {
    ReportFixture f;
    OptionError error;
    REQUIRE(parse_options(wanted, f.options, error));
    const report::Report& r = read(f.image());
    std::string all;
    for (const auto* option : *r.options())
      all += (all.empty() ? "" : ",") + text(r, option->key()) + "=" + text(r, option->value());
    Options again;
    REQUIRE_MESSAGE(parse_options(all, again, error), error.text);
    CHECK(again.on == f.options.on);
    CHECK(again.every_ns == f.options.every_ns);
    CHECK(again.heap_above_percent == f.options.heap_above_percent);
    CHECK(again.cgroup_above_percent == f.options.cgroup_above_percent);
    CHECK(again.cooldown_ns == f.options.cooldown_ns);
    CHECK(again.pause_ns == f.options.pause_ns);
    CHECK(again.then_exit == f.options.then_exit);
  }
}

TEST_CASE("a small report says what the findings say") {
  ReportFixture f;
  const report::Report& r = read(f.image());
  CHECK(text(r, r.origin()->vm_name()) == "Test VM");
  CHECK(r.origin()->pid() == 4242);
  CHECK(text(r, r.capture()->trigger()) == "command");
  CHECK(r.capture()->pause_ns() == 12'345'678);
  CHECK(r.capture()->kind() == report::DumpKind::Extended);
  REQUIRE(r.notes()->size() == 1);
  CHECK(text(r, r.notes()->Get(0)) == "predicted pause 20 ms");
  REQUIRE(r.graph() != nullptr);
  CHECK(r.graph()->objects() == 8);
  CHECK(r.graph()->shallow_bytes() == 8 * (2 + 3 + 4 + 5 + 6 + 7 + 8 + 9));
  CHECK(r.classes()->size() == 5);
  CHECK(r.classes_total() == 5);
  CHECK(r.classes()->Get(0)->loader() == kNoRow);  // the largest: objects of unknown class
  CHECK(r.classes()->Get(1)->retained_bytes() == 256);
  CHECK(r.rest_of_classes()->instances() == 0);
  CHECK(r.tree()->size() == 3);
  CHECK(r.tree()->Get(2)->object() == kNoRow);
  CHECK(r.tree()->Get(2)->group_instances() == 10);
  CHECK(r.passes()->Get(1)->left_out() != 0);
  CHECK(r.names_cut() == 0);
}

TEST_CASE(
    "a path names each step: fields through the referrer's class, static fields through the class "
    "behind it") {
  ReportFixture f;
  const report::Report& r = read(f.image());
  const report::RootPath& path = *r.suspects()->Get(0)->path();  // to object 0: 5, 6, 7, 0
  REQUIRE(path.steps()->size() == 4);
  CHECK(path.length() == 4);
  CHECK(path.steps()->Get(0)->kind() == report::StepKind::Root);
  CHECK(path.steps()->Get(1)->kind() ==
        report::StepKind::StaticField);  // object 5 is nobody's class object here
  CHECK(path.steps()->Get(1)->name() == 0);
  CHECK(path.steps()->Get(2)->kind() == report::StepKind::InstanceField);
  CHECK(text(r, path.steps()->Get(2)->name()).ends_with("field2"));  // object 6 is of class 6 % 4
  CHECK(path.root_kind() == report::RootKind::StackLocal);
  CHECK(path.thread() == 0);
  CHECK(text(r, path.frame_method()).ends_with("run0"));
  CHECK(text(r, r.suspects()->Get(0)->holder_field()).ends_with("run0"));

  ReportFixture g;
  g.suspects[0].path = g.path_to(4);  // 1, 2, 3, 4: object 3 is the class object of class 3
  const report::Report& s = read(g.image());
  const report::RootPath& second = *s.suspects()->Get(0)->path();
  CHECK(text(s, second.steps()->Get(3)->name()).ends_with("field3"));
  CHECK(text(s, second.steps()->Get(3)->declaring_class()).ends_with("Class3"));
  CHECK(text(s, s.suspects()->Get(0)->holder_field()).ends_with("field3"));
}

TEST_CASE("a static field that is a GC root is told by the first step, and is no frame") {
  ReportFixture f;
  CHECK(read(f.image()).graph()->root_kinds()->size() == 9);  // as readers of 1.2 know them
  f.methods.push_back({f.name("shop.Cache", 1), f.name("entries", 1)});
  f.capture.snapshot.catalog.methods = f.methods;
  f.roots[0] = {ObjectId{5}, ThreadId{}, MethodId{1}, 0, 0, 0, RootKind::kStaticField};
  f.findings.statistics.root_kinds[static_cast<std::size_t>(RootKind::kStaticField)] = {1, 1, 560};
  f.suspects[0].path = f.path_to(0);
  f.suspects[0].path.steps = f.suspects[0].path.steps.first(1);
  f.suspects[0].path.length = 1;
  const report::Report& r = read(f.image());
  const report::RootPath& path = *r.suspects()->Get(0)->path();
  CHECK(path.root_kind() == report::RootKind::StaticField);
  CHECK(path.frame_class() == 0);
  CHECK(path.frame_method() == 0);
  CHECK(path.thread() == kNoRow);
  CHECK(path.steps()->Get(0)->kind() == report::StepKind::StaticField);
  CHECK(text(r, path.steps()->Get(0)->declaring_class()).ends_with("shop.Cache1"));
  CHECK(text(r, path.steps()->Get(0)->name()).ends_with("entries1"));
  CHECK(text(r, r.suspects()->Get(0)->holder_class()).ends_with("shop.Cache1"));
  CHECK(text(r, r.suspects()->Get(0)->holder_field()).ends_with("entries1"));
  REQUIRE(r.graph()->root_kinds()->size() == 10);
  CHECK(r.graph()->root_kinds()->Get(9)->kind() == report::RootKind::StaticField);
  CHECK(r.graph()->root_kinds()->Get(9)->retained_bytes() == 560);
}

TEST_CASE("possible stack slots are listed, and make a thread's locals") {
  ReportFixture f;
  f.findings.statistics.root_kinds[static_cast<std::size_t>(RootKind::kPossibleStackSlot)] = {3, 2,
                                                                                              64};
  const auto& kinds = *read(f.image()).graph()->root_kinds();
  REQUIRE(kinds.size() == kRootKindCount);
  CHECK(kinds.Get(11)->kind() == report::RootKind::PossibleStackSlot);
  CHECK(kinds.Get(11)->objects() == 2);
  CHECK(is_local_root(RootKind::kPossibleStackSlot));
  CHECK_FALSE(is_local_root(RootKind::kHandle));
}

TEST_CASE("pinned handles alone among the later kinds of roots: all kinds are listed") {
  ReportFixture f;
  f.findings.statistics.root_kinds[static_cast<std::size_t>(RootKind::kPinnedHandle)] = {2, 1, 96};
  const auto& kinds = *read(f.image()).graph()->root_kinds();
  REQUIRE(kinds.size() == 11);
  CHECK(kinds.Get(9)->roots() == 0);
  CHECK(kinds.Get(10)->kind() == report::RootKind::PinnedHandle);
  CHECK(kinds.Get(10)->roots() == 2);
}

TEST_CASE("a path that lost its middle does not guess the name after the gap") {
  ReportFixture f;
  f.suspects[0].path.length = 100;
  f.suspects[0].path.left_out_after = 1;
  const report::Report& r = read(f.image());
  const report::RootPath& path = *r.suspects()->Get(0)->path();
  CHECK(path.steps_left_out() == 96);
  CHECK(path.steps()->Get(2)->name() == 0);
}

TEST_CASE("an element whose index is not known is one at 0 or later") {
  ReportFixture f;
  f.suspects[0].path = f.path_to(4);
  f.steps.back()[1].label = special(SpecialRef::kElement);
  f.steps.back()[2].label = RefLabel::element(0);
  const report::Report& r = read(f.image());
  const report::RootPath& path = *r.suspects()->Get(0)->path();
  for (const std::uint32_t step : {1u, 2u}) {
    CHECK(path.steps()->Get(step)->kind() == report::StepKind::Element);
    CHECK(path.steps()->Get(step)->index() == 0);
    CHECK(path.steps()->Get(step)->index_saturated() == (step == 1));
  }
}

TEST_CASE("frames hold their distinct locals") {
  ReportFixture f;
  const report::Report& r = read(f.image());
  REQUIRE(r.threads()->size() == 1);
  const report::ThreadRow& thread = *r.threads()->Get(0);
  REQUIRE(thread.frames()->size() == 3);
  CHECK(thread.frames()->Get(1)->depth() == 1);
  CHECK(thread.frames()->Get(1)->locals() == 1);
  CHECK(thread.frames()->Get(1)->retained_bytes() == 3 * 80);
}

TEST_CASE("reachable sizes stand with the objects and classes that they are of") {
  ReportFixture f;
  const report::Report& r = read(f.image());
  REQUIRE(r.reachable() != nullptr);
  CHECK(r.reachable()->components() == 8);
  CHECK(r.reachable()->reason() == report::EstimateReason::Time);
  CHECK(r.reachable()->error_per_mille() == 89);
  CHECK(r.reachable()->estimated_objects() == 2);
  CHECK(r.reachable()->differences()->size() == 10);
  CHECK(r.reachable()->differences()->Get(0)->up_to_bytes() == 1024);
  CHECK(r.reachable()->differences()->Get(9)->up_to_bytes() == UINT64_MAX);
  REQUIRE(r.reachable()->hidden()->size() == 1);
  const report::ObjectRow& hidden = *r.objects()->Get(r.reachable()->hidden()->Get(0));
  CHECK(hidden.reachable_bytes() == 300);  // object 1
  CHECK(hidden.reachable_estimated());
  const report::ObjectRow& top = *r.objects()->Get(r.top_objects()->Get(1));
  CHECK(top.reachable_bytes() == 900);  // object 7
  CHECK(top.reachable_estimated());
  std::uint32_t told = 0;
  for (const auto* row : *r.objects()) told += row->reachable_bytes() != 0 ? 1 : 0;
  CHECK(told == 3);
  CHECK(r.classes()->Get(0)->largest_reachable_bytes() == 480);
  CHECK(r.rest_of_classes()->largest_reachable_bytes() == 0);
}

TEST_CASE("a cut names its reference as a path does, and its GC root where it is one") {
  ReportFixture f;
  f.cuts[0].referrer = ObjectId{6};
  f.cuts[0].label = RefLabel::instance_field(0);
  const report::Report& r = read(f.image());
  REQUIRE(r.cuts() != nullptr);
  CHECK(r.cuts()->articulation_points() == 7);
  CHECK(r.cuts()->dominating_points() == 8);
  REQUIRE(r.cuts()->cuts()->size() == 2);
  const report::CutRow& field = *r.cuts()->cuts()->Get(0);
  CHECK(field.root() == nullptr);
  CHECK(text(r, r.objects()->Get(field.referrer())->class_name()).ends_with("Class2"));
  CHECK(field.reference()->kind() == report::StepKind::InstanceField);
  CHECK(text(r, field.reference()->name()).ends_with("field2"));
  CHECK(field.references() == 2);
  CHECK(field.freed_bytes() == 4000);
  CHECK(field.articulation_point());
  const report::CutRow& root = *r.cuts()->cuts()->Get(1);
  CHECK(root.referrer() == kNoRow);
  CHECK(root.reference()->kind() == report::StepKind::Root);
  REQUIRE(root.root() != nullptr);
  CHECK(root.root()->root_kind() == report::RootKind::StackLocal);
  CHECK(text(r, root.root()->frame_method()).ends_with("run0"));
  CHECK(root.root()->thread() == 0);
  REQUIRE(r.cuts()->most_references()->size() == 2);
  CHECK(r.cuts()->most_references()->Get(0)->references() == 9);
  CHECK(r.cuts()->most_referrers()->Get(1)->referrers() == 8);
}

TEST_CASE("a cut of a static field that is a GC root names the field") {
  ReportFixture f;
  f.methods.push_back({f.name("shop.Cache", 1), f.name("entries", 1)});
  f.capture.snapshot.catalog.methods = f.methods;
  f.roots[1] = {ObjectId{1}, ThreadId{}, MethodId{1}, 0, 0, 0, RootKind::kStaticField};
  const report::Report& r = read(f.image());
  const report::CutRow& root = *r.cuts()->cuts()->Get(1);
  CHECK(root.reference()->kind() == report::StepKind::StaticField);
  CHECK(text(r, root.reference()->name()).ends_with("entries1"));
  CHECK(root.root()->root_kind() == report::RootKind::StaticField);
}

TEST_CASE("reachable sizes and cuts that were left out are absent") {
  ReportFixture f;
  f.findings.reachable = {};
  f.findings.cuts = {};
  const report::Report& r = read(f.image());
  CHECK(r.reachable() == nullptr);
  CHECK(r.cuts() == nullptr);
}

TEST_CASE("accounts are told with the standard errors of their sums") {
  ReportFixture f;
  const report::Report& r = read(f.image());
  const report::AccountFacts& facts = *r.accounts();
  CHECK(facts.mode() == report::AccountMode::Sampled);
  const report::AccountRow& row = *facts.accounts()->Get(0);
  CHECK(text(r, row.account()).ends_with("shop.account0"));
  CHECK(row.allocated_bytes() == 102'000);
  CHECK(row.allocated_bytes_error() == 1010);  // the root of 1,020,000
  CHECK(row.allocated_objects_error() == 4);
  CHECK(row.live_bytes_error() == 1);
  CHECK(row.principal() == 0);
  CHECK(text(r, facts.pairs()->Get(0)->principal()).ends_with("shop.account1"));
  CHECK(text(r, facts.methods()->Get(1)->method()).ends_with("shop.Main.make1"));
  CHECK(facts.rest_of_accounts()->allocated_bytes() == 100'000);
}

TEST_CASE("without accounting there are no accounts") {
  ReportFixture f({.accounts = 0});
  CHECK(read(f.image()).accounts() == nullptr);
}

TEST_CASE("ages are told by class, those first whose old objects take the most") {
  ReportFixture f;
  const report::Report& r = read(f.image());
  const report::AgeFacts& facts = *r.ages();
  CHECK(facts.source() == report::AgeSource::Header);
  REQUIRE(facts.ranges()->size() == 4);
  CHECK(facts.ranges()->Get(2) == 2);
  CHECK(facts.ranges()->Get(3) == 4294967294u);
  CHECK(facts.classes_total() == 5);
  const report::AgeClassRow& first = *facts.classes()->Get(0);
  CHECK(first.objects()->Get(3) == 5);  // of unknown class
  CHECK(first.bytes()->Get(3) == 80);
  CHECK(first.distinct_ages() == 3);
  CHECK(text(r, facts.classes()->Get(1)->class_name()).ends_with("2"));
  CHECK(facts.classes()->Get(3)->objects()->Get(3) == 0);  // nothing old: the larger first
  CHECK(facts.classes()->Get(3)->objects()->Get(0) == 4);
  check_age_sums(r);
}

TEST_CASE("objects that the report tells of have their numbers, a new one since this dump") {
  ReportFixture f;
  const report::Report& r = read(f.image());
  const report::TrackFacts& facts = *r.tracking();
  CHECK(facts.began_utc_ms() == 1'680'000'000'000);
  CHECK(facts.known() == 2);
  CHECK(facts.named() == 2);
  CHECK(facts.gone() == 2);
  CHECK(facts.unfollowed() == 1);
  REQUIRE(facts.objects()->size() == 3);  // object 3 is not among those
  for (const report::TrackedRow* row : *facts.objects()) {
    const bool known = row->number() % 2 == 1;
    CHECK(row->number() != 20);
    CHECK(row->first_sequence() == (known ? 3 : f.record.sequence));
    CHECK(row->first_utc_ms() == (known ? 1'690'000'000'000 : f.record.started_utc_ms));
  }
}

TEST_CASE("every number that an agent can know has room in a report at its limits") {
  FixtureSizes sizes = large();
  sizes.tracked = kMaxReportTracked;
  ReportFixture f(sizes);
  const auto image = f.image();
  CHECK(image.size() < kMaxReportBytes);
  CHECK(read(image).tracking()->objects()->size() == kMaxReportTracked);
}

TEST_CASE("where objects are not tracked nothing is told of it") {
  ReportFixture f({.tracked = 0});
  CHECK(read(f.image()).tracking() == nullptr);
}

TEST_CASE("without ages there are none") {
  ReportFixture f({.age_ranges = 0, .aging = 0});
  CHECK(read(f.image()).ages() == nullptr);
  CHECK(read(f.image()).aging() == nullptr);
}

TEST_CASE(
    "aging: what piled up, and samples by class, those first whose old objects take the most") {
  ReportFixture f({.aging = 3});
  const report::Report& r = read(f.image());
  const report::AgingFacts& facts = *r.aging();
  CHECK(facts.collections() == 90);
  CHECK(facts.looked_utc_ms() == 7);
  CHECK(facts.looks() == 8);
  CHECK(facts.sampled_told());
  CHECK(facts.sample_interval_bytes() == 65'536);
  REQUIRE(facts.suspects()->size() == 2);
  const report::AgingSuspect& suspect = *facts.suspects()->Get(1);
  CHECK(text(r, suspect.class_name()) == "shop.Pile1");
  CHECK(suspect.instances() == 101);
  CHECK(suspect.more_instances() == 60);
  CHECK(suspect.ages() == 7);
  CHECK(suspect.confidence_percent() == 99);
  REQUIRE(facts.classes()->size() == 3);
  CHECK(facts.classes_total() == 3);
  const report::AgingClassRow& row = *facts.classes()->Get(0);
  CHECK(text(r, row.class_name()).ends_with("sampled2"));
  CHECK(row.samples() == 5);
  CHECK(row.live_objects() == 500);
  CHECK(row.live_bytes() == 8000);
  CHECK(row.old_objects() == 200);
  CHECK(row.old_bytes() == 3200);
  CHECK(row.live_ages()->size() == kAgeDoublings);
  CHECK(row.died_samples() == 5);
  REQUIRE(row.died_ages()->size() == 2);
  CHECK(row.died_ages()->Get(1) == 500);
  CHECK(row.born_before() == 2);
  CHECK(facts.classes()->Get(2)->live_ages()->size() == 1);  // nothing old
}

TEST_CASE("collections: what is known, and since the report before; none where the VM tells none") {
  ReportFixture f;
  CHECK(read(f.image()).collections() == nullptr);
  f.record.collections = {41, 2, 312'000'000};
  f.record.collections.last_pause_ns = 7;
  f.record.collections.heard = {38, 500, 12, 1000, 80, 30};
  const report::CollectionFacts* facts = read(f.image()).collections();
  REQUIRE(facts != nullptr);
  CHECK(facts->young() == 41);
  CHECK(facts->full() == 2);
  CHECK(facts->concurrent() == kUnknownCount);
  CHECK(facts->pause_ns() == 312'000'000);
  CHECK(facts->last_pause_ns() == 7);
  CHECK(facts->heard() == 38);
  CHECK(facts->heard_since_utc_ms() == 500);
  CHECK(facts->longest_pause_ns() == 12);
  CHECK(facts->reclaimed_bytes() == 1000);
  CHECK(facts->before_bytes() == 80);
  CHECK(facts->after_bytes() == 30);
  CHECK(facts->last_report_utc_ms() == 0);
  CHECK(facts->since_report_young() == kUnknownCount);
  f.record.last_report_utc_ms = 9;
  f.record.collections_reported = {40, 2, 300'000'000};
  f.record.collections_reported.heard = {37, 500, 12, 900, 80, 30};
  facts = read(f.image()).collections();
  CHECK(facts->last_report_utc_ms() == 9);
  CHECK(facts->since_report_young() == 1);
  CHECK(facts->since_report_full() == 0);
  CHECK(facts->since_report_concurrent() == kUnknownCount);
  CHECK(facts->since_report_pause_ns() == 12'000'000);
  CHECK(facts->since_report_reclaimed_bytes() == 100);
  f.record.collections_reported.heard.since_utc_ms = 400;  // nobody listened in between
  CHECK(read(f.image()).collections()->since_report_reclaimed_bytes() == kUnknownCount);
}

TEST_CASE("a simple dump lists classes and sums up loaders from the histogram") {
  ReportFixture f({.graph = false});
  const report::Report& r = read(f.image());
  CHECK(r.graph() == nullptr);
  CHECK(r.capture()->kind() == report::DumpKind::Simple);
  CHECK(r.classes()->size() == 5);
  CHECK(r.classes()->Get(0)->instances() == 5);
  std::uint64_t instances = 0;
  for (const auto* loader : *r.loaders()) instances += loader->instances();
  CHECK(instances == 1 + 2 + 3 + 4);
}

TEST_CASE("an empty snapshot gives a report") {
  ReportFixture f({.classes = 1,
                   .loaders = 1,
                   .packages = 0,
                   .threads = 1,
                   .objects = 1,
                   .tree = 0,
                   .tops = 0,
                   .suspects = 0});
  f.capture.snapshot = Snapshot{};
  f.findings = Findings{};
  const report::Report& r = read(f.image());
  CHECK(r.classes()->size() == 0);
  CHECK(r.graph()->objects() == 0);
}

TEST_CASE("a large report stays under 2 MB with every list at its limit") {
  ReportFixture f(large());
  const auto image = f.image();
  const report::Report& r = read(image);
  MESSAGE("report of 4000 classes, 2000 tree nodes, 20 suspects, 70 paths of 64 steps: "
          << image.size() << " bytes");
  CHECK(image.size() < kMaxReportBytes);
  CHECK(r.tree()->size() == kMaxReportTree);
  CHECK(r.suspects()->size() == kMaxReportSuspects);
  CHECK(r.suspects_total() == large().suspects);
  CHECK(r.top_paths()->size() == kMaxReportTopObjects);
  CHECK(r.reachable()->hidden()->size() == kMaxReportHidden);
  CHECK(r.cuts()->cuts()->size() == kMaxReportCuts);
  CHECK(r.cuts()->most_referrers()->size() == kMaxReportImportant);
  CHECK(r.accounts()->accounts()->size() == kMostAccounts);
  check_account_sums(r, f);
  CHECK(r.ages()->classes()->size() > 100);
  check_age_sums(r);
  CHECK(r.loaders()->size() == kMaxReportLoaders);
  CHECK(r.rest_of_loaders()->class_count() == 2 * 300);
  CHECK(r.rest_of_packages()->class_count() == 200);
  CHECK(r.threads()->size() == kMaxReportThreads);
  CHECK(r.threads_total() == 600);
  std::uint64_t instances = r.rest_of_classes()->instances();
  for (const auto* row : *r.classes()) instances += row->instances();
  CHECK(instances == std::uint64_t{4001} * 4002 / 2);
  CHECK(r.classes()->size() == 4000);
  CHECK(f.arena.used_bytes() < kMaxReportBytes + (1u << 20) + (256u << 10));
}

TEST_CASE("names too long for everything cost classes, never the 2 MB") {
  FixtureSizes sizes = large();
  sizes.classes = 9000;
  sizes.name_bytes = 500;
  ReportFixture f(sizes);
  const auto image = f.image();
  const report::Report& r = read(image);
  CHECK(image.size() < kMaxReportBytes);
  CHECK(r.classes()->size() > 300);
  CHECK(r.classes()->size() < 4000);
  CHECK(r.tree()->size() == kMaxReportTree);
  CHECK(r.names_cut() > 0);
  CHECK(r.accounts()->accounts()->size() > 50);
  CHECK(r.accounts()->accounts()->size() < 1000);
  check_account_sums(r, f);
  CHECK(r.ages()->classes()->size() > 10);
  check_age_sums(r);
  std::uint64_t instances = r.rest_of_classes()->instances();
  for (const auto* row : *r.classes()) instances += row->instances();
  CHECK(instances == std::uint64_t{9001} * 9002 / 2);
}

TEST_CASE("long names lose their middle, foreign bytes become question marks") {
  ReportFixture f;
  const std::string prefix = "beginn";
  std::string longest = prefix;
  for (int i = 0; i < 600; ++i) longest += "ü";
  Evidence evidence[1] = {};
  f.capture.snapshot.catalog.strings = *StringTable::make(f.names, 16, 8192);
  f.classes[3].name = f.capture.snapshot.catalog.strings.intern(longest);
  std::snprintf(f.record.host, sizeof f.record.host, "h\xffst");
  std::snprintf(evidence[0].text, sizeof evidence[0].text, "ok");
  f.suspects[0].evidence = evidence;
  const report::Report& r = read(f.image());
  CHECK(text(r, r.origin()->host()) == "h?st");
  CHECK(r.names_cut() >= 1);
  bool found = false;
  for (const auto* name : *r.strings()) {
    if (!name->str().starts_with("beginn")) continue;
    found = true;
    CHECK(name->size() <= kMaxReportNameBytes);
    CHECK(name->str().find("…") != std::string::npos);
  }
  CHECK(found);
}

TEST_CASE("little memory: the lists shrink before the report is given up") {
  ReportFixture f(large(), 1'100'000);
  const report::Report& r = read(f.image());
  CHECK(r.tree()->size() < kMaxReportTree);
  CHECK(r.suspects()->size() >= 1);
  CHECK(r.loaders_total() == 800);

  ReportFixture g(large(), 100'000);
  const auto refused = g.write();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CHECK(g.arena.used_bytes() == 0);
}

TEST_CASE("equal findings give equal reports") {
  ReportFixture a;
  ReportFixture b;
  const auto x = a.image();
  const auto y = b.image();
  CHECK(std::equal(x.begin(), x.end(), y.begin(), y.end()));
}
