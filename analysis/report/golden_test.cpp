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
  std::string print() {
    out << text(r.origin()->vm_name()) << " " << text(r.origin()->host()) << " "
        << text(r.capture()->rung()) << "\n";
    for (const auto* c : *r.classes()) {
      out << "class " << text(c->name()) << " loader " << row(c->loader()) << " " << c->instances()
          << " " << c->shallow_bytes() << " " << c->retained_bytes() << " unheld "
          << c->unheld_instances() << (c->platform() ? " platform" : "") << "\n";
    }
    for (const auto* l : *r.loaders())
      out << "loader " << text(l->name()) << " " << l->instances() << "\n";
    for (const auto* o : *r.objects()) {
      out << "object " << text(o->class_name()) << " of " << text(o->class_object_of()) << " "
          << o->retained_bytes() << "\n";
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
    return out.str();
  }
};

constexpr const char* kGolden = R"(Test VM web1 walk
class (class loaded during the dump) loader none 5 80 320 unheld 1
class shop.Class3 loader 0 4 64 256 unheld 0
class shop.Class2 loader 1 3 48 192 unheld 2 platform
class shop.Class1 loader 0 2 32 128 unheld 1
class shop.Class0 loader 1 1 16 64 unheld 0 platform
loader loader1 2
loader loader0 1
object shop.Class1 of - 560
object shop.Class2 of - 640
object shop.Class3 of - 720
object shop.Class0 of shop.Class0 160
object shop.Class0 of - 480
object shop.Class1 of shop.Class1 240
object shop.Class2 of shop.Class2 320
node 3 in none group - 0
node 0 in 0 group - 1000
node none in 0 group shop.Class2 2000
suspect shop.Class0 400 holder 3 shop.Main0.run0 80 %
path StackLocal thread 0 in shop.Main0.run0 Strong 4: Root(0 -.-) StaticField(1 -.-) InstanceField(2 -.field2) StaticField(3 -.-)
because one object holds 40 % of the heap
because the drop is steep here
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
