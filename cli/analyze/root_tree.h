// The part of an ownership tree that is shown: the largest subtrees, until there are enough of them.
// Why best first: the tree is the whole heap; what is left out is a sum, so that every level adds up.
// Shape:  of a node with children, descendants == children.size() + sum over them of descendants + rest.objects + rest.descendants,
//         and subtree sizes alike; siblings by falling subtree size, of equals the lower number first. A node without children may
//         have some that are not shown. Links whose targets have their place elsewhere in the tree are listed where a node has few
//         of those, else counted. O(n + links of the nodes).
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/heap_roots/ownership.h"

namespace holdfast::cli {

struct LinkedObject {
  std::uint32_t object = 0;
  bool soft = false;
};

// Siblings that are not shown.
struct SiblingRest {
  std::uint64_t objects = 0;
  std::uint64_t subtree_bytes = 0;
  std::uint64_t descendants = 0;
  std::uint32_t max_depth = 0;
};

struct RootTreeNode {
  std::uint32_t object = 0;
  std::uint32_t depth = 0;              // 0: a root
  bool soft = false;                    // the link that it was reached by
  std::vector<std::uint32_t> children;  // nodes
  SiblingRest rest;                     // of the children
  std::vector<LinkedObject> elsewhere;  // empty where they are many
  std::uint64_t elsewhere_count = 0;
};

struct RootTree {
  std::vector<RootTreeNode> nodes;
  std::vector<std::uint32_t> roots;  // nodes
  SiblingRest rest;                  // of the roots
};

struct RootTreeLimits {
  std::size_t nodes = 0;
  std::uint32_t depth = 0;                     // levels
  static constexpr std::size_t kFewLinks = 3;  // listed one by one
};

RootTree root_tree(const analysis::CountedReferences& references, const analysis::LinkScope& scope,
                   const analysis::Ownership& ownership, const RootTreeLimits& limits);

// Whether the first link between the two, by which a search reaches the second, is a soft one.
bool is_soft_link(const analysis::CountedReferences& references, const analysis::LinkScope& scope,
                  std::uint32_t from, std::uint32_t to);

}  // namespace holdfast::cli
