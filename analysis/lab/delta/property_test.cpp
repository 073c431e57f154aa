#include "analysis/lab/delta/property.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::counterexample;
using lab::LabGraph;

namespace {

// The environment as it was before, afterwards.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    const char* const before = std::getenv(name);
    if (before != nullptr) before_ = before;
    had_ = before != nullptr;
    ::setenv(name, value.c_str(), 1);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() { had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* const name_;
  std::string before_;
  bool had_ = false;
};

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "holdfast-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Wrong on purpose: one sweep in the order of the numbers, as if every reference led to a higher one.
std::vector<bool> swept_once(const Snapshot& s) {
  std::vector<bool> marked(s.object_count());
  for (const RootRecord& root : s.roots) marked[root.object.value] = true;
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    for (std::uint32_t i = s.first_ref[v]; marked[v] && i < s.first_ref[v + 1]; ++i)
      marked[s.target[i].value] = true;
  return marked;
}

bool sweep_is_right(LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  return swept_once(s) == lab::naive_marked(s, ~0u, std::vector<bool>(s.object_count()));
}

// 60 objects of one class without a class object; the last is the only root, so the sweep comes to it at the end: exactly what is
// two or more references away from it is missed.
LabGraph wrong_graph() {
  LabGraph graph = lab::random_graph({60, 200, 0, 1, 0}, 4711);
  graph.classes[0].mirror = ObjectId{};
  graph.add_root(59);
  return graph;
}

}  // namespace

TEST_CASE("property: a wrong algorithm is shown on the smallest graph: root -> a -> b") {
  LabGraph graph = wrong_graph();
  REQUIRE(!sweep_is_right(graph));
  const lab::MinimisedGraph made =
      lab::minimised(graph, [](LabGraph& g) { return !sweep_is_right(g); });
  REQUIRE(made.references_after == 2);
  const std::uint32_t a = made.graph.target[made.graph.first_ref[59]].value;
  const std::uint32_t b = made.graph.target[made.graph.first_ref[a]].value;
  CHECK(a < 59);
  CHECK(b != a);
  CHECK(b != 59);

  const std::string text = counterexample(graph, "sweep", sweep_is_right);
  INFO(text);
  const std::string n1 = std::to_string(a), n2 = std::to_string(b);
  const std::string arrows[] = {"59->" + n1, n1 + "->" + n2};
  CHECK(text.find("sweep does not hold\n2 of 200 references and 1 of 1 roots are left") == 0);
  CHECK(text.find("60 objects, 2 references: " + arrows[1] + ' ' + arrows[0] + "; roots 59\n") !=
        std::string::npos);
  CHECK(text.find("  59 -> " + n1 + ";\n") != std::string::npos);
  CHECK(text.find("  59 [label=\"59\\n") != std::string::npos);
}

TEST_CASE("property: where it holds there is nothing to say, and it is asked once") {
  LabGraph graph = wrong_graph();
  int asked = 0;
  CHECK(counterexample(graph, "x", [&](LabGraph&) { return ++asked > 0; }) == "");
  CHECK(asked == 1);
}

TEST_CASE("property: what fails only once is told as that") {
  LabGraph graph = wrong_graph();
  int asked = 0;
  const std::string text = counterexample(graph, "x", [&](LabGraph&) { return ++asked > 1; });
  CHECK(text.find("the whole graph does not show it") != std::string::npos);
}

TEST_CASE("property: snapshot and picture go where HF_MINIMISED_DIR says, over those of before") {
  const Folder folder;
  const Setting where("HF_MINIMISED_DIR", folder.path());
  LabGraph graph = wrong_graph();
  for (int round = 0; round < 2; ++round) {
    const std::string text = counterexample(graph, "a sweep/of 60", sweep_is_right);
    INFO(text);
    CHECK(text.find("written: " + folder.file("a-sweep-of-60-minimised.hfs") + " and .dot\n") !=
          std::string::npos);
  }
  SnapshotFile file;
  REQUIRE(file.open(folder.file("a-sweep-of-60-minimised.hfs").c_str()).ok());
  CHECK(file.snapshot().object_count() == 60);
  LabGraph read = lab::graph_of(file.snapshot());
  CHECK(read.target.size() == 2);
  CHECK(read.shallow_units == graph.shallow_units);
  CHECK(file.snapshot().catalog.class_name(ClassId{0}) == "class0");
  CHECK(!sweep_is_right(read));
  CHECK(text_of(folder.file("a-sweep-of-60-minimised.dot")).find("digraph heap {\n") == 0);
}

TEST_CASE("property: a folder that is not there is told, and the counterexample all the same") {
  const Folder folder;
  const Setting where("HF_MINIMISED_DIR", folder.file("nowhere"));
  LabGraph graph = wrong_graph();
  const std::string text = counterexample(graph, "sweep", sweep_is_right);
  CHECK(text.find("nowhere/sweep-minimised.hfs: ") != std::string::npos);
  CHECK(text.find("2 references") != std::string::npos);
}

TEST_CASE("property: what is thrown is a counterexample") {
  LabGraph graph = wrong_graph();
  const auto throws = [](LabGraph& g) {
    if (!sweep_is_right(g)) throw 1;
    return true;
  };
  CHECK(counterexample(graph, "sweep", throws).find("60 objects, 2 references: ") !=
        std::string::npos);
}

TEST_CASE("property: with HF_ISOLATED=1 a crash is a counterexample like any other") {
  const Setting isolated("HF_ISOLATED", "1");
  LabGraph graph = wrong_graph();
  const auto aborts = [](LabGraph& g) {
    if (!sweep_is_right(g)) std::abort();
    return true;
  };
  CHECK(counterexample(graph, "sweep", aborts).find("60 objects, 2 references: ") !=
        std::string::npos);
}
