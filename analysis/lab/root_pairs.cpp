#include "analysis/lab/root_pairs.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/lab/object_colours.h"

namespace holdfast::analysis::lab {

namespace {

std::string thread_key(const Snapshot& s, ThreadId id) {
  if (!id.valid()) return "-";
  const ThreadRow& row = s.catalog.threads[id.value];
  return std::string(s.catalog.strings.view(row.name)) + "#" + std::to_string(row.vm_id);
}

bool is_captures(const Snapshot& s, const RootRecord& root) {
  return is_local_root(root.kind) && root.thread.valid() &&
         s.catalog.strings.view(s.catalog.threads[root.thread.value].name)
             .starts_with(kCaptureThreadName);
}

// Such a root is a pair's only where it leads to the same.
bool may_differ(const Snapshot& s, const RootRecord& root) {
  return root.kind == RootKind::kOther || is_captures(s, root);
}

// A local of a virtual thread: the catalog lists platform threads only.
bool is_virtual_local(const RootRecord& root) {
  return root.kind == RootKind::kStackLocal && !root.thread.valid();
}

std::string root_key(const Snapshot& s, const RootRecord& root) {
  std::string key(root_kind_name(root.kind));
  key += " of thread " + thread_key(s, root.thread);
  if (root.method.valid()) {
    const MethodRow& method = s.catalog.methods[root.method.value];
    key += " in " + std::string(s.catalog.strings.view(method.class_name)) + "." +
           std::string(s.catalog.strings.view(method.name));
  }
  key += " at depth " + std::to_string(root.depth) + " slot " + std::to_string(root.slot);
  key += ": " + std::string(class_name_of(s, root.object));
  return key;
}

// What both halves of a pair are called when colours are made: the first's number, counted from 1.
std::vector<std::uint64_t> names_of_first(const ObjectPairs& pairs) {
  std::vector<std::uint64_t> names(pairs.first().object_count());
  for (std::uint32_t a = 0; a < names.size(); ++a)
    if (pairs.of_first(ObjectId{a}).valid()) names[a] = std::uint64_t{a} + 1;
  return names;
}

std::vector<std::uint64_t> names_of_second(const ObjectPairs& pairs) {
  std::vector<std::uint64_t> names(pairs.second().object_count());
  for (std::uint32_t b = 0; b < names.size(); ++b)
    if (const ObjectId a = pairs.of_second(ObjectId{b}); a.valid())
      names[b] = std::uint64_t{a.value} + 1;
  return names;
}

using Colours = std::vector<std::uint64_t>;

// Objects without a partner, by colour; each once, in the order in which they were given.
std::map<std::uint64_t, std::vector<ObjectId>> by_colour(const std::vector<ObjectId>& objects,
                                                         const std::vector<ObjectId>& partners,
                                                         const Colours& colours) {
  std::map<std::uint64_t, std::vector<ObjectId>> found;
  std::vector<bool> seen(partners.size());
  for (const ObjectId v : objects) {
    if (partners[v.value].valid() || seen[v.value]) continue;
    seen[v.value] = true;
    found[colours[v.value]].push_back(v);
  }
  return found;
}

void pair_equal_colours(ObjectPairs& pairs, const std::vector<ObjectId>& in_first,
                        const std::vector<ObjectId>& in_second, const Colours& of_first,
                        const Colours& of_second) {
  const auto left = by_colour(in_first, pairs.partners_of_first(), of_first);
  const auto right = by_colour(in_second, pairs.partners_of_second(), of_second);
  for (const auto& [colour, objects] : left) {
    const auto found = right.find(colour);
    if (found == right.end()) continue;
    for (std::size_t i = 0; i < std::min(objects.size(), found->second.size()); ++i)
      pairs.pair(objects[i], found->second[i]);
  }
}

std::vector<ObjectId> objects_of(const std::vector<RootRecord>& roots) {
  std::vector<ObjectId> objects;
  objects.reserve(roots.size());
  for (const RootRecord& root : roots) objects.push_back(root.object);
  return objects;
}

// The object behind each thread's key; invalid where several share it.
std::map<std::string, ObjectId> threads_by_key(const Snapshot& s) {
  std::map<std::string, ObjectId> found;
  for (std::uint32_t t = 0; t < s.catalog.threads.size(); ++t) {
    const auto [place, fresh] =
        found.try_emplace(thread_key(s, ThreadId{t}), s.catalog.threads[t].object);
    if (!fresh) place->second = ObjectId{};
  }
  return found;
}

}  // namespace

void RootPairs::pair_threads() {
  const auto in_second = threads_by_key(pairs_.second());
  for (const auto& [key, object] : threads_by_key(pairs_.first())) {
    const auto found = in_second.find(key);
    if (found != in_second.end() && found->second.valid() && object.valid())
      pairs_.pair(object, found->second);
  }
}

std::vector<RootPairs::Group> RootPairs::group_roots() const {
  std::map<std::string, Group> groups;
  for (const RootRecord& root : pairs_.first().roots)
    groups[root_key(pairs_.first(), root)].first.push_back(root);
  for (const RootRecord& root : pairs_.second().roots)
    groups[root_key(pairs_.second(), root)].second.push_back(root);
  std::vector<Group> list;
  list.reserve(groups.size());
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

// Takes out the roots of pairs.
void RootPairs::drop_known(Group& group) const {
  std::unordered_multimap<std::uint32_t, std::size_t> places;
  for (std::size_t j = 0; j < group.second.size(); ++j)
    places.emplace(group.second[j].object.value, j);
  for (RootRecord& root : group.first) {
    const auto found = places.find(pairs_.of_first(root.object).value);
    if (found == places.end()) continue;
    group.second[found->second].object = ObjectId{};
    root.object = ObjectId{};
    places.erase(found);
  }
  const auto gone = [](const RootRecord& root) { return !root.object.valid(); };
  std::erase_if(group.first, gone);
  std::erase_if(group.second, gone);
}

void RootPairs::pair_in_order(Group& group) {
  drop_known(group);
  if (group.first.empty() || group.first.size() != group.second.size()) return;
  const RootRecord& any = group.first.front();
  if (may_differ(pairs_.first(), any) || (is_virtual_local(any) && group.first.size() > 1)) return;
  for (std::size_t i = 0; i < group.first.size(); ++i)
    pairs_.pair(group.first[i].object, group.second[i].object);
  pairs_.follow();
  drop_known(group);
}

void RootPairs::pair_by_colour(std::vector<Group>& groups) {
  const Colours of_first = colour_objects(pairs_.first(), names_of_first(pairs_));
  const Colours of_second = colour_objects(pairs_.second(), names_of_second(pairs_));
  for (Group& group : groups) {
    drop_known(group);
    if (group.first.empty() || group.second.empty()) continue;
    pair_equal_colours(pairs_, objects_of(group.first), objects_of(group.second), of_first,
                       of_second);
    pairs_.follow();
  }
}

// What is left of the VM's own roots: those of a class that no other has the size of.
void RootPairs::pair_by_size(std::vector<Group>& groups) {
  for (Group& group : groups) {
    drop_known(group);
    if (group.first.empty() || group.first.front().kind != RootKind::kOther) continue;
    std::map<std::uint64_t, Group> by_size;
    for (const RootRecord& root : group.first)
      by_size[pairs_.first().shallow_bytes(root.object)].first.push_back(root);
    for (const RootRecord& root : group.second)
      by_size[pairs_.second().shallow_bytes(root.object)].second.push_back(root);
    for (const auto& [bytes, same] : by_size)
      if (same.first.size() == 1 && same.second.size() == 1)
        pairs_.pair(same.first[0].object, same.second[0].object);
    pairs_.follow();
  }
}

// Arrays of resolved constants: roots in the first where a class may be unloaded, references of its class object in the second.
void RootPairs::pair_constants(const std::vector<Group>& groups) {
  std::vector<ObjectId> internal;
  for (const Group& group : groups)
    for (const RootRecord& root : group.first)
      if (root.kind == RootKind::kOther) internal.push_back(root.object);
  if (internal.empty() || pairs_.resolved_constants().empty()) return;
  pair_equal_colours(pairs_, internal, pairs_.resolved_constants(),
                     colour_objects(pairs_.first(), names_of_first(pairs_)),
                     colour_objects(pairs_.second(), names_of_second(pairs_)));
  pairs_.follow();
}

// Frames of virtual threads that rest: roots in the first, references of a StackChunk in the second.
void RootPairs::pair_chunk_locals(std::vector<Group>& groups) {
  std::vector<ObjectId> locals;
  for (Group& group : groups)
    for (const RootRecord& root : group.first)
      if (is_virtual_local(root)) locals.push_back(root.object);
  if (locals.empty()) return;
  pair_equal_colours(pairs_, locals, pairs_.chunk_referents(),
                     colour_objects(pairs_.first(), names_of_first(pairs_)),
                     colour_objects(pairs_.second(), names_of_second(pairs_)));
  pairs_.follow();
  std::vector<bool> in_chunk(pairs_.second().object_count());
  for (const ObjectId b : pairs_.chunk_referents()) in_chunk[b.value] = true;
  for (Group& group : groups)
    std::erase_if(group.first, [&](const RootRecord& root) {
      const ObjectId b = pairs_.of_first(root.object);
      if (!is_virtual_local(root) || !b.valid() || !in_chunk[b.value]) return false;
      pairs_.differences().add(GraphDifference::kVirtualThreadLocal);
      return true;
    });
}

void RootPairs::pair_roots() {
  std::vector<Group> groups = group_roots();
  for (Group& group : groups) {
    drop_known(group);
    if (group.first.size() == 1 && group.second.size() == 1 &&
        !may_differ(pairs_.first(), group.first[0]))
      pairs_.pair(group.first[0].object, group.second[0].object);
  }
  pairs_.follow();
  pair_by_colour(groups);
  for (Group& group : groups) pair_in_order(group);
  pair_constants(groups);
  pair_by_size(groups);
  pair_chunk_locals(groups);
  for (Group& group : groups) {
    drop_known(group);
    tell(group);
  }
}

void RootPairs::tell(const Group& group) {
  for (const RootRecord& root : group.first) tell_first(root);
  for (const RootRecord& root : group.second) tell_second(root);
}

// The second has no class of it, or not its loader.
bool RootPairs::is_untold_class(const RootRecord& root) const {
  const Catalog& first = pairs_.first().catalog;
  const Catalog& second = pairs_.second().catalog;
  for (std::uint32_t c = 0; c < first.class_count(); ++c) {
    if (first.classes[c].mirror != root.object || root.kind != RootKind::kSystemClass) continue;
    const ClassId other = pairs_.classes().of_first(ClassId{c});
    return !other.valid() || !second.classes[other.value].mirror.valid() ||
           !second.loaders[second.classes[other.value].loader.value].builtin;
  }
  return false;
}

void RootPairs::tell_first(const RootRecord& root) {
  const bool internal = root.kind == RootKind::kOther;
  if (internal || is_captures(pairs_.first(), root)) {
    internal_in_first_.push_back(root.object);
    return pairs_.differences().add(internal ? GraphDifference::kInternalRoot
                                             : GraphDifference::kCaptureThread);
  }
  if (some_classes_untold_ && is_untold_class(root))
    return pairs_.differences().add(GraphDifference::kClassUntold);
  pairs_.differences().tell(GraphDifference::kRootOnlyInFirst,
                            [&] { return root_key(pairs_.first(), root); });
}

void RootPairs::tell_second(const RootRecord& root) {
  if (is_captures(pairs_.second(), root))
    return pairs_.differences().add(GraphDifference::kCaptureThread);
  // A class object that the standard interface did not reach at all.
  const bool unseen = root.kind == RootKind::kSystemClass && !pairs_.of_second(root.object).valid();
  if (root.kind == RootKind::kOther || unseen)
    return pairs_.differences().add(GraphDifference::kInternalRoot);
  pairs_.differences().tell(GraphDifference::kRootOnlyInSecond,
                            [&] { return root_key(pairs_.second(), root); });
}

}  // namespace holdfast::analysis::lab
