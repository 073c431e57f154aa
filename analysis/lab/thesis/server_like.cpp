#include "analysis/lab/thesis/server_like.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/lab/random.h"
#include "analysis/lab/thesis/graph_maker.h"
#include "analysis/lab/thesis/server_plan.h"

namespace holdfast::analysis::lab {

namespace {

constexpr std::uint32_t kListLength = 8;  // dominating nodes in a list, on average
constexpr std::uint32_t kMaxSmallChain =
    14;  // sharing nodes, so that all of them reach less than 1 KB
constexpr std::uint32_t kMemberUnits = 5, kHoldingUnits = 3, kNodeUnits = 3, kLeafUnits = 4;
constexpr std::uint32_t kCycleUnits = 4, kLargeCycleUnits = 6, kHugeCycleUnits = 10;
constexpr std::uint32_t kSmallSharedUnits = 8, kLargeSharedUnits = 150;  // 64 B; 1,200 B and more

class ServerMaker {
 public:
  ServerMaker(const ServerShape& shape, std::uint64_t seed)
      : shape_(shape),
        plan_(plan_of(shape)),
        random_(seed),
        maker_(std::max(shape.classes, 1u), shape.nodes, shape.references) {}

  LabGraph make() {
    make_upper();
    make_largest();
    make_roots();
    make_cycles();
    make_lists();
    make_shared();
    make_chains();
    spend_references();
    spend_bytes();
    const LabGraph made = maker_.finish();
    return renumbered(made, capture_order(made));
  }

 private:
  // An instance of some class. A few classes have most of the objects, as on any heap.
  std::uint32_t object(std::uint32_t units) {
    const std::uint32_t among = random_.chance(80) ? 1 + shape_.classes / 50 : shape_.classes;
    return maker_.node(std::min(1 + random_.below(among), shape_.classes - 1), units);
  }
  // Class objects are roots, so the first roots are class objects.
  std::uint32_t root_node(std::uint32_t units) {
    const bool is_class = classes_made_ < shape_.classes;
    const std::uint32_t v = is_class ? maker_.node(GraphMaker::kClassObject, 14) : object(units);
    classes_made_ += is_class ? 1 : 0;
    maker_.root(v);
    return v;
  }
  void leaf_of(std::uint32_t referrer, std::uint32_t height) {
    maker_.refer(referrer, object(kLeafUnits));
    heights_ += height;
  }
  void cycle(std::uint32_t entry, std::uint32_t nodes, std::uint32_t units) {
    for (std::uint32_t i = 1; i < nodes; ++i) {
      const std::uint32_t v = object(units);
      maker_.refer(entry, v);
      maker_.refer(v, entry);
    }
  }
  void double_list(std::uint32_t entry, std::uint32_t nodes) {
    for (std::uint32_t i = 1; i < nodes; ++i) {
      const std::uint32_t v = object(kLargeCycleUnits);
      maker_.refer(entry, v);
      maker_.refer(v, entry);
      entry = v;
    }
  }

  // Layers 1 .. largest_height - 1: the server, one object, and then many of about the same number.
  void make_upper() {
    const std::uint32_t server = object(kNodeUnits);
    maker_.root(server);
    std::vector<std::uint32_t> before{object(kNodeUnits)};
    maker_.refer(server, before[0]);
    heights_ += 1 + 2;
    std::uint32_t rest = plan_.upper_components - 2;
    std::size_t next_cycle = 0;
    for (std::uint32_t layer = 3; layer < shape_.largest_height; ++layer) {
      const std::uint32_t count = rest / (shape_.largest_height - layer);
      rest -= count;
      std::vector<std::uint32_t> now;
      for (std::uint32_t i = 0; i < count; ++i) now.push_back(object(kNodeUnits));
      if (next_cycle < plan_.upper_cycles.size())
        cycle(now[0], plan_.upper_cycles[next_cycle++], kCycleUnits);
      connect_layers(before, now);
      heights_ += layer * count;
      before = std::move(now);
    }
    last_layer_ = std::move(before);
  }
  void connect_layers(const std::vector<std::uint32_t>& from,
                      const std::vector<std::uint32_t>& to) {
    for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i)
      maker_.refer(from[i % from.size()], to[i % to.size()]);
  }

  void make_largest() {
    const std::uint32_t entry = object(kNodeUnits);
    for (const std::uint32_t v : last_layer_) maker_.refer(v, entry);
    for (std::uint32_t i = 0; i < plan_.heads; ++i) {
      heads_.push_back(object(kNodeUnits));
      maker_.refer(entry, heads_.back());
      maker_.refer(heads_.back(), entry);
    }
    members_.reserve(plan_.members);
    for (std::uint32_t i = 0; i < plan_.holders; ++i) {
      const std::uint32_t until =
          static_cast<std::uint32_t>(std::uint64_t{plan_.members} * (i + 1) / plan_.holders);
      make_holder(entry, until - static_cast<std::uint32_t>(members_.size()));
    }
    heights_ += shape_.largest_height + plan_.members * (2 * shape_.largest_height + 3ull);
  }
  void make_holder(std::uint32_t entry, std::uint32_t members) {
    const std::uint32_t holder = object(kNodeUnits), array = object(kNodeUnits);
    maker_.refer(entry, holder);
    maker_.refer(holder, array);
    maker_.refer(holder, entry);
    if (members == 0) throw std::invalid_argument("members of the largest component");
    for (std::uint32_t i = 0; i < members; ++i) {
      const std::uint32_t v = object(kMemberUnits);
      maker_.refer(array, v);
      maker_.refer(v, holder);
      if (i > 0) maker_.refer(members_.back(), v);
      members_.push_back(v);
      const std::uint32_t holding = object(kHoldingUnits);
      maker_.refer(v, holding);
      member_leaves_.push_back(object(kLeafUnits));
      maker_.refer(holding, member_leaves_.back());
    }
  }

  void make_roots() {
    const std::uint64_t single = plan_.isolated_roots + plan_.dominating_roots;
    for (std::uint64_t i = 0; i < single; ++i) {  // mixed, so that class objects are of both kinds
      const std::uint32_t v = root_node(kNodeUnits);
      heights_ += 1;
      if (i * plan_.dominating_roots / single != (i + 1) * plan_.dominating_roots / single)
        dominate(v, 1, 2);
    }
    for (std::uint32_t i = 0; i < plan_.sharing_roots; ++i)
      sharing_roots_.push_back(root_node(kNodeUnits));
    heights_ += plan_.sharing_roots;
  }
  void dominate(std::uint32_t v, std::uint32_t height, std::uint32_t leaves) {
    for (std::uint32_t i = 0; i < leaves; ++i) leaf_of(v, height + 1);
    leaves_made_ += leaves;
    dominating_.push_back({v, height});
  }

  std::uint32_t below_head(std::uint32_t units) {
    const std::uint32_t v = object(units);
    maker_.refer(heads_[next_head_++ % heads_.size()], v);
    tops_.push_back(v);
    return v;
  }

  void make_cycles() {
    const auto count = static_cast<std::uint32_t>(plan_.cycles.size());
    const std::uint32_t sinks_from = count - plan_.sink_cycles;
    const std::uint32_t roots_from = sinks_from - plan_.cycle_roots;
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool is_root = i >= roots_from && i < sinks_from;
      const std::uint32_t large = plan_.huge_cycles + plan_.large_cycles;
      const std::uint32_t units = i < plan_.huge_cycles ? kHugeCycleUnits
                                  : i < large           ? kLargeCycleUnits
                                                        : kCycleUnits;
      const std::uint32_t entry = is_root ? object(units) : below_head(units);
      const std::uint32_t height = is_root ? 1 : shape_.largest_height + 1;
      if (is_root) maker_.root(entry);
      if (i == plan_.huge_cycles)
        double_list(entry, plan_.cycles[i]);
      else
        cycle(entry, plan_.cycles[i], units);
      heights_ += height;
      if (i < sinks_from) dominate(entry, height, is_root ? 2 : 1);
    }
  }

  void make_lists() {
    for (std::uint32_t made = 0; made < plan_.dominating;) {
      const std::uint32_t wanted = 1 + random_.below(2 * kListLength - 1);
      const std::uint32_t length = std::min(wanted, plan_.dominating - made);
      std::uint32_t before = 0;
      for (std::uint32_t i = 0; i < length; ++i) {
        const std::uint32_t v = i == 0 ? below_head(kNodeUnits) : object(kNodeUnits);
        if (i > 0) maker_.refer(before, v);
        heights_ += shape_.largest_height + 1 + i;
        dominate(v, shape_.largest_height + 1 + i, 1);
        before = v;
      }
      made += length;
    }
    while (leaves_made_++ < plan_.dominated_leaves) {
      const auto [v, height] = dominating_[random_.below(dominating_.size())];
      leaf_of(v, height + 1);
    }
  }

  void make_shared() {
    for (std::uint32_t i = 0; i < plan_.small_shared; ++i) {
      small_shared_.push_back(object(kSmallSharedUnits));
      tops_.push_back(small_shared_.back());
    }
    for (std::uint32_t i = 0; i < plan_.large_shared; ++i)
      large_shared_.push_back(object(kLargeSharedUnits + random_.below(kLargeSharedUnits)));
    // Something else than the chains refers to each, too.
    for (const std::uint32_t v : large_shared_) maker_.refer(any_member(), v);
    for (const std::uint32_t v : small_shared_) maker_.refer(any_member(), v);
    const auto shared = static_cast<std::uint32_t>(small_shared_.size());
    for (std::uint32_t i = 0; i < sharing_roots_.size(); ++i) {
      maker_.refer(sharing_roots_[i], small_shared_[i % shared]);
      maker_.refer(sharing_roots_[i], small_shared_[(i + 1) % shared]);
    }
    heights_ += (plan_.small_shared + plan_.large_shared) * (shape_.largest_height + 1ull);
  }

  // Chains are as long as they must be for the average height that is wanted.
  double chain_length() const {
    const double wanted = shape_.average_height * shape_.components;
    const double first = shape_.largest_height + 1.0;
    const double left = wanted - static_cast<double>(heights_) - plan_.sharing * first -
                        plan_.private_leaves * (first + 1);
    return std::clamp(1 + 2 * left / (plan_.sharing + plan_.private_leaves), 1.0,
                      double{kMaxSmallChain});
  }
  void make_chains() {
    const double wanted = chain_length();
    std::uint32_t made = 0;
    // One that is as long as the highest of the table; then those that reach a large leaf, and the rest.
    const std::uint32_t longest = shape_.max_height - shape_.largest_height - 1;
    if (longest < plan_.sharing_1kb) made = chain(made, longest, large_shared_);
    while (made < plan_.sharing) {
      const bool large = made < plan_.sharing_1kb;
      const std::uint32_t until = large ? plan_.sharing_1kb : plan_.sharing;
      const auto whole = static_cast<std::uint32_t>(wanted);
      const bool more = random_.below(1'000) < (wanted - whole) * 1'000;
      const std::uint32_t length = std::min(whole + (more ? 1 : 0), until - made);
      made = chain(made, length, large ? large_shared_ : small_shared_);
    }
  }
  // Each has a member as a referrer of its own, so none dominates the next one.
  std::uint32_t chain(std::uint32_t made, std::uint32_t length,
                      const std::vector<std::uint32_t>& shared) {
    std::uint32_t before = 0;
    for (std::uint32_t i = 0; i < length; ++i, ++made) {
      const std::uint32_t v = object(kNodeUnits);
      maker_.refer(any_member(), v);
      if (i > 0) maker_.refer(before, v);
      const auto leaf = [&](std::uint64_t at) { return at * plan_.private_leaves / plan_.sharing; };
      if (leaf(made) != leaf(made + 1)) leaf_of(v, 0);
      tops_.push_back(v);
      before = v;
    }
    maker_.refer(before, shared[next_shared_++ % shared.size()]);
    return made;
  }
  std::uint32_t any_member() { return members_[random_.below(members_.size())]; }

  void spend_references() {
    if (maker_.references() > shape_.references || maker_.nodes() != shape_.nodes)
      throw std::invalid_argument("references");
    while (maker_.references() < shape_.references)
      maker_.refer(any_member(), tops_[random_.below(tops_.size())]);
  }
  // The leaves of the largest component's members have the bytes that are left.
  void spend_bytes() {
    const std::uint64_t wanted = std::uint64_t{shape_.heap_kb} * 1'024 / kShallowUnitBytes;
    if (maker_.shallow_units() >= wanted) return;
    const std::uint64_t units = wanted - maker_.shallow_units();
    const std::uint64_t each = units / member_leaves_.size();
    std::uint64_t more = units % member_leaves_.size();
    for (const std::uint32_t leaf : member_leaves_) {
      maker_.grow(leaf, random_.below(2 * each + 1) + (more > 0 ? 1 : 0));
      more -= more > 0 ? 1 : 0;
    }
  }

  struct Dominating {
    std::uint32_t node, height;
  };

  const ServerShape& shape_;
  ServerPlan plan_;
  Random random_;
  GraphMaker maker_;
  std::uint32_t classes_made_ = 0;
  std::uint32_t leaves_made_ = 0;
  std::uint32_t next_head_ = 0;
  std::uint32_t next_shared_ = 0;
  std::uint64_t heights_ = 0;  // of the components that are made
  std::vector<std::uint32_t> last_layer_, heads_, members_, member_leaves_, sharing_roots_;
  std::vector<std::uint32_t> small_shared_, large_shared_;
  std::vector<std::uint32_t> tops_;  // what members may refer to without changing the components
  std::vector<Dominating> dominating_;
};

}  // namespace

LabGraph server_like(const ServerShape& shape, std::uint64_t seed) {
  return ServerMaker(shape, seed).make();
}

}  // namespace holdfast::analysis::lab
