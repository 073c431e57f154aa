#include "cli/gate/judgement.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kMega = 1024 * 1024;

ClassView class_row(std::string_view name, std::string_view loader, std::uint64_t instances,
                    std::uint64_t shallow, std::uint64_t retained) {
  ClassView row;
  row.name = name;
  row.loader = loader;
  row.instances = instances;
  row.shallow_bytes = shallow;
  row.retained_bytes = retained;
  row.largest_retained_bytes = retained / 2;
  return row;
}

SetView set_row(std::string_view name, std::uint64_t classes, std::uint64_t instances,
                std::uint64_t shallow, std::uint64_t retained, bool builtin = false) {
  return {name, classes, instances, shallow, retained, builtin};
}

// An extended dump that lists every class and package.
ReportView whole_report() {
  ReportView view;
  view.graph.emplace();
  view.graph->held_objects = 1000;
  view.graph->held_bytes = 100 * kMega;
  view.graph->dominator_depth = 9;
  view.dump.extended = true;
  view.dump.heap_used_before_bytes = 120 * kMega;
  view.dump.heap_max_bytes = 200 * kMega;
  view.passes = {{"dominators", "", 1, 1, 1}, {"suspects", "", 1, 1, 1}};
  view.suspects_unlisted = 0;
  view.classes = {class_row("com.acme.Session", "app", 40, 4000, 60 * kMega),
                  class_row("com.acme.data.Row", "app", 500, 50'000, 50 * kMega),
                  class_row("java.lang.String", "boot", 460, 46'000, 5 * kMega)};
  view.classes_total = 3;
  view.packages = {set_row("com.acme", 1, 40, 4000, 60 * kMega),
                   set_row("com.acme.data", 1, 500, 50'000, 50 * kMega),
                   set_row("java.lang", 1, 460, 46'000, 5 * kMega)};
  view.packages_total = 3;
  view.loaders = {set_row("app", 2, 540, 54'000, 65 * kMega, true),
                  set_row("boot", 1, 460, 46'000, 5 * kMega, true)};
  view.loaders_total = 2;
  return view;
}

// The same with 5 classes of 70 instances and 7,000 bytes in all that it does not list, in packages that it lists or not.
ReportView cut_report() {
  ReportView view = whole_report();
  view.classes_total = 8;
  view.rest_of_classes = class_row("", "", 70, 7000, 0);
  view.loaders[0].instances += 70;
  view.loaders[0].shallow_bytes += 7000;
  view.packages[0].instances += 10;
  view.packages[0].shallow_bytes += 1000;
  view.packages_total = 5;
  view.rest_of_packages = set_row("", 2, 30, 3000, 0);
  return view;
}

Judgement judged(const std::string& text, const ReportView& view,
                 const ReportView* baseline = nullptr) {
  return judge(parse_assertion(text), view, baseline);
}

void check_ruling(const std::string& text, const ReportView& view, Ruling ruling,
                  const std::string& said = "") {
  const Judgement judgement = judged(text, view);
  CHECK_MESSAGE(judgement.ruling == ruling, text, ": ", sentence_of(judgement));
  CHECK_MESSAGE(sentence_of(judgement).find(said) != std::string::npos, sentence_of(judgement));
}

}  // namespace

TEST_CASE("judgement: what a report lists is exact") {
  const ReportView view = whole_report();
  check_ruling("com.acme.Session.instances <= 40", view, Ruling::kHolds, "found 40");
  check_ruling("com.acme.Session.instances <= 10", view, Ruling::kFails,
               "found 40, 30 more than allowed");
  check_ruling("com.acme.Session.instances < 40", view, Ruling::kFails, "just what is not allowed");
  check_ruling("com.acme.Session.instances >= 41", view, Ruling::kFails, "1 less than demanded");
  check_ruling("com.acme.Session.instances == 40", view, Ruling::kHolds);
  check_ruling("com.acme.Session.instances != 40", view, Ruling::kFails);
  check_ruling("com.acme.Session.instances > 39", view, Ruling::kHolds);
  check_ruling("com.acme.Session.retained < 50MB", view, Ruling::kFails, "10.0 MB more");
  check_ruling("com.acme.Session.largest == 30MB", view, Ruling::kHolds);
  check_ruling("com.acme.Session.retained < 61%", view, Ruling::kHolds);
  check_ruling("com.acme.*.instances == 540", view, Ruling::kHolds);
  check_ruling("*.shallow == 100000", view, Ruling::kHolds);
  check_ruling("loader:app.retained == 65MB", view, Ruling::kHolds);
  check_ruling("package:com.acme.classes == 1", view, Ruling::kHolds);
  check_ruling("total.instances == 1k", view, Ruling::kHolds);
  check_ruling("total.retained == 100MB", view, Ruling::kHolds);
  check_ruling("heap.used < 60%", view, Ruling::kFails, "just what");
  check_ruling("heap.used <= 60%", view, Ruling::kHolds);
  check_ruling("suspects == 0", view, Ruling::kHolds);
}

TEST_CASE("judgement: states of the heap; a capture passes over garbage, which then is a range") {
  ReportView view = whole_report();
  check_ruling("state:final.instances < 10", view, Ruling::kUndecided, "by state");
  StateView strong, final, garbage;
  strong.state = HeapState::kStrong;
  strong.objects = 1000;
  strong.shallow_bytes = 100 * kMega;
  final.state = HeapState::kFinal;
  final.objects = 200;
  final.shallow_bytes = 8 * kMega;
  garbage.state = HeapState::kUnreachable;
  view.states = StatesView{{strong, final, garbage}, {}};
  check_ruling("state:final.instances < 201", view, Ruling::kHolds, "found 200");
  check_ruling("state:final.instances < 200", view, Ruling::kFails);
  check_ruling("state:final.shallow <= 5%", view, Ruling::kFails);  // of 120 MB in use
  check_ruling("state:final.shallow <= 7%", view, Ruling::kHolds);
  check_ruling("state:phantom.instances == 0", view, Ruling::kHolds);
  // 12 of 120 MB in use are not in the graph.
  check_ruling("state:unreachable.shallow <= 12MB", view, Ruling::kHolds);
  check_ruling("state:unreachable.shallow <= 11MB", view, Ruling::kUndecided,
               "12.0 MB of the heap");
  check_ruling("state:unreachable.instances == 0", view, Ruling::kUndecided);
  // Counted afterwards: 3 MB in 40 objects, and 1 MB that could not be read.
  view.states->unreached = UnreachedView{};
  view.states->unreached->objects = 40;
  view.states->unreached->shallow_bytes = std::uint64_t{3} << 20;
  view.states->unreached->unread_bytes = std::uint64_t{1} << 20;
  check_ruling("state:unreachable.shallow <= 4MB", view, Ruling::kHolds);
  check_ruling("state:unreachable.shallow <= 3MB", view, Ruling::kUndecided);
  check_ruling("state:unreachable.shallow <= 2MB", view, Ruling::kFails);
  view.states->unreached->unread_bytes = 0;
  check_ruling("state:unreachable.instances == 40", view, Ruling::kHolds);
  view.states->unreached.reset();
  view.dump.rung = "imported";
  check_ruling("state:unreachable.shallow == 0", view, Ruling::kHolds);
}

TEST_CASE("judgement: no class of the name is 0 only where none can hide") {
  check_ruling("com.acme.Sesion.instances <= 10", whole_report(), Ruling::kHolds,
               "no class of this report matches; the nearest name is com.acme.Session");
  check_ruling("org.other.Thing.instances == 0", whole_report(), Ruling::kHolds, "no class of");
  // 10 more may be in com.acme, 30 in packages that are not listed.
  check_ruling("com.acme.Gone.instances <= 10", cut_report(), Ruling::kHolds);
  check_ruling("com.acme.Gone.instances <= 9", cut_report(), Ruling::kUndecided,
               "does not list 5 classes by name");
  check_ruling("org.other.Thing.instances <= 29", cut_report(), Ruling::kUndecided,
               "between 0 and 30");
  check_ruling("org.other.Thing.instances <= 30", cut_report(), Ruling::kHolds);
  check_ruling("org.other.Thing.retained < 50MB", cut_report(), Ruling::kUndecided);
}

TEST_CASE("judgement: the class of a built-in loader cannot hide once more behind another") {
  check_ruling("com.acme.Session.instances == 40", cut_report(), Ruling::kHolds);
  ReportView webapps = cut_report();
  webapps.loaders.push_back(set_row("webapp", 1, 20, 2000, 0));
  check_ruling("com.acme.Session.instances == 40", webapps, Ruling::kUndecided,
               "between 40 and 50");
  check_ruling("com.acme.Session.instances > 40", webapps, Ruling::kUndecided);
  check_ruling("com.acme.Session.instances < 51", webapps, Ruling::kHolds);
  check_ruling("com.acme.Session.instances < 40", webapps, Ruling::kFails);
  ReportView one_for_all = cut_report();  // as in dumps that do not tell loaders
  one_for_all.loaders = {set_row("", 8, 1070, 107'000, 100 * kMega)};
  for (ClassView& row : one_for_all.classes) row.loader = {};
  check_ruling("com.acme.Session.instances == 40", one_for_all, Ruling::kUndecided);
  one_for_all.loaders[0].name = "unknown";
  for (ClassView& row : one_for_all.classes) row.loader = "unknown";
  check_ruling("com.acme.Session.instances == 40", one_for_all, Ruling::kUndecided);
}

TEST_CASE("judgement: what several classes retain is between the largest and the sum") {
  const ReportView view = whole_report();
  check_ruling("com.acme.*.retained < 50MB", view, Ruling::kFails, "between 60.0 MB and 100.0 MB");
  check_ruling("com.acme.*.retained < 80MB", view, Ruling::kUndecided, "overlap");
  check_ruling("com.acme.*.retained <= 100MB", view, Ruling::kHolds);
  ReportView with_tree = view;  // two subtrees that share nothing
  TreeNodeView session, row;
  session.object = ObjectView{0, "com.acme.Session", "app", "", 100, 50 * kMega};
  session.retained_bytes = 50 * kMega;
  row.id = 1;
  row.group_class = "com.acme.data.Row";
  row.retained_bytes = 40 * kMega;
  with_tree.tree = {session, row};
  check_ruling("com.acme.*.retained < 80MB", with_tree, Ruling::kFails, "between 90.0 MB");
  with_tree.tree[1].parent = 0;  // one below the other
  check_ruling("com.acme.*.retained < 80MB", with_tree, Ruling::kUndecided);
}

TEST_CASE("judgement: what was not looked for is not known") {
  ReportView simple = whole_report();
  simple.graph.reset();
  simple.dump.extended = false;
  check_ruling("com.acme.Session.retained < 50MB", simple, Ruling::kUndecided, "a simple dump");
  check_ruling("total.retained < 50MB", simple, Ruling::kUndecided, "a simple dump");
  check_ruling("suspects == 0", simple, Ruling::kUndecided, "not looked for");
  check_ruling("com.acme.Session.instances <= 40", simple, Ruling::kHolds);
  simple.dump.extended = true;
  check_ruling("com.acme.Session.retained < 50MB", simple, Ruling::kUndecided, "analyze");
  ReportView partial = whole_report();
  partial.graph->dominator_depth = 0;
  partial.passes[1].left_out = "not chosen";
  check_ruling("com.acme.Session.retained < 50MB", partial, Ruling::kUndecided, "left out");
  check_ruling("suspects == 0", partial, Ruling::kUndecided, "not looked for");
  // As the agent writes it where no dominators were asked for: zeros, which are no figures.
  ReportView counted = partial;
  counted.passes.clear();
  counted.graph->held_objects = counted.graph->held_bytes = 0;
  for (ClassView& row : counted.classes) row.retained_bytes = row.largest_retained_bytes = 0;
  for (SetView& row : counted.loaders) row.retained_bytes = 0;
  for (const char* hidden : {"com.acme.Session.retained <= 1KB", "total.retained <= 1KB",
                             "loader:*.retained <= 1KB", "package:*.retained <= 1KB"})
    check_ruling(hidden, counted, Ruling::kUndecided, "not asked for");
  check_ruling("total.shallow <= 1KB", counted, Ruling::kFails);
  ReportView no_loaders = whole_report();
  for (SetView& row : no_loaders.loaders) row.retained_bytes = 0;
  check_ruling("loader:*.retained <= 1KB", no_loaders, Ruling::kUndecided, "of loaders");
  ReportView no_classes = whole_report();
  no_classes.passes.push_back({"classes", "needs 600 MB, 428 MB are left"});
  check_ruling("com.acme.None.instances <= 10", no_classes, Ruling::kUndecided,
               "classes were left out");
  check_ruling("com.acme.Session.reachable < 50MB", whole_report(), Ruling::kUndecided,
               "this report has no reachable sizes");
  ReportView imported = whole_report();
  imported.dump.heap_used_before_bytes = imported.dump.heap_max_bytes = 0;
  check_ruling("heap.used < 80%", imported, Ruling::kUndecided, "does not say how large");
  imported.dump.heap_used_before_bytes = 1;
  check_ruling("heap.used < 80%", imported, Ruling::kUndecided, "may become");
  ReportView many = whole_report();
  many.suspects.resize(20);
  check_ruling("suspects <= 20", many, Ruling::kUndecided, "at least 20");
  check_ruling("suspects <= 19", many, Ruling::kFails, "at least 20");
}

TEST_CASE("judgement: reachable sizes are of the single object that reaches most") {
  ReportView view = whole_report();
  view.reachable.emplace();
  for (ClassView& row : view.classes) row.largest_reachable_bytes = row.retained_bytes / 4;
  check_ruling("com.acme.Session.reachable == 15MB", view, Ruling::kHolds);
  check_ruling("com.acme.*.reachable <= 15MB", view, Ruling::kHolds);
  check_ruling("com.acme.*.reachable < 15MB", view, Ruling::kFails);
  check_ruling("com.acme.None.reachable == 0", view, Ruling::kHolds);
  check_ruling("total.reachable < 1MB", view, Ruling::kUndecided, "of objects and classes alone");
  check_ruling("package:com.acme.reachable < 1MB", view, Ruling::kUndecided, "alone");
  view.reachable->error_per_mille = 100;
  view.classes[0].reachable_estimated = true;
  check_ruling("com.acme.Session.reachable < 16MB", view, Ruling::kUndecided, "an estimate");
  check_ruling("com.acme.Session.reachable < 20MB", view, Ruling::kHolds);
  check_ruling("com.acme.Session.reachable < 10MB", view, Ruling::kFails);
  ReportView cut = cut_report();
  cut.reachable.emplace();
  check_ruling("com.acme.*.reachable < 50MB", cut, Ruling::kUndecided, "does not list");
  view.losses.roots_dropped = 1;
  check_ruling("java.lang.String.reachable < 50MB", view, Ruling::kUndecided, "incomplete");
}

TEST_CASE("judgement: suspects that a report has no room for count") {
  ReportView small = whole_report();
  small.suspects.resize(5);
  for (std::size_t i = 0; i < 5; ++i) small.suspects[i].confidence_percent = i < 2 ? 90 : 20;
  check_ruling("suspects == 5", small, Ruling::kHolds);
  check_ruling("suspects.loud == 2", small, Ruling::kHolds);
  small.suspects_unlisted = 4;
  check_ruling("suspects == 9", small, Ruling::kHolds);
  check_ruling("suspects <= 8", small, Ruling::kFails);
  check_ruling("suspects.loud <= 6", small, Ruling::kHolds);
  check_ruling("suspects.loud <= 5", small, Ruling::kUndecided, "does not list 4 suspects");
  check_ruling("suspects.loud < 2", small, Ruling::kFails);
  small.suspects_unlisted.reset();
  check_ruling("suspects <= 5", small, Ruling::kUndecided, "of an older version");
  check_ruling("suspects <= 4", small, Ruling::kFails);
}

TEST_CASE("judgement: what the capture lost may be of any class") {
  ReportView lost = whole_report();
  lost.losses.references_to_unknown = 3;
  check_ruling("com.acme.Session.instances <= 40", lost, Ruling::kUndecided, "incomplete");
  check_ruling("com.acme.Session.instances <= 39", lost, Ruling::kFails, "at least 40");
  check_ruling("com.acme.Session.retained <= 1MB", lost, Ruling::kUndecided, "incomplete");
  check_ruling("suspects == 0", lost, Ruling::kUndecided);
  check_ruling("com.acme.Session.instances < 50%", lost, Ruling::kUndecided);
  lost.losses.imported =
      true;  // healthy dumps of other tools name objects that they do not contain
  check_ruling("com.acme.Session.instances <= 40", lost, Ruling::kHolds);
  lost.losses.objects_unknown_class = 5;
  check_ruling("com.acme.Session.instances <= 40", lost, Ruling::kUndecided, "unknown class");
  check_ruling("com.acme.Session.instances <= 45", lost, Ruling::kHolds);
  check_ruling("com.acme.Session.shallow <= 4000", lost, Ruling::kUndecided);
}

TEST_CASE("judgement: names that the report cut may be meant") {
  ReportView cut = whole_report();
  cut.packages_total = 0;
  cut.packages.clear();
  cut.classes.push_back(class_row("com.acme.Gene…rated", "app", 7, 700, 7));
  cut.classes.push_back(class_row("…", "app", 2, 200, 2));
  cut.classes_total = 5;
  check_ruling("com.acme.Session.instances <= 40", cut, Ruling::kUndecided, "between 40 and 42");
  check_ruling("com.acme.G*.instances <= 8", cut, Ruling::kUndecided, "between 7 and 9");
  check_ruling("org.*Proxy.instances <= 1", cut, Ruling::kUndecided, "between 0 and 2");
  check_ruling("com.*Proxy.instances <= 2", cut, Ruling::kHolds);
  check_ruling("com.acme.*.instances == 549", cut, Ruling::kUndecided);
  cut.classes.back().name = "";  // lost by the capture
  check_ruling("org.*Proxy.instances <= 1", cut, Ruling::kUndecided, "between 0 and 2");
  ReportView arrays = whole_report();  // the set without a name is that of arrays
  arrays.packages.push_back(set_row("", 1, 9, 900, 9));
  arrays.packages_total = 4;
  check_ruling("com.acme.*.instances == 540", arrays, Ruling::kHolds);
}

TEST_CASE("judgement: sums do not begin anew at 0") {
  ReportView view = whole_report();
  view.classes[0].instances = view.classes[1].instances = std::uint64_t{1} << 63;
  view.packages.clear();
  view.packages_total = 0;
  check_ruling("com.acme.*.instances <= 10", view, Ruling::kFails);
  view.classes[0].retained_bytes = view.classes[1].retained_bytes = std::uint64_t{1} << 63;
  view.graph->held_bytes = UINT64_MAX;
  check_ruling("com.acme.*.retained <= 1", view, Ruling::kFails);
  ReportView lost = whole_report();
  lost.losses.roots_dropped = lost.losses.references_to_unknown = std::uint64_t{1} << 63;
  check_ruling("com.acme.Session.instances <= 40", lost, Ruling::kUndecided, "incomplete");
}

TEST_CASE("judgement: growth is this report less the baseline, bound by bound") {
  ReportView now = whole_report();
  now.origin.started_utc_ms = 2000;
  ReportView before = whole_report();
  before.origin.started_utc_ms = 1000;
  before.classes[0].instances = 30;
  const auto ruling = [&](const std::string& text) { return judged(text, now, &before).ruling; };
  CHECK(ruling("growth(com.acme.Session.instances) <= 10") == Ruling::kHolds);
  CHECK(ruling("growth(com.acme.Session.instances) <= 9") == Ruling::kFails);
  CHECK(ruling("growth(com.acme.Session.instances) <= 34%") == Ruling::kHolds);
  CHECK(ruling("growth(com.acme.Session.instances) <= 33%") == Ruling::kFails);
  CHECK(ruling("growth(heap.used) == 0") == Ruling::kHolds);
  CHECK(ruling("growth(suspects) <= 0") == Ruling::kHolds);
  ReportView later = before;
  later.origin.started_utc_ms = 3000;
  CHECK(judged("growth(com.acme.Session.instances) <= -1", later, &now).ruling == Ruling::kHolds);
  const Judgement lone = judged("growth(heap.used) == 0", now);
  CHECK(lone.why == "growth needs a baseline");

  ReportView unsure = cut_report();
  unsure.origin.started_utc_ms = 1000;
  const Judgement gone = judged("growth(org.Gone.instances) <= 0", now, &unsure);
  CHECK(gone.ruling == Ruling::kHolds);
  CHECK(found_text(gone) == "between -30 and 0");
  CHECK(judged("growth(org.Gone.instances) >= 0", now, &unsure).why.starts_with("of the baseline"));
  CHECK(judged("growth(org.Gone.instances) <= 5%", now, &unsure).ruling == Ruling::kUndecided);
}

TEST_CASE("judgement: what counts otherwise, the same dump and a later baseline are no growth") {
  ReportView now = whole_report();
  now.origin.started_utc_ms = 2000;
  ReportView before = whole_report();
  before.origin.started_utc_ms = 1000;
  const auto check = [](const ReportView& view, const ReportView& baseline, Ruling of_heap,
                        const std::string& said) {
    for (const char* text :
         {"growth(com.acme.Session.instances) <= 10", "growth(total.instances) <= 10"}) {
      const Judgement judgement = judged(text, view, &baseline);
      CHECK(judgement.ruling == Ruling::kUndecided);
      CHECK_MESSAGE(judgement.why.find(said) != std::string::npos, judgement.why);
    }
    CHECK(judged("growth(heap.used) <= 10", view, &baseline).ruling == of_heap);
  };
  check(before, now, Ruling::kUndecided, "the baseline is the later one");
  check(now, now, Ruling::kUndecided, "the same dump");

  ReportView simple = before, garbage = now;
  simple.graph.reset();
  simple.dump.extended = false;
  check(now, simple, Ruling::kHolds, "the baseline counts what any reference reaches, this report");
  garbage.graph.reset();
  garbage.dump.extended = false;
  garbage.dump.rung = "histogram";
  check(garbage, simple, Ruling::kHolds, "this report the whole heap, garbage included");
  ReportView weak = before;
  weak.options = {{"retain", "soft+weak"}};
  check(now, weak, Ruling::kHolds, "what holds an object differs");
  weak.graph.reset();
  ReportView written = now;
  written.graph.reset();
  check(written, weak, Ruling::kHolds, "what holds an object differs");
  ReportView mat = before;
  mat.notes = {"by Eclipse MAT's rules"};
  check(now, mat, Ruling::kHolds, "Eclipse MAT's rules");
  ReportView imported = before;
  imported.dump.rung = "imported";
  check(now, imported, Ruling::kHolds, "imported from a dump of another tool");

  weak.options.clear();  // written to a file, but counted as the graph is
  CHECK(judged("growth(com.acme.Session.instances) <= 0", now, &weak).ruling == Ruling::kHolds);
}

TEST_CASE("judgement: accounts are known within three standard errors") {
  ReportView view = whole_report();
  AccountView shop;
  shop.account = "shop.*";
  shop.allocated = {1000, 1000 * kMega, 0, 0};
  shop.since_report = {100, 100 * kMega, 10, 10 * kMega};
  shop.live = {50, 60 * kMega, 5, 3 * kMega};
  shop.calibrated_bytes = 40 * kMega;
  view.accounts.emplace();
  view.accounts->accounts = {{shop}, 1};
  view.accounts->live_known = view.accounts->calibrated = true;
  check_ruling("account('shop.*').live < 70m", view, Ruling::kHolds, "between 51.0 MB and 69.0 MB");
  check_ruling("account('shop.*').live < 69m", view, Ruling::kUndecided, "60 MB ±5 %");
  check_ruling("account('shop.*').live < 51m", view, Ruling::kFails);
  check_ruling("account('shop.*').live_objects < 66", view, Ruling::kHolds);
  check_ruling("account('shop.*').since < 100m", view, Ruling::kUndecided, "sample=");
  check_ruling("account('shop.*').allocated <= 1000m", view, Ruling::kHolds);
  check_ruling("account('shop.*').in_heap < 46.1m", view, Ruling::kHolds);  // 40 ± 3 · 2
  check_ruling("account('shop.*').in_heap < 46m", view, Ruling::kUndecided);

  ReportView before = view;
  before.origin.started_utc_ms = 1;
  view.origin.started_utc_ms = 2;
  before.accounts->accounts.rows[0].allocated.bytes = 900 * kMega;
  CHECK(judged("growth(account('shop.*').allocated) <= 100m", view, &before).ruling ==
        Ruling::kHolds);
  before.dump.extended = false;  // accounts count themselves, whatever the dump counts
  before.graph.reset();
  CHECK(judged("growth(account('shop.*').allocated) <= 99m", view, &before).ruling ==
        Ruling::kFails);
  CHECK(judged("growth(account('shop.*').in_heap) <= 99m", view, &before).ruling ==
        Ruling::kUndecided);

  view.accounts->live_known = false;
  check_ruling("account('shop.*').live < 70m", view, Ruling::kUndecided, "does not tell which");
  view.accounts.reset();
  check_ruling("account('shop.*').allocated < 1", view, Ruling::kUndecided, "no memory accounts");
}

namespace {

AgingClassView aged_row(std::string_view name, std::uint64_t objects, std::uint64_t bytes,
                        std::uint64_t error, bool loiters = false) {
  AgingClassView row;
  row.class_name = name;
  row.live_objects = row.old_objects = objects;
  row.live_bytes = row.old_bytes = bytes;
  row.old_objects_error = error;
  row.old_bytes_error = error * (bytes / objects);
  row.loiters = loiters;
  return row;
}

// All classes have rows; samples of two, one of which loiters.
ReportView aging_report() {
  ReportView view = whole_report();
  AgingView& aging = view.aging.emplace();
  aging.collections = 90;
  aging.looks = 8;
  aging.sampled_told = true;
  aging.sample_interval_bytes = 100;
  aging.followed_ms = 60'000;
  aging.live_bytes = 10'000;
  aging.classes = {aged_row("com.acme.data.Row", 300, 30'000, 20, true),
                   aged_row("com.acme.Session", 30, 3000, 2)};
  aging.classes_total = 2;
  return view;
}

}  // namespace

TEST_CASE("judgement: classes that pile up, by their confidence") {
  ReportView view = aging_report();
  check_ruling("piling_up == 0", view, Ruling::kHolds, "found 0");
  AgingSuspectView suspect;
  suspect.class_name = "com.acme.Session";
  suspect.instances = 40;
  suspect.confidence_percent = 90;
  view.aging->suspects = {suspect};
  check_ruling("piling_up == 0", view, Ruling::kFails, "found 1, 1 more than allowed");
  check_ruling("piling_up(90%) == 0", view, Ruling::kFails);
  check_ruling("piling_up(91) == 0", view, Ruling::kHolds);
  const Judgement named = judged("piling_up == 0", view);
  REQUIRE(named.found.rows.size() == 1);
  CHECK(named.found.rows[0].name == "com.acme.Session");
  CHECK(row_text(named, named.found.rows[0]) == "40");
  view.aging->suspects.assign(16, suspect);
  check_ruling("piling_up <= 16", view, Ruling::kUndecided, "no more than 16 classes are named");
  check_ruling("piling_up <= 15", view, Ruling::kFails);
}

TEST_CASE("judgement: a program that was followed for too short a time has shown nothing") {
  ReportView view = aging_report();
  view.aging->collections = 29;
  view.aging->classes[0].loiters = false;
  for (const char* text : {"piling_up == 0", "loitering <= 1GB", "loitering.classes == 0"})
    check_ruling(text, view, Ruling::kUndecided, "followed for 29 collections; 30 tell");
  view.aging->collections = 30;
  for (const char* text : {"piling_up == 0", "loitering <= 1GB", "loitering.classes == 0"})
    check_ruling(text, view, Ruling::kHolds);
  view.aging->candidates = 2;
  view.aging->looks = 3;
  check_ruling("piling_up == 0", view, Ruling::kUndecided, "2 classes with old objects of many");
  check_ruling("piling_up <= 2", view, Ruling::kHolds);
  view.aging.reset();
  for (const char* text : {"piling_up == 0", "loitering == 0", "a.sampled_old_instances < 1"})
    check_ruling(text, view, Ruling::kUndecided, "ages=on");
}

TEST_CASE("judgement: what loiters is known within three standard errors") {
  ReportView view = aging_report();  // 30,000 bytes +- 2,000
  check_ruling("loitering <= 36000", view, Ruling::kHolds, "between 23.4 KB and 35.2 KB");
  check_ruling("loitering <= 35999", view, Ruling::kUndecided, "an estimate from samples");
  check_ruling("loitering < 24000", view, Ruling::kFails);
  check_ruling("loitering.instances <= 360", view, Ruling::kHolds);
  check_ruling("loitering.instances <= 239", view, Ruling::kFails);
  check_ruling("loitering.classes <= 1", view, Ruling::kHolds);
  check_ruling("loitering.classes == 0", view, Ruling::kFails, "1 more than allowed");
  CHECK(judged("loitering == 0", view).found.rows[0].name == "com.acme.data.Row");
  view.aging->classes_total = 4;  // two more, of 3,000 bytes at most each
  check_ruling("loitering <= 42000", view, Ruling::kHolds);
  check_ruling("loitering <= 41999", view, Ruling::kUndecided, "does not list ages of 2 classes");
  check_ruling("loitering.classes <= 2", view, Ruling::kUndecided);
  view.aging->live_bytes = 100'000'000;  // of which these are too little to loiter
  check_ruling("loitering <= 36000", view, Ruling::kHolds);
  view.aging->sampled_told = false;
  check_ruling("loitering <= 36000", view, Ruling::kUndecided, "no ages of sampled objects");
}

TEST_CASE("judgement: old objects by samples: what was sampled, and a little that was not") {
  ReportView view = aging_report();  // 30 +- 2 sessions; 600 bytes of 100 each may be unseen
  check_ruling("com.acme.Session.sampled_old_instances <= 40", view, Ruling::kHolds,
               "between 24 and 40");  // 42, and the dump has counted 40
  view.classes[0].instances = 1000;
  check_ruling("com.acme.Session.sampled_old_instances <= 42", view, Ruling::kHolds);
  check_ruling("com.acme.Session.sampled_old_instances <= 41", view, Ruling::kUndecided,
               "an estimate from samples");
  check_ruling("com.acme.Session.sampled_old_instances < 24", view, Ruling::kFails);
  check_ruling("com.acme.Session.sampled_old_shallow <= 4000", view, Ruling::kHolds);
  check_ruling("com.acme.Sesion.sampled_old_instances == 0", view, Ruling::kHolds,
               "the nearest name is com.acme.Session");
  check_ruling("java.lang.String.sampled_old_shallow <= 600", view, Ruling::kHolds);
  check_ruling("java.lang.String.sampled_old_shallow <= 599", view, Ruling::kUndecided);
  view.aging->classes_total = 3;
  check_ruling("java.lang.String.sampled_old_shallow <= 600", view, Ruling::kUndecided,
               "does not list ages of 1 class");
}

TEST_CASE("judgement: old objects of all that the dump saw are counted") {
  ReportView view = whole_report();
  check_ruling("com.acme.Session.old_instances <= 5", view, Ruling::kUndecided, "ages=on");
  AgesView& ages = view.ages.emplace();
  ages.source = "header";
  ages.ranges = {{AgeRangeKind::kCollections, 0, 0},
                 {AgeRangeKind::kCollections, 8, 15},
                 {AgeRangeKind::kTenured}};
  ages.classes = {{"com.acme.Session", "app", {30, 4, 6}, {3000, 400, 600}, 2},
                  {"com.acme.data.Row", "app", {500, 0, 0}, {50'000, 0, 0}, 1}};
  ages.classes_total = 2;
  ages.rest_of_classes = {"", "", {0, 0, 0}, {0, 0, 0}, 0};
  check_ruling("com.acme.Session.old_instances <= 10", view, Ruling::kHolds, "found 10");
  check_ruling("com.acme.Session.old_instances <= 9", view, Ruling::kFails);
  check_ruling("com.acme.*.old_shallow == 1000", view, Ruling::kHolds);
  check_ruling("com.acme.*.old_instances <= 1%", view, Ruling::kHolds);  // of 1,000
  ages.classes_total = 9;
  ages.rest_of_classes = {"", "", {10, 2, 0}, {100, 20, 0}, 1};
  check_ruling("com.acme.Other.old_instances <= 2", view, Ruling::kHolds);
  check_ruling("com.acme.Other.old_instances <= 1", view, Ruling::kUndecided,
               "does not list ages of 7 classes");
  ages.ranges[0].kind = AgeRangeKind::kUnknown;
  check_ruling("com.acme.Session.old_instances <= 10", view, Ruling::kUndecided, "between 10 and");
}

TEST_CASE("judgement: matching rows come largest first") {
  const Judgement all = judged("com.acme.*e*.largest < 1", whole_report());
  REQUIRE(all.found.rows.size() == 1);
  const Judgement two = judged("*.instances < 1", whole_report());
  REQUIRE(two.found.rows.size() == 3);
  CHECK(two.found.rows[0].name == "com.acme.data.Row");
  CHECK(row_text(two, two.found.rows[0]) == "500");
}
