#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "analysis/report/reader.h"
#include "cli/export/folded.h"
#include "cli/export/tree_stacks.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

struct Opened {
  explicit Opened(const SampleReport& sample) : file(sample_file(sample)) {
    const auto report = analysis::check_report(file);
    REQUIRE(report.ok());
    view = make_report_view(**report, file.size());
  }
  std::vector<std::byte> file;
  ReportView view;
};

std::string folded(const ReportView& view) {
  std::string text;
  write_folded(view, StackKind::kTree, [&](std::string_view piece) { text += piece; });
  return text;
}

void check_sums(const ReportView& view) {
  std::uint64_t bytes = 0, objects = 0;
  for (const StackSample& sample : tree_stacks(view).samples) {
    bytes += sample.bytes;
    objects += sample.objects;
  }
  CHECK(bytes == view.whole_bytes());
  CHECK(objects == view.whole_objects());
}

// The sum of all samples that have this node's stack as their end.
std::uint64_t cumulative(const TreeStacks& stacks, const std::vector<std::uint32_t>& frames) {
  std::uint64_t bytes = 0;
  for (const StackSample& sample : stacks.samples) {
    if (sample.frames.size() < frames.size()) continue;
    if (std::equal(frames.rbegin(), frames.rend(), sample.frames.rbegin())) bytes += sample.bytes;
  }
  return bytes;
}

ReportView chain(std::size_t nodes) {
  ReportView view;
  view.graph.emplace();
  view.graph->held_bytes = 10 * nodes;
  view.graph->held_objects = nodes;
  for (std::uint32_t id = 0; id < nodes; ++id) {
    TreeNodeView node;
    node.id = id;
    node.parent = id == 0 ? kNoRow : id - 1;
    node.object.emplace().class_name = "Link";
    node.retained_bytes = 10 * (nodes - id);
    view.tree.push_back(node);
  }
  return view;
}

}  // namespace

TEST_CASE("stacks: flat values add up to the heap, cumulative ones are retained sizes") {
  const Opened sample({});
  check_sums(sample.view);
  const TreeStacks stacks = tree_stacks(sample.view);
  REQUIRE(stacks.samples.size() == sample.view.tree.size() + 1);
  for (std::size_t id = 0; id < sample.view.tree.size(); ++id)
    CHECK(cumulative(stacks, stacks.samples[id + 1].frames) == sample.view.tree[id].retained_bytes);
}

TEST_CASE("stacks: a static field that is a GC root is a frame above what it holds") {
  const Opened sample({.static_roots = true});
  check_sums(sample.view);
  const TreeStacks stacks = tree_stacks(sample.view);
  REQUIRE(stacks.samples.size() == sample.view.tree.size() + 1);
  for (std::size_t id = 0; id < sample.view.tree.size(); ++id)
    CHECK(cumulative(stacks, stacks.samples[id + 1].frames) == sample.view.tree[id].retained_bytes);
  CHECK(
      folded(sample.view)
          .find("heap;static_shop.SessionRegistry.SESSIONS;java.util.concurrent.ConcurrentHashMap;"
                "java.util.concurrent.ConcurrentHashMap$Node[]") != std::string::npos);
}

TEST_CASE("stacks: of a simple dump they are its classes") {
  const Opened sample({.simple = true});
  check_sums(sample.view);
  CHECK(tree_stacks(sample.view).samples.size() == sample.view.classes.size() + 1);
}

TEST_CASE("stacks: a chain as long as a tree can be keeps its sums and a bounded depth") {
  const ReportView view = chain(2000);
  check_sums(view);
  std::size_t deepest = 0;
  for (const StackSample& sample : tree_stacks(view).samples)
    deepest = std::max(deepest, sample.frames.size());
  CHECK(deepest == TreeStacks::kMaxDepth);
}

TEST_CASE("stacks: sums of a report that do not fit are never less than nothing") {
  ReportView view = chain(3);
  view.tree[0].retained_bytes = 1;
  view.graph->held_bytes = 5;
  view.graph->held_objects = 0;
  for (const StackSample& sample : tree_stacks(view).samples) CHECK(sample.bytes < 1000);
}

TEST_CASE("folded: the text") {
  check_golden("export_folded", folded(Opened({}).view));
  check_golden("export_folded_simple", folded(Opened({.simple = true}).view));
}

TEST_CASE("folded: names that would be taken for the format") {
  const std::string hostile = "a;b c\n\"<x>\\ \x1b[2J\u202e;9 ";
  const std::string text = folded(Opened({.session_class = hostile}).view);
  CHECK(text.find(";a:b_c\\u000a\"<x>\\_\\u001b[2J\\u202e:9_ ") != std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    CHECK(std::count(line.begin(), line.end(), ' ') == 1);
  const std::string name(10'000, 'x');
  const std::string cut = folded(Opened({.session_class = name}).view);
  CHECK(cut.find(std::string(100, 'x')) != std::string::npos);
  CHECK(cut.size() < 2000);
}
