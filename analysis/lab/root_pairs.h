// Pairs the GC roots of two captures of the same heap: by kind, thread, method, depth, slot and class, then by what the objects lead to.
// Shape:  one key a root; roots that share a key are paired where their objects are pairs already, then by colour, then in order.
// Zone:   offline.   Errors: none; what differs goes to GraphDifferences.
#pragma once

#include <string>
#include <vector>

#include "analysis/lab/object_pairs.h"

namespace holdfast::analysis::lab {

// How the name of the thread that captures begins, whatever interface it is for; its frames and JNI references are ours.
inline constexpr std::string_view kCaptureThreadName = "holdfast capture";

class RootPairs {
 public:
  explicit RootPairs(ObjectPairs& pairs, bool some_classes_untold = false)
      : pairs_(pairs), some_classes_untold_(some_classes_untold) {}

  void pair_threads();
  // All roots, and what follows from them; what is left over is told or counted.
  void pair_roots();
  // Objects that only a root which may differ holds, each side.
  const std::vector<ObjectId>& internal_in_first() const { return internal_in_first_; }

 private:
  struct Group {
    std::vector<RootRecord> first;
    std::vector<RootRecord> second;
  };

  std::vector<Group> group_roots() const;
  void drop_known(Group& group) const;
  void pair_by_colour(std::vector<Group>& groups);
  void pair_in_order(Group& group);
  void pair_by_size(std::vector<Group>& groups);
  void pair_constants(const std::vector<Group>& groups);
  void pair_chunk_locals(std::vector<Group>& groups);
  void tell(const Group& group);
  void tell_first(const RootRecord& root);
  void tell_second(const RootRecord& root);

  bool is_untold_class(const RootRecord& root) const;

  ObjectPairs& pairs_;
  bool some_classes_untold_;
  std::vector<ObjectId> internal_in_first_;
};

}  // namespace holdfast::analysis::lab
