// Walks two graphs of the same heap in pairs of objects: a pair must be alike, and its references, label by label, lead to pairs.
// Why so: object numbers mean nothing across captures, but every reference has a label; from a few pairs that can be named (class
//      objects, threads) all others follow, and each step is a check.
// Shape:  8 B an object for partners, 6 B for the way to it; each row is compared once, O(n + m log of a row).
// Zone:   offline.   Errors: none; what differs goes to GraphDifferences.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/lab/class_pairs.h"
#include "analysis/lab/graph_differences.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis::lab {

// References of one object that share a label, in the order of the row.
struct LabelGroup {
  RefLabel label{};
  std::vector<ObjectId> targets{};
};

class ObjectPairs {
 public:
  ObjectPairs(const Snapshot& first, const Snapshot& second, GraphDifferences& differences);

  // Says that `a` is `b`. The first one to say so for an object is believed, later ones must agree.
  void pair(ObjectId a, ObjectId b, ObjectId referrer = {}, RefLabel label = {});
  // Compares what the pairs refer to, and so on, until nothing new is found.
  void follow();
  // Class objects are pairs still, but what they refer to is not compared.
  void stop_at_class_objects() { through_class_objects_ = false; }
  // The pairs that the static fields of one class lead to; false where a snapshot has no such class.
  bool pair_statics_of(std::string_view class_name);
  void pair_named_classes();

  ObjectId of_first(ObjectId a) const { return of_first_[a.value]; }
  ObjectId of_second(ObjectId b) const { return of_second_[b.value]; }
  const std::vector<ObjectId>& partners_of_first() const { return of_first_; }
  const std::vector<ObjectId>& partners_of_second() const { return of_second_; }
  // Of the second: what stack chunks and class objects hold that the first may have as roots.
  const std::vector<ObjectId>& chunk_referents() const { return chunk_referents_; }
  const std::vector<ObjectId>& resolved_constants() const { return resolved_constants_; }
  std::uint64_t pairs() const { return pairs_; }

  const ClassPairs& classes() const { return classes_; }
  const Snapshot& first() const { return first_; }
  const Snapshot& second() const { return second_; }
  GraphDifferences& differences() { return differences_; }
  // "shop.Session #17 <- java.util.HashMap$Node .value <- …"
  std::string way_to(ObjectId a) const;

 private:
  struct Constants {
    LabelGroup classes;
    std::vector<ObjectId> strings;
    std::vector<ObjectId> arrays;
  };

  void check_alike(ObjectId a, ObjectId b);
  void pair_class_objects(ClassId a, ClassId b);
  void compare_rows(ObjectId a, ObjectId b);
  void compare_statics(ObjectId a, ObjectId b);
  void compare_all(ObjectId a, ObjectId b, const std::vector<LabelGroup>& in_first,
                   const std::vector<LabelGroup>& in_second);
  void compare_groups(ObjectId a, const LabelGroup& in_first, const LabelGroup& in_second);
  bool pair_renamed(ObjectId a, ObjectId target, RefLabel label);
  bool is_unnamed(ObjectId b, ObjectId target);
  bool may_be_hidden(ObjectId a, ObjectId b, RefLabel label);
  void only_in_first(ObjectId a, const LabelGroup& group);
  void only_in_second(ObjectId a, ObjectId b, const LabelGroup& group);
  void compare_constants(ObjectId a, const LabelGroup& in_first, const LabelGroup& in_second);
  Constants constants_of(const Snapshot& s, const LabelGroup& group) const;
  void add_strings_of(ObjectId array, std::vector<ObjectId>& strings) const;
  void pair_strings(ObjectId a, const std::vector<ObjectId>& in_first,
                    const std::vector<ObjectId>& in_second);
  void drop_known_pairs(LabelGroup& in_first, LabelGroup& in_second) const;
  bool is_throwable(const Snapshot& s, ObjectId v) const;
  bool flagged(const Snapshot& s, ObjectId v, ClassFlag flag) const;

  const Snapshot& first_;
  const Snapshot& second_;
  GraphDifferences& differences_;
  ClassPairs classes_;
  std::vector<ObjectId> of_first_;
  std::vector<ObjectId> of_second_;
  std::vector<ObjectId> referrer_;  // [first's objects]: the pair that led to it
  std::vector<RefLabel> label_;
  std::vector<ObjectId> queue_;
  std::vector<ObjectId> chunk_referents_;
  std::vector<ObjectId> resolved_constants_;
  std::unordered_set<std::uint32_t>
      unnamed_;  // references of the second that are paired without a name
  std::uint64_t pairs_ = 0;
  bool through_class_objects_ = true;
};

std::string label_text(const Snapshot& s, ObjectId referrer, RefLabel label);
std::string_view class_name_of(const Snapshot& s, ObjectId v);

}  // namespace holdfast::analysis::lab
