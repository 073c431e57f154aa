#include "analysis/lab/heap_like.h"

#include "analysis/lab/random.h"

namespace holdfast::analysis::lab {

namespace {

enum HeapClass : std::uint32_t {
  kClass,
  kString,
  kBytes,
  kMap,
  kTable,
  kNode,
  kList,
  kArray,
  kLink,
  kEntity,
  kSoft,
  kPluginEntity,
  kPluginNode,
  kClassCount
};

class HeapMaker {
 public:
  HeapMaker(std::uint32_t objects, std::uint64_t seed) : random_(seed), wanted_(objects) {
    graph_.class_of.reserve(objects + 4096);
    graph_.shallow_units.reserve(objects + 4096);
    edges_.reserve(std::size_t{objects} * 5 / 2 + 8192);
  }

  LabGraph make() {
    make_classes();
    while (graph_.object_count() < wanted_) make_structure();
    set_edges(graph_, edges_);
    edges_ = {};
    return std::move(graph_);
  }

 private:
  std::uint32_t object(HeapClass id, std::uint32_t units) {
    graph_.class_of.push_back(ClassId{id});
    graph_.shallow_units.push_back(units);
    return graph_.object_count() - 1;
  }
  void refer(std::uint32_t from, std::uint32_t to, std::uint32_t index = 0) {
    edges_.push_back({from, to, RefLabel::element(index)});
  }

  void make_classes() {
    graph_.classes.resize(kClassCount);
    const std::uint32_t plugin_loader = object(kMap, 8);
    for (std::uint32_t c = 0; c < kClassCount; ++c) {
      const std::uint32_t mirror = object(kClass, 14);
      graph_.classes[c].mirror = ObjectId{mirror};
      if (c < kPluginEntity)
        graph_.add_root(mirror, RootKind::kSystemClass);
      else
        refer(plugin_loader, mirror);
    }
    graph_.classes[kSoft].referent = Strength::kSoft;
    graph_.add_root(plugin_loader, RootKind::kJniGlobal);
    for (std::uint32_t i = 0; i < 64; ++i) {  // static tables that structures are put into
      tops_.push_back(object(kArray, 512));
      refer(i % kPluginEntity + 1, tops_.back());
    }
  }

  std::uint32_t make_string() {
    if (!strings_.empty() && random_.chance(45)) return strings_[random_.below(strings_.size())];
    const std::uint32_t made = object(kString, 3);
    refer(made, object(kBytes, 3 + random_.below(8)));
    if (strings_.size() < 50'000)
      strings_.push_back(made);
    else
      strings_[random_.below(strings_.size())] = made;
    return made;
  }

  std::uint32_t make_entity() {
    const std::uint32_t made = object(random_.chance(5) ? kPluginEntity : kEntity, 5);
    refer(made, make_string(), 0);
    if (random_.chance(60)) refer(made, make_string(), 1);
    for (std::uint32_t i = 2; i < 6 && !recent_.empty(); ++i) {
      refer(made, recent_[random_.below(recent_.size())], i);
      if (random_.chance(50)) refer(recent_[random_.below(recent_.size())], made, i + 4);
    }
    if (recent_.size() < 4096)
      recent_.push_back(made);
    else
      recent_[random_.below(recent_.size())] = made;
    return made;
  }

  void make_map(std::uint32_t top) {
    const std::uint32_t map = object(kMap, 6);
    const std::uint32_t size = 1 + random_.below(random_.chance(4) ? 40'000 : 60);
    const std::uint32_t table = object(kTable, 2 + size);
    refer(top, map);
    refer(map, table);
    std::uint32_t before = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t node = object(random_.chance(5) ? kPluginNode : kNode, 4);
      if (i % 3 == 2)
        refer(before, node, 2);
      else
        refer(table, node, i);
      refer(node, make_string(), 0);
      refer(node, make_value(), 1);
      before = node;
    }
  }

  std::uint32_t make_value() {
    if (random_.chance(25) && !recent_.empty()) return recent_[random_.below(recent_.size())];
    if (random_.chance(2)) {
      const std::uint32_t soft = object(kSoft, 5);
      edges_.push_back({soft, object(kBytes, 64), special(SpecialRef::kReferentSoft)});
      return soft;
    }
    return make_entity();
  }

  void make_list(std::uint32_t top) {
    const std::uint32_t list = object(kList, 3);
    const std::uint32_t size = 1 + random_.below(random_.chance(3) ? 20'000 : 40);
    const std::uint32_t array = object(kArray, 2 + size);
    refer(top, list);
    refer(list, array);
    for (std::uint32_t i = 0; i < size; ++i) refer(array, make_value(), i);
  }

  void make_links(std::uint32_t top) {  // a doubly linked list
    std::uint32_t before = object(kLink, 4);
    refer(top, before);
    for (std::uint32_t i = random_.below(random_.chance(2) ? 5'000 : 20); i > 0; --i) {
      const std::uint32_t link = object(kLink, 4);
      refer(before, link, 0);
      refer(link, before, 1);
      refer(link, make_value(), 2);
      before = link;
    }
  }

  void make_structure() {
    std::uint32_t top = tops_[random_.below(tops_.size())];
    if (random_.chance(70) && !recent_.empty()) top = recent_[random_.below(recent_.size())];
    const std::uint32_t dice = random_.below(10);
    if (dice < 5)
      make_map(top);
    else if (dice < 8)
      make_list(top);
    else
      make_links(top);
  }

  Random random_;
  std::uint32_t wanted_;
  LabGraph graph_;
  std::vector<LabEdge> edges_;
  std::vector<std::uint32_t> tops_, strings_, recent_;
};

}  // namespace

LabGraph heap_like(std::uint32_t objects, std::uint64_t seed, ObjectOrder order) {
  const LabGraph made = HeapMaker(objects, seed).make();
  return renumbered(made, order == ObjectOrder::kCapture
                              ? capture_order(made)
                              : shuffled_order(made.object_count(), seed));
}

}  // namespace holdfast::analysis::lab
