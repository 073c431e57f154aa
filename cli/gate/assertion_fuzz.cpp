// Whatever somebody types: either an error of one line, or an assertion that can be written and parsed again and of which a
// report says the opposite as soon as its comparison is turned round.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/gate/judgement.h"

namespace {

using namespace holdfast::cli;

// A report that knows some things and sums up others.
ReportView partial_report() {
  ReportView view;
  view.graph.emplace();
  view.graph->held_bytes = 1 << 20;
  view.graph->held_objects = 500;
  view.graph->dominator_depth = 3;
  view.dump.heap_used_before_bytes = 1 << 20;
  view.passes = {{"suspects", "", 1, 1, 1}};
  for (const char* name : {"a.Session", "a.b.Cut…name", "java.lang.String", "List<a.Session>"}) {
    ClassView row;
    row.name = name;
    row.instances = 100;
    row.shallow_bytes = row.retained_bytes = 4096;
    view.classes.push_back(row);
  }
  view.classes_total = 6;
  view.rest_of_classes.instances = 20;
  return view;
}

constexpr Relation opposite(Relation comparison) {
  switch (comparison) {
    case Relation::kAtMost:
      return Relation::kAbove;
    case Relation::kBelow:
      return Relation::kAtLeast;
    case Relation::kAtLeast:
      return Relation::kBelow;
    case Relation::kAbove:
      return Relation::kAtMost;
    case Relation::kEqual:
      return Relation::kUnequal;
    case Relation::kUnequal:
      break;
  }
  return Relation::kEqual;
}

void check(bool good) {
  if (!good) std::abort();
}

void check_judgement(Assertion assertion) {
  static const ReportView kView = partial_report();
  const Judgement one = judge(assertion, kView, &kView);
  assertion.comparison = opposite(assertion.comparison);
  const Judgement other = judge(assertion, kView, &kView);
  check(!one.found.known || one.found.least <= one.found.most);
  check((one.ruling == Ruling::kUndecided) == (other.ruling == Ruling::kUndecided));
  check(one.ruling == Ruling::kUndecided || one.ruling != other.ruling);
  check((one.ruling == Ruling::kUndecided) == !one.why.empty());
  check(!sentence_of(one).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Assertion assertion = parse_assertion(text);
    check(std::isfinite(assertion.limit) && text.size() <= kMaxExpressionBytes);
    const std::string quantity = quantity_text(assertion);
    check(quantity_text(parse_assertion(quantity + " == 1")) == quantity);
    check_judgement(assertion);
  } catch (const ExpressionError& error) {
    const std::string_view said = error.what();
    check(std::ranges::count(said, '\n') == 0 && said.size() < 1500);
    check(said.find("; allowed: ") != std::string_view::npos);
  }
  return 0;
}
