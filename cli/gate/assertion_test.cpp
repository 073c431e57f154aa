#include "cli/gate/assertion.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

std::string error_of(const std::string& text) {
  try {
    parse_assertion(text);
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "no error";
}

void check_refused(const std::string& text, std::size_t column, const std::string& said,
                   const std::string& allowed) {
  const std::string error = error_of(text);
  CHECK_MESSAGE(error.find("column " + std::to_string(column) + ": ") != std::string::npos, error);
  CHECK_MESSAGE(error.find(said) != std::string::npos, error);
  CHECK_MESSAGE(error.find("; allowed: " + allowed) != std::string::npos, error);
  CHECK(error.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("assertion: states of the heap by their names in the report") {
  const Assertion garbage = parse_assertion("state:unreachable.shallow <= 20%");
  CHECK(garbage.subject == Subject::kState);
  CHECK(garbage.pattern == "unreachable");
  CHECK(garbage.in_bytes());
  CHECK(quantity_text(garbage) == "state:unreachable.shallow");
  const Assertion final = parse_assertion("growth(state:final.instances) < 100");
  CHECK(final.growth);
  CHECK_FALSE(final.in_bytes());
  CHECK_THROWS_WITH_AS(parse_assertion("state:gone.shallow < 1"),
                       doctest::Contains("strong, soft, weak, final, phantom, unreachable"),
                       ExpressionError);
  CHECK_THROWS_AS(parse_assertion("state:final.retained < 1"), ExpressionError);
}

TEST_CASE("assertion: subjects, measures and comparisons") {
  const Assertion sessions = parse_assertion("com.acme.Session.instances <= 10");
  CHECK(sessions.subject == Subject::kClasses);
  CHECK(sessions.pattern == "com.acme.Session");
  CHECK(sessions.measure == Measure::kInstances);
  CHECK(sessions.comparison == Relation::kAtMost);
  CHECK(sessions.limit == 10);
  CHECK_FALSE(sessions.growth);
  CHECK(parse_assertion("a.shallow<1").comparison == Relation::kBelow);
  CHECK(parse_assertion("a.shallow>=1").comparison == Relation::kAtLeast);
  CHECK(parse_assertion("a.shallow > 1").comparison == Relation::kAbove);
  CHECK(parse_assertion("suspects == 0").comparison == Relation::kEqual);
  CHECK(parse_assertion("suspects.loud != 0").measure == Measure::kLoud);
  const Assertion loader = parse_assertion(" loader:app.x.retained < 1k ");
  CHECK(loader.subject == Subject::kLoaders);
  CHECK(loader.pattern == "app.x");
  CHECK(parse_assertion("package:com.acme.classes < 5").subject == Subject::kPackages);
  CHECK(parse_assertion("total.shallow <= 1.5GB").subject == Subject::kTotal);
  const Assertion used = parse_assertion("heap.used < 80%");
  CHECK(used.subject == Subject::kHeap);
  CHECK(used.percent);
  CHECK(used.limit == 80);
  const Assertion growth = parse_assertion("growth( a.*.instances ) <= -5");
  CHECK(growth.growth);
  CHECK(growth.pattern == "a.*");
  CHECK(growth.limit == -5);
}

TEST_CASE(
    "assertion: accounts have names that look like patterns, in quotes of either kind or none") {
  for (const char* name :
       {"account('com.acme.*')", "account(\"com.acme.*\")", "account( com.acme.* )"}) {
    const Assertion live = parse_assertion(std::string(name) + ".live < 200m");
    CHECK(live.subject == Subject::kAccount);
    CHECK(live.pattern == "com.acme.*");
    CHECK(live.measure == Measure::kLive);
    CHECK(live.in_bytes());
    CHECK(live.limit == 200.0 * 1024 * 1024);
  }
  const Assertion objects = parse_assertion("growth(account('(unaccounted)').since_objects) < 5k");
  CHECK(objects.growth);
  CHECK(objects.pattern == "(unaccounted)");
  CHECK_FALSE(objects.in_bytes());
  CHECK(objects.limit == 5000);
  CHECK(parse_assertion("growth(account('a').live) <= 10%").percent);
}

TEST_CASE("assertion: what piles up, what loiters, what is old") {
  const Assertion piling = parse_assertion("piling_up == 0");
  CHECK(piling.subject == Subject::kPilingUp);
  CHECK(piling.least_confidence == 0);
  CHECK_FALSE(piling.in_bytes());
  CHECK(parse_assertion("piling_up(95%) == 0").least_confidence == 95);
  CHECK(parse_assertion("growth(piling_up( 9 )) <= 0").least_confidence == 9);
  const Assertion loitering = parse_assertion("loitering <= 10MB");
  CHECK(loitering.subject == Subject::kLoitering);
  CHECK(loitering.in_bytes());
  CHECK(loitering.limit == 10.0 * 1024 * 1024);
  CHECK_FALSE(parse_assertion("loitering.classes == 0").in_bytes());
  CHECK_FALSE(parse_assertion("loitering.instances <= 5k").in_bytes());
  const Assertion old = parse_assertion("com.acme.*.old_instances <= 1k");
  CHECK(old.pattern == "com.acme.*");
  CHECK_FALSE(old.in_bytes());
  CHECK(parse_assertion("a.sampled_old_shallow < 1KB").in_bytes());
  CHECK(parse_assertion("a.old_shallow < 5%").percent);
  // A class may be called so.
  CHECK(parse_assertion("shop.loitering.instances < 1").subject == Subject::kClasses);
}

TEST_CASE("assertion: names may hold comparisons and spaces, as those of .NET do") {
  const Assertion list = parse_assertion("List<System.String, Foo<int>>.instances <= 10");
  CHECK(list.pattern == "List<System.String, Foo<int>>");
  CHECK(list.comparison == Relation::kAtMost);
  CHECK(parse_assertion("byte[].shallow < 1").pattern == "byte[]");
}

TEST_CASE("assertion: sizes are in units of 1,024, counts in thousands") {
  constexpr double kMega = 1024.0 * 1024;
  for (const char* unit : {"1m", "1MB", "1MiB", "1024 k", "1048576", "1048576B", "1024kb"})
    CHECK(parse_assertion(std::string("a.retained < ") + unit).limit == kMega);
  CHECK(parse_assertion("total.shallow <= 1.5GB").limit == 1536 * kMega);
  CHECK(parse_assertion("a.largest <= 2t").limit == 2 * 1024 * 1024 * kMega);
  CHECK(parse_assertion("a.instances < 1m").limit == 1e6);
  CHECK(parse_assertion("a.instances < 2.5K").limit == 2500);
}

TEST_CASE("assertion: an error names the column and what is allowed there") {
  check_refused("a.Session.instances", 20, "no comparison", "<=, <, >=, >, == or !=");
  check_refused("", 1, "no comparison", "<=");
  check_refused("a.instances = 10", 13, "'=' is no comparison", "<=, <, >=, >, ==, !=");
  check_refused("a.instances ! 10", 13, "'!' is no comparison", "<=");
  check_refused("a.instances <=", 15, "a number is missing", "a number such as 10");
  check_refused("a.retained <= ", 15, "a number is missing", "a size such as 50MB");
  check_refused("a.instances <= ten", 16, "no number", "a number");
  check_refused("a.instances <= -1", 16, "no number", "a number");
  check_refused("a.instances <= nan", 16, "no number", "a number");
  check_refused("a.instances < 1e3", 16, "'e3' is no unit", "k, m, g (thousands");
  check_refused("a.instances < 5MB", 16, "'MB' is no unit", "k, m, g (thousands");
  check_refused("a.retained < 5 apples", 16, "'apples' is no unit", "B, KB, MB, GB, TB");
  check_refused("suspects < 5%", 13, "no share", "a number without %");
  check_refused("heap.max < 5%", 13, "no share", "a number without %");
  check_refused("com.acme.Session <= 10", 10, "'Session' is no measure here",
                "instances, shallow, retained, largest, reachable, old_instances");
  check_refused("piling_up(0) == 0", 11, "'0' is no confidence", "1% to 99%");
  check_refused("piling_up(100%) == 0", 11, "'100%' is no confidence", "1% to 99%");
  check_refused("piling_up(sure) == 0", 11, "'sure' is no confidence", "1% to 99%");
  check_refused("piling_up() == 0", 11, "'' is no confidence", "1% to 99%");
  check_refused("piling_up(95% == 0", 14, "piling_up( is not closed", ")");
  check_refused("piling_up < 5%", 14, "no share", "a number without %");
  check_refused("loitering < 5%", 14, "no share", "a number without %");
  check_refused("loitering.shallow < 5", 11, "'shallow' is no measure here", "instances, classes");
  check_refused("loitering.classes < 5MB", 22, "'MB' is no unit", "k, m, g (thousands");
  check_refused("loader:app.largest <= 10", 12, "'largest' is no measure here",
                "instances, shallow, retained, classes, reachable");
  check_refused("heap.full <= 10", 6, "'full' is no measure here", "used, committed, max");
  check_refused("suspects.quiet <= 10", 10, "'quiet' is no measure here", "loud");
  check_refused("Session <= 10", 1, "no quantity", "CLASS.instances");
  check_refused("loader:.retained < 1", 8, "a name is missing", "a name, or a pattern");
  check_refused("  .retained < 1", 3, "a name is missing", "a name, or a pattern");
  check_refused("growth(a.instances <= 0", 19, "growth( is not closed", ")");
  check_refused("account('a').shallow < 1", 14, "'shallow' is no measure here",
                "allocated, since, live, in_heap, allocated_objects");
  check_refused("account('').live < 1", 10, "a name is missing", "an account as the report");
  check_refused("account('a).live < 1", 11, "the quote is not closed", "'");
  check_refused("account('com.acme') < 1", 13, "account( is not closed", ")");
  check_refused("account('a').live < 5%", 22, "no share", "a number without %");
  check_refused("größe.menge <= 0", 7, "'menge' is no measure here", "instances");
  check_refused("a.retained < " + std::string(400, '9') + "g", 14, "too large", "up to");
  check_refused(std::string(1001, 'x') + ".instances < 1", 1001, "goes on", "at most 1000 bytes");
  CHECK(error_of("\x1b[2J\n.foo < 1").find("'\\u001b[2J\\u000a.foo < 1'") == 0);
}

TEST_CASE("assertion: what is parsed can be written and parsed again") {
  for (const char* text :
       {"growth(com.acme.*.retained) <= 5", "suspects == 0", "suspects.loud == 0",
        "loader:app.classes < 5", "package:a.b.shallow < 5", "total.instances > 0",
        "heap.committed < 1", "piling_up <= 1", "growth(piling_up(95%)) <= 1", "loitering <= 1",
        "loitering.classes <= 1", "a.*.sampled_old_shallow <= 1",
        "account('a.b.*').in_heap_objects < 1", "List<A>.largest < 1"}) {
    const Assertion first = parse_assertion(text);
    const Assertion second = parse_assertion(quantity_text(first) + " <= 1");
    CHECK(quantity_text(second) == quantity_text(first));
    CHECK(second.subject == first.subject);
    CHECK(second.measure == first.measure);
    CHECK(second.pattern == first.pattern);
  }
}
