#include "analysis/lab/same_graph.h"

#include "analysis/lab/object_pairs.h"
#include "analysis/lab/root_pairs.h"

namespace holdfast::analysis::lab {

namespace {

// What the given objects hold, of those that have no partner.
std::vector<bool> reached_without_partner(const ObjectPairs& pairs,
                                          const std::vector<ObjectId>& from) {
  const Snapshot& s = pairs.first();
  std::vector<bool> reached(s.object_count());
  std::vector<ObjectId> stack;
  const auto reach = [&](ObjectId v) {
    if (!v.valid() || reached[v.value] || pairs.of_first(v).valid()) return;
    reached[v.value] = true;
    stack.push_back(v);
  };
  for (const ObjectId v : from) reach(v);
  while (!stack.empty()) {
    const ObjectId v = stack.back();
    stack.pop_back();
    reach(s.implied_class_object(v));
    for (std::uint32_t i = s.first_ref[v.value]; i < s.first_ref[v.value + 1]; ++i)
      reach(s.target[i]);
  }
  return reached;
}

void tell_lone_objects(ObjectPairs& pairs, const std::vector<ObjectId>& internal) {
  const std::vector<bool> excused = reached_without_partner(pairs, internal);
  for (std::uint32_t a = 0; a < pairs.first().object_count(); ++a) {
    if (pairs.of_first(ObjectId{a}).valid()) continue;
    if (excused[a])
      pairs.differences().tell(GraphDifference::kObjectOnlyInternal,
                               [&] { return pairs.way_to(ObjectId{a}); });
    else
      pairs.differences().tell(GraphDifference::kObjectOnlyInFirst,
                               [&] { return pairs.way_to(ObjectId{a}); });
  }
  pairs.differences().add(GraphDifference::kObjectOnlyInSecond,
                          pairs.second().object_count() - pairs.pairs());
}

// References of those that have a partner.
std::uint64_t references_of(const Snapshot& s, const std::vector<ObjectId>& partners) {
  std::uint64_t references = 0;
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (partners[v].valid()) references += s.first_ref[v + 1] - s.first_ref[v];
  return references;
}

}  // namespace

GraphComparison compare_graphs(const Snapshot& first, const Snapshot& second,
                               ClassesOfSecond classes) {
  GraphComparison result;
  ObjectPairs pairs(first, second, result.differences);
  pairs.pair_named_classes();
  RootPairs roots(pairs, classes == ClassesOfSecond::kSomeUntold);
  roots.pair_threads();
  pairs.follow();
  roots.pair_roots();
  tell_lone_objects(pairs, roots.internal_in_first());
  result.pairs = pairs.pairs();
  result.references_in_first = references_of(first, pairs.partners_of_first());
  result.references_in_second = references_of(second, pairs.partners_of_second());
  return result;
}

GraphComparison compare_held_by(const Snapshot& first, const Snapshot& second,
                                std::string_view class_name) {
  GraphComparison result;
  ObjectPairs pairs(first, second, result.differences);
  pairs.stop_at_class_objects();
  if (!pairs.pair_statics_of(class_name)) return result;
  pairs.follow();
  result.pairs = pairs.pairs();
  return result;
}

}  // namespace holdfast::analysis::lab
