#include "analysis/lab/delta/minimise_command.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "analysis/lab/delta/minimised_files.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::Defect;
using lab::IsolatedEnd;
using lab::LabGraph;

namespace {

bool has(LabGraph& graph, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t i = graph.first_ref[from]; i < graph.first_ref[from + 1]; ++i)
    if (graph.target[i].value == to) return true;
  return false;
}

// Wrong on purpose: object 3 with references to 4 and 5 is too much.
bool three_is_light(LabGraph& graph) { return !(has(graph, 3, 4) && has(graph, 3, 5)); }

std::vector<Defect> defects() {
  const auto abort_at_three = [](LabGraph& graph) {
    if (!three_is_light(graph)) std::abort();
    return true;
  };
  const auto turn_for_ever = [](LabGraph&) {
    for (volatile bool on = true; on;) {
    }
    return true;
  };
  return {{"three", "object 3 is heavy", [](LabGraph& g) { return !three_is_light(g); }},
          {"never", "nothing", [](LabGraph&) { return false; }},
          {"crash three", "it crashes", abort_at_three, IsolatedEnd::kCrashed},
          {"hang never", "it hangs", abort_at_three, IsolatedEnd::kHung},
          {"hang ever", "it hangs", turn_for_ever, IsolatedEnd::kHung}};
}

// A snapshot file of 8 objects, each of which refers to all, with class names.
class Place {
 public:
  Place() {
    std::string name = (std::filesystem::temp_directory_path() / "holdfast-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    lab::TestHeap heap;
    const ClassId cart = heap.klass("shop.Cart");
    std::vector<ObjectId> carts;
    for (std::uint32_t v = 0; v < 8; ++v) carts.push_back(heap.object(cart, 24));
    for (const ObjectId from : carts)
      for (std::uint32_t i = 0; i < 8; ++i) heap.element(from, i, carts[i]);
    heap.root(carts[0], RootKind::kThread);
    REQUIRE(lab::write_snapshot(heap.snapshot(), DumpRecord{}, file("in.hfs")) == "");
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { std::filesystem::remove_all(path_); }

  std::string file(const char* name) const { return (path_ / name).string(); }
  // Words that begin with '/' stand for files of this place.
  int run(std::vector<std::string> words) {
    for (std::string& word : words)
      if (word[0] == '/') word = file(word.c_str() + 1);
    out.str("");
    err.str("");
    const lab::MinimiseLimits limits{std::chrono::seconds(30), std::chrono::seconds(60)};
    return lab::minimise_command(words, defects(), out, err, limits);
  }
  bool complains(const std::string& text) const {
    const std::string said = err.str();
    return said.find(text) != std::string::npos && said.find('\n') == said.size() - 1;
  }

  std::ostringstream out, err;

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("minimise command: what is left is written, with its names, and shows the defect") {
  Place place;
  for (const std::vector<std::string>& name :
       {std::vector<std::string>{"three"}, {"crash", "three"}}) {
    std::vector<std::string> words = {"/in.hfs"};
    words.insert(words.end(), name.begin(), name.end());
    const std::string stem = "/" + name[0];
    words.insert(words.end(), {stem + ".hfs", stem + ".dot"});
    CHECK(place.run(words) == 0);
    CHECK(place.err.str() == "");
    CHECK(place.out.str().find("2 of 64 references and 0 of 1 roots are left") !=
          std::string::npos);
    CHECK(place.out.str().find("2 references: 3->4 3->5; no roots") != std::string::npos);
    SnapshotFile file;
    REQUIRE(file.open(place.file((name[0] + ".hfs").c_str()).c_str()).ok());
    LabGraph left = lab::graph_of(file.snapshot());
    CHECK(left.target.size() == 2);
    CHECK(!three_is_light(left));
    CHECK(file.snapshot().catalog.class_name(left.class_of[3]) == "shop.Cart");
    std::ifstream picture(place.file((name[0] + ".dot").c_str()));
    std::stringstream text;
    text << picture.rdbuf();
    CHECK(text.str().find("3 -> 4;") != std::string::npos);
  }
}

TEST_CASE("minimise command: what does not show is told, with what happened instead") {
  Place place;
  CHECK(place.run({"/in.hfs", "never", "/o.hfs", "/o.dot"}) == 1);
  CHECK(place.complains("in.hfs: never does not show: its test was false"));
  CHECK(place.run({"/in.hfs", "hang", "never", "/o.hfs", "/o.dot"}) == 1);
  CHECK(place.complains("does not show: its test was ended by signal 6"));
  CHECK(!std::filesystem::exists(place.file("o.hfs")));
}

TEST_CASE("minimise command: wrong words and files are one line, exit code 2") {
  Place place;
  const std::string all =
      "three, never, crash PASS, hang PASS; PASS is one of: three, never, ever\n";
  CHECK(place.run({}) == 2);
  CHECK(place.complains(
      "usage: minimise_snapshot IN.hfs DEFECT OUT.hfs OUT.dot; DEFECT is one of: " + all));
  CHECK(place.run({"/in.hfs", "three", "/o.hfs"}) == 2);
  CHECK(place.run({"/in.hfs", "a", "b", "c", "/o.hfs", "/o.dot"}) == 2);
  CHECK(place.run({"/in.hfs", "four", "/o.hfs", "/o.dot"}) == 2);
  CHECK(place.complains("four: no such defect; there are: " + all));
  CHECK(place.run({"/in.hfs", "crash", "four", "/o.hfs", "/o.dot"}) == 2);
  CHECK(place.complains("crash four: no such defect"));
  CHECK(place.run({"/none.hfs", "three", "/o.hfs", "/o.dot"}) == 2);
  CHECK(place.complains("none.hfs: "));
  std::ofstream(place.file("letter.hfs"))
      << "Dear Sir or Madam, this is no snapshot, nor was it ever one.";
  CHECK(place.run({"/letter.hfs", "three", "/o.hfs", "/o.dot"}) == 2);
  CHECK(place.complains("letter.hfs: "));
  CHECK(place.run({"/in.hfs", "three", "/in.hfs", "/o.dot"}) == 2);
  CHECK(place.complains("in.hfs: is there already"));
  CHECK(place.run({"/in.hfs", "three", "/o.hfs", "/letter.hfs"}) == 2);
  CHECK(place.complains("letter.hfs: is there already"));
  CHECK(place.run({"/in.hfs", "three", "/nowhere/o.hfs", "/o.dot"}) == 2);
  CHECK(place.complains("nowhere/o.hfs: "));
  CHECK(place.run({"/in.hfs", "three", "/o.hfs", "/nowhere/o.dot"}) == 2);
  CHECK(place.complains("nowhere/o.dot: "));
}

TEST_CASE("pass defects: no pass has one, on graphs of all kinds; names are told apart") {
  std::set<std::string> names;
  for (const Defect& defect : lab::pass_defects()) {
    INFO(defect.name);
    CHECK(names.insert(defect.name).second);
    CHECK(!defect.meaning.empty());
    if (defect.name.rfind("hang ", 0) == 0) continue;  // the test of "crash" is the same
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      LabGraph graph = lab::random_graph(seed, true);
      const auto answer =
          lab::run_isolated([&] { return defect.test(graph); }, std::chrono::seconds(60));
      CHECK(lab::text_of(answer) == (defect.shows_as == IsolatedEnd::kTrue ? "false" : "true"));
    }
  }
  CHECK(names.count("dominators") == 1);
  CHECK(names.count("components") == 1);
  CHECK(names.count("crash suspects") == 1);
  CHECK(names.count("hang condensation") == 1);
  CHECK(names.count("reachable") == 1);
  CHECK(names.count("crash heap statistics") == 1);
}
