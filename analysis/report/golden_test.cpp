// The whole of a small report as text: whoever changes what the writer says sees it here.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "analysis/report/index_check.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_fixture.h"
#include "analysis/report/report_generated.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

struct Printer {
  const report::Report& r;
  std::ostringstream out{};

  std::string text(std::uint32_t id) const { return id == 0 ? "-" : r.strings()->Get(id)->str(); }
  static std::string row(std::uint32_t index) {
    return index == kNoRow ? "none" : std::to_string(index);
  }

  void path(const report::RootPath& p) {
    out << "path " << report::EnumNameRootKind(p.root_kind()) << " thread " << row(p.thread())
        << " in " << text(p.frame_class()) << "." << text(p.frame_method()) << " "
        << report::EnumNameStrength(p.strength()) << " " << p.length() << ":";
    for (const auto* s : *p.steps()) {
      out << " " << report::EnumNameStepKind(s->kind()) << "(" << s->object() << " "
          << text(s->declaring_class()) << "." << text(s->name()) << ")";
    }
    out << "\n";
  }
  void reachable(const report::ReachableFacts& f) {
    out << "reachable " << f.components() << " shared " << f.shared_components() << " estimated "
        << f.estimated_objects() << " " << report::EnumNameEstimateReason(f.reason()) << " "
        << f.error_per_mille() << " sums " << f.retained_sum_bytes() << " "
        << f.reachable_sum_bytes() << "\n";
    for (const auto* d : *f.differences())
      out << "difference " << d->up_to_bytes() << " " << d->objects() << "\n";
    for (const std::uint32_t object : *f.hidden()) out << "hidden " << object << "\n";
  }
  void important(const char* what, const report::ImportantRow& row) {
    out << what << " " << row.object() << " " << row.references() << " " << row.referrers()
        << (row.articulation_point() ? " point" : "") << "\n";
  }
  void cuts(const report::CutFacts& f) {
    out << "cuts " << f.components() << " cyclic " << f.cyclic_components() << " "
        << f.cyclic_objects() << " " << f.largest_component_objects() << " biconnected "
        << f.biconnected_components() << " " << f.largest_biconnected() << " parts " << f.parts()
        << " points " << f.articulation_points() << " " << f.dominating_points() << "\n";
    for (const auto* row : *f.most_references()) important("references", *row);
    for (const auto* row : *f.most_referrers()) important("referrers", *row);
    for (const auto* c : *f.cuts()) {
      const auto& s = *c->reference();
      out << "cut " << row(c->referrer()) << " " << report::EnumNameStepKind(s.kind()) << "("
          << s.object() << " " << text(s.declaring_class()) << "." << text(s.name()) << ") "
          << c->references() << " frees " << c->freed_objects() << " " << c->freed_bytes()
          << (c->articulation_point() ? " point" : "") << "\n";
      if (c->root() != nullptr) path(*c->root());
    }
  }
  void holders(const report::HolderFacts& f) {
    for (const auto* c : *f.classes()) {
      out << "holders of " << text(c->class_name()) << " loader " << row(c->loader()) << " "
          << c->instances() << " places " << c->places_total() << " rest " << c->rest_references()
          << " " << c->rest_bytes() << " unplaced " << c->unplaced_references() << "\n";
      for (const auto* p : *c->places())
        out << "place " << report::EnumNameStepKind(p->kind()) << " "
            << report::EnumNameRootKind(p->root_kind()) << " "
            << report::EnumNameStrength(p->strength()) << " " << text(p->class_name()) << "."
            << text(p->name()) << " " << p->references() << " of " << p->referrers() << " "
            << p->bytes() << "\n";
    }
  }
  void account(const char* what, const report::AccountRow& a) {
    out << what << " " << text(a.account()) << " " << text(a.principal()) << " "
        << text(a.class_name()) << " " << text(a.method()) << " " << text(a.thread())
        << (a.annotation() == 0 ? "" : " " + text(a.annotation())) << " allocated "
        << a.allocated_objects() << " " << a.allocated_bytes() << " within "
        << a.allocated_objects_error() << " " << a.allocated_bytes_error() << " since "
        << a.since_report_objects() << " " << a.since_report_bytes() << " within "
        << a.since_report_objects_error() << " " << a.since_report_bytes_error() << " live "
        << a.live_objects() << " " << a.live_bytes() << " within " << a.live_objects_error() << " "
        << a.live_bytes_error() << " calibrated " << a.calibrated_objects() << " "
        << a.calibrated_bytes() << " of " << a.samples() << "\n";
  }
  void accounts(const report::AccountFacts& f) {
    out << "accounts " << report::EnumNameAccountMode(f.mode()) << (f.by_method() ? " methods" : "")
        << (f.by_thread() ? " threads" : "") << (f.live_known() ? " live" : "")
        << (f.calibrated() ? " calibrated" : "") << " every " << f.sample_interval_bytes()
        << " from " << f.began_utc_ms() << " " << f.last_report_utc_ms() << " heap "
        << f.heap_objects() << " " << f.heap_bytes() << " explained " << f.explained_objects()
        << " " << f.explained_bytes() << "\n";
    out << "lost " << f.rows_full() << " " << f.stacks_cut() << " " << f.live_thinned() << " "
        << f.samples_dropped() << " " << f.classes_left_alone() << " " << f.methods_left_alone()
        << " " << f.threads_shared() << " " << f.annotations_other() << "\n";
    for (const auto* a : *f.accounts()) account("account", *a);
    account("rest", *f.rest_of_accounts());
    for (const auto* a : *f.pairs()) account("pair", *a);
    account("rest", *f.rest_of_pairs());
    for (const auto* a : *f.classes()) account("class", *a);
    for (const auto* a : *f.methods()) account("method", *a);
    for (const auto* a : *f.threads()) account("thread", *a);
    if (f.annotations() != nullptr)
      for (const auto* a : *f.annotations()) account("annotation", *a);
    out << "only " << text(f.sample_only()) << " passed over " << f.passed_over() << "\n";
    out << "of " << f.accounts_total() << " " << f.pairs_total() << " " << f.classes_total() << " "
        << f.methods_total() << " " << f.threads_total() << "\n";
  }
  void age(const char* what, const report::AgeClassRow& a) {
    out << what << " " << text(a.class_name()) << " loader " << row(a.loader());
    for (std::uint32_t i = 0; i < a.objects()->size(); ++i)
      out << " " << a.objects()->Get(i) << "/" << a.bytes()->Get(i);
    out << " in " << a.distinct_ages() << " ages\n";
  }
  void ages(const report::AgeFacts& f) {
    out << "ages " << report::EnumNameAgeSource(f.source());
    for (const std::uint32_t least : *f.ranges()) out << " " << least;
    out << " of " << f.classes_total() << " classes\n";
    for (const auto* a : *f.classes()) age("aged", *a);
    age("rest", *f.rest_of_classes());
    age("all", *f.total());
  }
  void tracking(const report::TrackFacts& f) {
    out << "tracking from " << f.began_utc_ms() << " known " << f.known() << " gone " << f.gone()
        << " unfollowed " << f.unfollowed() << " named " << f.named() << "\n";
    for (const auto* t : *f.objects())
      out << "number " << t->number() << " of " << t->object() << " since " << t->first_sequence()
          << " " << t->first_utc_ms() << "\n";
  }
  std::string print() {
    out << text(r.origin()->vm_name()) << " " << text(r.origin()->host()) << " "
        << text(r.capture()->rung()) << "\n";
    for (const auto* c : *r.classes()) {
      out << "class " << text(c->name()) << " loader " << row(c->loader()) << " " << c->instances()
          << " " << c->shallow_bytes() << " " << c->retained_bytes() << " unheld "
          << c->unheld_instances() << (c->platform() ? " platform" : "") << " reaches "
          << c->largest_reachable_bytes() << (c->reachable_estimated() ? " about" : "") << "\n";
    }
    for (const auto* l : *r.loaders())
      out << "loader " << text(l->name()) << " " << l->instances() << "\n";
    for (const auto* o : *r.objects()) {
      out << "object " << text(o->class_name()) << " of " << text(o->class_object_of()) << " "
          << o->retained_bytes() << " reaches " << o->reachable_bytes()
          << (o->reachable_estimated() ? " about" : "") << "\n";
    }
    for (const auto* n : *r.tree()) {
      out << "node " << row(n->object()) << " in " << row(n->parent()) << " group "
          << text(n->group_class()) << " " << n->retained_bytes() << "\n";
    }
    for (const auto* s : *r.suspects()) {
      out << "suspect " << text(s->class_name()) << " " << s->share_per_mille() << " holder "
          << row(s->holder()) << " " << text(s->holder_class()) << "." << text(s->holder_field())
          << " " << s->confidence_percent() << " %\n";
      path(*s->path());
      for (const std::uint32_t id : *s->evidence()) out << "because " << text(id) << "\n";
    }
    reachable(*r.reachable());
    cuts(*r.cuts());
    holders(*r.holders());
    accounts(*r.accounts());
    ages(*r.ages());
    tracking(*r.tracking());
    return out.str();
  }
};

constexpr const char* kGolden = R"(Test VM web1 walk
class (class loaded during the dump) loader none 5 80 320 unheld 1 reaches 480
class shop.Class3 loader 0 4 64 256 unheld 0 reaches 384 about
class shop.Class2 loader 1 3 48 192 unheld 2 platform reaches 288
class shop.Class1 loader 0 2 32 128 unheld 1 reaches 192 about
class shop.Class0 loader 1 1 16 64 unheld 0 platform reaches 96
loader loader1 2
loader loader0 1
object shop.Class1 of - 560 reaches 0
object shop.Class2 of - 640 reaches 0
object shop.Class3 of - 720 reaches 900 about
object shop.Class0 of shop.Class0 160 reaches 200
object shop.Class0 of - 480 reaches 0
object shop.Class1 of shop.Class1 240 reaches 300 about
object shop.Class2 of shop.Class2 320 reaches 0
node 3 in none group - 0
node 0 in 0 group - 1000
node none in 0 group shop.Class2 2000
suspect shop.Class0 400 holder 3 shop.Main0.run0 80 %
path StackLocal thread 0 in shop.Main0.run0 Strong 4: Root(0 -.-) StaticField(1 -.-) InstanceField(2 -.field2) StaticField(3 -.-)
because one object holds 40 % of the heap
because the drop is steep here
reachable 8 shared 3 estimated 2 Time 89 sums 1000 5000
difference 1024 10
difference 10240 9
difference 102400 8
difference 1024000 7
difference 10485760 6
difference 26214400 5
difference 52428800 4
difference 78643200 3
difference 104857600 2
difference 18446744073709551615 1
hidden 5
cuts 8 cyclic 2 5 3 biconnected 4 6 parts 1 points 7 8
references 3 9 8 point
references 5 9 8
referrers 3 9 8 point
referrers 5 9 8
cut 2 StaticField(3 -.-) 2 frees 40 4000 point
cut none Root(5 -.-) 0 frees 39 3999
path StackLocal thread 0 in shop.Main0.run0 Strong 1: Root(5 -.-)
holders of shop.Class0 loader 1 1 places 5 rest 0 0 unplaced 0
place InstanceField SystemClass Strong shop.Class1.field1 900 of 9 5000
place StaticField SystemClass Strong shop.Class1.field1 80 of 1 400
place Referent SystemClass Weak shop.Class1.- 7 of 7 300
place Root StackLocal Strong -.- 6 of 0 200
place StaticField StaticField Strong shop.Main0.run0 5 of 0 100
holders of shop.Class1 loader 0 2 places 6 rest 10 100 unplaced 1
place InstanceField SystemClass Strong shop.Class2.field2 901 of 9 5000
place StaticField SystemClass Strong shop.Class2.field2 80 of 1 400
place Referent SystemClass Weak shop.Class2.- 7 of 7 300
place Root StackLocal Strong -.- 6 of 0 200
place StaticField StaticField Strong shop.Main0.run0 5 of 0 100
holders of shop.Class2 loader 1 3 places 7 rest 20 200 unplaced 2
place InstanceField SystemClass Strong shop.Class3.field3 902 of 9 5000
place StaticField SystemClass Strong shop.Class3.field3 80 of 1 400
place Referent SystemClass Weak shop.Class3.- 7 of 7 300
place Root StackLocal Strong -.- 6 of 0 200
place StaticField StaticField Strong shop.Main0.run0 5 of 0 100
accounts Sampled methods threads live calibrated every 524288 from 1600000000000 1650000000000 heap 5000 500000 explained 4000 400000
lost 1 2 3 4 5 6 7 8
account shop.account0 - - - - allocated 1020 102000 within 4 1010 since 510 51000 within 3 20 live 102 10200 within 2 1 calibrated 101 9180 of 10
account shop.account1 - - - - allocated 1010 101000 within 4 1005 since 505 50500 within 3 20 live 101 10100 within 2 1 calibrated 100 9090 of 10
rest - - - - - allocated 1000 100000 within 4 1000 since 500 50000 within 3 20 live 100 10000 within 2 1 calibrated 99 9000 of 10
pair shop.account0 shop.account1 - - - allocated 1020 102000 within 4 1010 since 510 51000 within 3 20 live 102 10200 within 2 1 calibrated 101 9180 of 10
pair shop.account1 shop.account0 - - - allocated 1010 101000 within 4 1005 since 505 50500 within 3 20 live 101 10100 within 2 1 calibrated 100 9090 of 10
rest - - - - - allocated 1010 101000 within 4 1005 since 505 50500 within 3 20 live 101 10100 within 2 1 calibrated 100 9090 of 10
class shop.account0 - shop.Allocated0 shop.Main.make0 worker0 user=alice0 allocated 1020 102000 within 4 1010 since 510 51000 within 3 20 live 102 10200 within 2 1 calibrated 101 9180 of 10
class shop.account1 - shop.Allocated1 shop.Main.make1 worker1 user=alice1 allocated 1010 101000 within 4 1005 since 505 50500 within 3 20 live 101 10100 within 2 1 calibrated 100 9090 of 10
method shop.account0 - shop.Allocated0 shop.Main.make0 worker0 user=alice0 allocated 1020 102000 within 4 1010 since 510 51000 within 3 20 live 102 10200 within 2 1 calibrated 101 9180 of 10
method shop.account1 - shop.Allocated1 shop.Main.make1 worker1 user=alice1 allocated 1010 101000 within 4 1005 since 505 50500 within 3 20 live 101 10100 within 2 1 calibrated 100 9090 of 10
thread shop.account0 - shop.Allocated0 shop.Main.make0 worker0 user=alice0 allocated 1020 102000 within 4 1010 since 510 51000 within 3 20 live 102 10200 within 2 1 calibrated 101 9180 of 10
thread shop.account1 - shop.Allocated1 shop.Main.make1 worker1 user=alice1 allocated 1010 101000 within 4 1005 since 505 50500 within 3 20 live 101 10100 within 2 1 calibrated 100 9090 of 10
annotation shop.account0 - shop.Allocated0 shop.Main.make0 worker0 user=alice0 allocated 1020 102000 within 4 1010 since 510 51000 within 3 20 live 102 10200 within 2 1 calibrated 101 9180 of 10
annotation shop.account1 - shop.Allocated1 shop.Main.make1 worker1 user=alice1 allocated 1010 101000 within 4 1005 since 505 50500 within 3 20 live 101 10100 within 2 1 calibrated 100 9090 of 10
only user:alice passed over 9
of 3 4 5 6 7
ages Header 0 1 2 4294967294 of 5 classes
aged (class loaded during the dump) loader none 5/80 5/80 5/80 5/80 in 3 ages
aged shop.Class2 loader 1 3/48 3/48 3/48 3/48 in 3 ages
aged shop.Class0 loader 1 1/16 1/16 1/16 1/16 in 3 ages
aged shop.Class3 loader 0 4/64 4/64 4/64 0/0 in 3 ages
aged shop.Class1 loader 0 2/32 2/32 2/32 0/0 in 3 ages
rest - loader none 0/0 0/0 0/0 0/0 in 0 ages
all - loader none 15/240 15/240 15/240 9/144 in 3 ages
tracking from 1680000000000 known 2 gone 2 unfollowed 1 named 2
number 17 of 3 since 3 1690000000000
number 18 of 5 since 1 1700000000000
number 19 of 6 since 3 1690000000000
)";

}  // namespace

TEST_CASE("golden text of a small report") {
  FixtureSizes sizes;
  sizes.name_bytes = 0;
  ReportFixture f(sizes);
  auto report = check_report(f.image());
  REQUIRE(report.ok());
  CHECK(Printer{**report}.print() == std::string(kGolden));
}
