#include "analysis/lab/thesis/simple_load.h"

#include <algorithm>
#include <stdexcept>

#include "analysis/lab/random.h"
#include "analysis/lab/thesis/graph_maker.h"

namespace holdfast::analysis::lab {

namespace {

// nodes, classes, references, roots, leaves, components, cyclic, largest, component leaves, points, dominating ones, cities, MB
constexpr SimpleLoadShape kSimpleLoadRows[] = {
    {678'375, 844, 675'428, 4'493, 353'987, 678'165, 30, 69, 353'989, 323'414, 323'028, 26'749, 9},
    {678'452, 844, 675'462, 4'542, 354'035, 678'242, 30, 69, 354'037, 323'435, 323'047, 26'747, 18},
    {678'424, 844, 675'465, 4'511, 353'998, 678'214, 30, 69, 354'000, 323'444, 323'056, 26'745, 27},
    {678'455, 844, 675'494, 4'514, 354'007, 678'239, 30, 69, 354'009, 323'464, 323'076, 26'744, 36},
    {678'458, 844, 675'496, 4'514, 354'002, 678'248, 30, 69, 354'004, 323'474, 323'086, 26'742, 45},
    {678'408, 844, 675'468, 4'486, 353'962, 678'198, 30, 69, 353'964, 323'471, 323'087, 26'740, 54},
    {678'468, 844, 675'528, 4'493, 353'981, 678'252, 30, 69, 353'983, 323'503, 323'115, 26'739, 63},
    {678'471, 844, 675'530, 4'493, 353'976, 678'261, 30, 69, 353'978, 323'513, 323'125, 26'737, 72},
    {678'480, 844, 675'533, 4'499, 353'976, 678'270, 30, 69, 353'978, 323'522, 323'134, 26'735, 81},
    {1'347'237, 844, 1'344'293, 4'500, 701'729, 1'347'020, 30, 69, 701'731, 644'523, 644'135,
     53'485, 9},
};

constexpr std::uint32_t kNodesOfCity = 25, kInnerOfCity = 12, kLeavesOfCity = 13, kPersons = 5;
constexpr std::uint32_t kSpine = 7;   // from the main root to the array of cities, and the registry
constexpr std::uint32_t kDetour = 3;  // nodes on a longer way to the second of the spine
constexpr std::uint32_t kMaxHeight = 38;  // of the component graph; a chain of sharing nodes has it
constexpr std::uint32_t kMaxFamily = 17;  // generations; the dominator tree is 20 high
constexpr std::uint32_t kShared = 64;     // leaves that several refer to
constexpr std::uint32_t kMegabyteUnits = 131'074;

enum LoadClass : std::uint32_t {
  kCity = 1,
  kPerson,
  kString,
  kChars,
  kInteger,
  kAbc,
  kDoubles,
  kFirstRelative,
  kOther = kFirstRelative + 6
};

class LoadMaker {
 public:
  LoadMaker(const SimpleLoadShape& shape, std::uint64_t seed)
      : shape_(shape), random_(seed), maker_(shape.classes, shape.nodes, shape.references) {
    if (shape.classes <= kOther || shape.cyclic < 2 || shape.largest < 4 ||
        shape.component_leaves < shape.leaves)
      throw std::invalid_argument("simple load");
    sinks_ = shape.component_leaves - shape.leaves;
  }

  LabGraph make() {
    make_spine();
    for (std::uint32_t i = 0; i < shape_.cities; ++i) make_city();
    for (std::uint32_t i = 0; i < shape_.megabyte_arrays; ++i) {
      dominating(kAbc, registry_);
      leaf(kDoubles, last_, kMegabyteUnits);
    }
    make_roots();
    make_cycles();
    make_sharing();
    make_family();
    if (maker_.nodes() != shape_.nodes || maker_.references() > shape_.references)
      throw std::invalid_argument("nodes or references");
    while (maker_.references() < shape_.references)
      maker_.refer(sharing_[random_.below(sharing_.size())], shared_[random_.below(kShared)]);
    const LabGraph made = maker_.finish();
    return renumbered(made, capture_order(made));
  }

 private:
  std::uint32_t object(std::uint32_t class_id, std::uint32_t referrer, std::uint32_t units = 3) {
    const std::uint32_t v = maker_.node(class_id, units);
    maker_.refer(referrer, v);
    return v;
  }
  std::uint32_t any_class() { return kOther + random_.below(shape_.classes - kOther); }
  void leaf(std::uint32_t class_id, std::uint32_t referrer, std::uint32_t units = 4) {
    object(class_id, referrer, units);
    ++leaves_;
  }
  void dominating(std::uint32_t class_id, std::uint32_t referrer) {
    last_ = object(class_id, referrer);
    ++dominating_;
  }
  std::uint32_t root_node() {
    const bool is_class = classes_made_++ < shape_.classes;
    const std::uint32_t v =
        maker_.node(is_class ? std::uint32_t{GraphMaker::kClassObject} : any_class(), 3);
    maker_.root(v);
    return v;
  }

  // The main root refers to the registry of all else, and over the largest cycle to the array of cities; the way into the cycle is
  // also taken by a detour, so that it is three longer in the component graph than in its dominator tree.
  void make_spine() {
    main_ = maker_.node(any_class(), 3);
    maker_.root(main_);
    registry_ = object(any_class(), main_, 512);
    std::uint32_t detour = main_;
    for (std::uint32_t i = 0; i < kDetour; ++i) detour = object(any_class(), detour);
    const std::uint32_t second = object(any_class(), main_);
    maker_.refer(detour, second);
    const std::uint32_t entry = object(any_class(), second);
    const std::uint32_t inside = object(any_class(), entry);
    const std::uint32_t last = object(any_class(), inside);
    maker_.refer(last, entry);
    star(entry, shape_.largest - 2);
    const std::uint32_t list = object(any_class(), object(any_class(), last));
    cities_ = object(any_class(), list, 2 + shape_.cities);
    dominating_ += kSpine;
  }
  void star(std::uint32_t entry, std::uint32_t nodes) {
    for (std::uint32_t i = 1; i < nodes; ++i) maker_.refer(object(any_class(), entry), entry);
  }

  void make_city() {
    dominating(kCity, cities_);
    const std::uint32_t city = last_;
    leaf(kInteger, city);
    leaf(kInteger, city);
    named(city);
    std::uint32_t before = city;
    for (std::uint32_t i = 0; i < kPersons; ++i) {
      dominating(kPerson, before);
      before = last_;
      leaf(kInteger, before);
      named(before);
    }
  }
  void named(std::uint32_t what) {
    dominating(kString, what);
    leaf(kChars, last_, 3 + random_.below(4));
  }

  // Of eight roots that are not the main one seven are isolated; the others dominate two leaves.
  void make_roots() {
    for (std::uint32_t i = 1; i < shape_.roots; ++i) {
      const std::uint32_t v = root_node();
      if (i % 8 != 0) {
        ++leaves_;
        continue;
      }
      ++dominating_;
      leaf(any_class(), v);
      leaf(any_class(), v);
    }
    if (classes_made_ < shape_.classes) throw std::invalid_argument("class objects are roots");
  }

  void make_cycles() {
    const std::uint32_t count = shape_.cyclic - 1;
    const std::uint32_t nodes = shape_.nodes + shape_.cyclic - shape_.components - shape_.largest;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t entry = object(any_class(), registry_);
      star(entry, nodes / count + (i < nodes % count ? 1 : 0));
      if (i < sinks_) continue;
      ++dominating_;
      leaf(any_class(), entry);
    }
  }

  // The registry refers to each, so none dominates the next one; the first chain is as long as the component graph is high.
  void make_sharing() {
    const std::uint32_t inner = shape_.components - shape_.component_leaves;
    const std::uint32_t count = inner - shape_.dominating_points - kDetour;
    const std::uint32_t private_leaves = shape_.articulation_points - shape_.dominating_points;
    if (count < std::max(kMaxHeight + 2 * kShared, private_leaves))
      throw std::invalid_argument("sharing nodes");
    for (std::uint32_t i = 0; i < kShared; ++i) shared_.push_back(maker_.node(kString, 3));
    leaves_ += kShared;
    const std::uint32_t chain =
        kMaxHeight - 3;  // behind the main root and the registry, a leaf at its end
    for (std::uint32_t i = 0; i < count; ++i) {
      sharing_.push_back(object(any_class(), registry_));
      if (i > 0 && i < chain) maker_.refer(sharing_[i - 1], sharing_[i]);
      if (i + 1 >= chain) maker_.refer(sharing_[i], shared_[i % kShared]);
      if (i >= chain && i - chain < private_leaves) leaf(any_class(), sharing_[i]);
    }
  }

  // Generations of grandparents, parents and children; what leaves are left hang on them.
  void make_family() {
    std::vector<std::uint32_t> relatives;
    while (dominating_ < shape_.dominating_points) {
      const std::uint32_t wanted = relatives.empty() ? kMaxFamily : 1 + random_.below(kMaxFamily);
      const std::uint32_t generations = std::min(wanted, shape_.dominating_points - dominating_);
      std::uint32_t before = registry_;
      for (std::uint32_t i = 0; i < generations; ++i) {
        dominating(kFirstRelative + i % 6, before);
        before = last_;
        relatives.push_back(before);
      }
      leaf(kInteger, before);
    }
    while (leaves_ < shape_.leaves) leaf(kInteger, relatives[random_.below(relatives.size())]);
    if (leaves_ > shape_.leaves) throw std::invalid_argument("leaves");
  }

  const SimpleLoadShape& shape_;
  Random random_;
  GraphMaker maker_;
  std::uint32_t sinks_ = 0;
  std::uint32_t classes_made_ = 0;
  std::uint32_t leaves_ = 0, dominating_ = 0;  // made so far
  std::uint32_t main_ = 0, registry_ = 0, cities_ = 0;
  std::uint32_t last_ = 0;  // the dominating node that was made last
  std::vector<std::uint32_t> sharing_, shared_;
};

}  // namespace

std::span<const SimpleLoadShape> table_5_1_rows() { return kSimpleLoadRows; }

SimpleLoadShape with_cities(const SimpleLoadShape& shape, std::uint32_t cities) {
  SimpleLoadShape made = shape;
  const std::uint32_t more = cities - shape.cities;  // modulo 2^32, so fewer, too
  made.cities += more;
  made.nodes += more * kNodesOfCity;
  made.components += more * kNodesOfCity;
  made.references += more * kNodesOfCity;
  made.leaves += more * kLeavesOfCity;
  made.component_leaves += more * kLeavesOfCity;
  made.articulation_points += more * kInnerOfCity;
  made.dominating_points += more * kInnerOfCity;
  return made;
}

LabGraph simple_load(const SimpleLoadShape& shape, std::uint64_t seed) {
  return LoadMaker(shape, seed).make();
}

}  // namespace holdfast::analysis::lab
