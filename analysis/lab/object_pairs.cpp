#include "analysis/lab/object_pairs.h"

#include <algorithm>
#include <unordered_map>

namespace holdfast::analysis::lab {

namespace {

constexpr std::size_t kMostSteps = 6;  // of a way that is shown
constexpr std::string_view kStackChunk = "jdk.internal.vm.StackChunk";
constexpr std::string_view kThrowable = "java.lang.Throwable";
constexpr std::string_view kStringClass = "java.lang.String";

// The references of `v`, sorted by label; equal labels keep their order.
std::vector<LabelGroup> groups_of(const Snapshot& s, ObjectId v) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = s.first_ref[v.value]; i < s.first_ref[v.value + 1]; ++i)
    order.push_back(i);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return s.label[a].bits < s.label[b].bits;
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  std::vector<LabelGroup> groups;
  for (const std::uint32_t i : order) {
    if (groups.empty() || groups.back().label != s.label[i])
      groups.push_back({s.label[i], std::vector<ObjectId>{}});
    groups.back().targets.push_back(s.target[i]);
  }
  return groups;
}

std::string_view special_text(RefLabel label) {
  switch (static_cast<SpecialRef>(label.bits)) {
    case SpecialRef::kClass:
      return "<class>";
    case SpecialRef::kClassLoader:
      return "<loader>";
    case SpecialRef::kSuperclass:
      return "<superclass>";
    case SpecialRef::kInterface:
      return "<interface>";
    case SpecialRef::kSigners:
      return "<signers>";
    case SpecialRef::kProtectionDomain:
      return "<protection domain>";
    case SpecialRef::kConstantPool:
      return "<constant>";
    case SpecialRef::kElement:
      return "[]";
    default:
      return strength_of(label) == Strength::kStrong ? "<other>" : ".referent";
  }
}

}  // namespace

std::string_view class_name_of(const Snapshot& s, ObjectId v) {
  const ClassId c = s.class_of[v.value];
  return c.valid() ? s.catalog.class_name(c) : "(unknown class)";
}

std::string label_text(const Snapshot& s, ObjectId referrer, RefLabel label) {
  if (label.is_special()) return std::string(special_text(label));
  const std::string index = std::to_string(label.index());
  if (label.is_element()) return "[" + index + (label.saturated() ? "+]" : "]");
  if (label.is_static_field()) return ".static " + index;
  const ClassId c = s.class_of[referrer.value];
  const std::string_view name = c.valid() ? s.catalog.field_name(c, label.index()) : "";
  return "." + (name.empty() ? "field " + index : std::string(name));
}

ObjectPairs::ObjectPairs(const Snapshot& first, const Snapshot& second,
                         GraphDifferences& differences)
    : first_(first),
      second_(second),
      differences_(differences),
      classes_(first, second),
      of_first_(first.object_count()),
      of_second_(second.object_count()),
      referrer_(first.object_count()),
      label_(first.object_count()) {}

std::string ObjectPairs::way_to(ObjectId a) const {
  std::string text(class_name_of(first_, a));
  text += " #" + std::to_string(a.value);
  for (std::size_t step = 0; step < kMostSteps && referrer_[a.value].valid(); ++step) {
    const ObjectId from = referrer_[a.value];
    text += " <- ";
    text += class_name_of(first_, from);
    text += " " + label_text(first_, from, label_[a.value]);
    a = from;
  }
  return text;
}

bool ObjectPairs::flagged(const Snapshot& s, ObjectId v, ClassFlag flag) const {
  const ClassId c = s.class_of[v.value];
  return c.valid() && (s.catalog.classes[c.value].flags & flag) != 0;
}

bool ObjectPairs::is_throwable(const Snapshot& s, ObjectId v) const {
  for (ClassId c = s.class_of[v.value]; c.valid(); c = s.catalog.classes[c.value].superclass)
    if (s.catalog.class_name(c) == kThrowable) return true;
  return false;
}

void ObjectPairs::pair(ObjectId a, ObjectId b, ObjectId referrer, RefLabel label) {
  if (of_first_[a.value] == b) return;
  if (of_first_[a.value].valid() || of_second_[b.value].valid()) {
    differences_.tell(GraphDifference::kTwoPartners, [&] {
      return (of_first_[a.value].valid() ? way_to(a) : std::string(class_name_of(first_, a))) +
             "; also " + std::string(class_name_of(second_, b)) + " #" + std::to_string(b.value) +
             (referrer.valid()
                  ? " by " + way_to(referrer) + " " + label_text(first_, referrer, label)
                  : std::string{});
    });
    return;
  }
  of_first_[a.value] = b;
  of_second_[b.value] = a;
  referrer_[a.value] = referrer;
  label_[a.value] = label;
  ++pairs_;
  queue_.push_back(a);
}

void ObjectPairs::check_alike(ObjectId a, ObjectId b) {
  if (!classes_.same(first_.class_of[a.value], second_.class_of[b.value]))
    differences_.tell(GraphDifference::kClass, [&] {
      return way_to(a) + ": in the second of class " + std::string(class_name_of(second_, b));
    });
  else if (first_.class_of[a.value].valid())
    pair_class_objects(first_.class_of[a.value], second_.class_of[b.value]);
  if (first_.shallow_bytes(a) != second_.shallow_bytes(b))
    differences_.tell(GraphDifference::kShallowBytes, [&] {
      return way_to(a) + ": " + std::to_string(first_.shallow_bytes(a)) + " and " +
             std::to_string(second_.shallow_bytes(b)) + " bytes";
    });
}

void ObjectPairs::pair_class_objects(ClassId a, ClassId b) {
  const ObjectId in_first = first_.catalog.classes[a.value].mirror;
  const ObjectId in_second = second_.catalog.classes[b.value].mirror;
  if (in_first.valid() && in_second.valid()) pair(in_first, in_second);
}

void ObjectPairs::pair_named_classes() {
  for (std::uint32_t c = 0; c < first_.catalog.class_count(); ++c)
    if (classes_.of_first(ClassId{c}).valid())
      pair_class_objects(ClassId{c}, classes_.of_first(ClassId{c}));
}

bool ObjectPairs::pair_statics_of(std::string_view class_name) {
  for (std::uint32_t c = 0; c < first_.catalog.class_count(); ++c) {
    const ClassId other = classes_.of_first(ClassId{c});
    if (!other.valid() || first_.catalog.class_name(ClassId{c}) != class_name) continue;
    const ObjectId a = first_.catalog.classes[c].mirror;
    const ObjectId b = second_.catalog.classes[other.value].mirror;
    if (!a.valid() || !b.valid()) return false;
    pair(a, b);
    compare_statics(a, b);
    return true;
  }
  return false;
}

void ObjectPairs::compare_statics(ObjectId a, ObjectId b) {
  std::vector<LabelGroup> in_first = groups_of(first_, a);
  std::vector<LabelGroup> in_second = groups_of(second_, b);
  const auto other = [](const LabelGroup& group) { return !group.label.is_static_field(); };
  std::erase_if(in_first, other);
  std::erase_if(in_second, other);
  compare_all(a, b, in_first, in_second);
}

void ObjectPairs::follow() {
  while (!queue_.empty()) {
    const ObjectId a = queue_.back();
    queue_.pop_back();
    check_alike(a, of_first_[a.value]);
    if (through_class_objects_ || !flagged(first_, a, kClassClass))
      compare_rows(a, of_first_[a.value]);
  }
}

void ObjectPairs::compare_rows(ObjectId a, ObjectId b) {
  compare_all(a, b, groups_of(first_, a), groups_of(second_, b));
}

void ObjectPairs::compare_all(ObjectId a, ObjectId b, const std::vector<LabelGroup>& in_first,
                              const std::vector<LabelGroup>& in_second) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < in_first.size() || j < in_second.size()) {
    const bool first_left = i < in_first.size();
    const bool second_left = j < in_second.size();
    if (first_left && second_left && in_first[i].label == in_second[j].label)
      compare_groups(a, in_first[i++], in_second[j++]);
    else if (first_left && (!second_left || in_first[i].label.bits < in_second[j].label.bits))
      only_in_first(a, in_first[i++]);
    else
      only_in_second(a, b, in_second[j++]);
  }
}

// Takes out what has its partner in the other group already.
void ObjectPairs::drop_known_pairs(LabelGroup& in_first, LabelGroup& in_second) const {
  std::unordered_multimap<std::uint32_t, std::size_t> places;
  for (std::size_t j = 0; j < in_second.targets.size(); ++j)
    places.emplace(in_second.targets[j].value, j);
  for (ObjectId& a : in_first.targets) {
    const auto found = places.find(of_first_[a.value].value);
    if (found == places.end()) continue;
    in_second.targets[found->second] = ObjectId{};
    places.erase(found);
    a = ObjectId{};
  }
  std::erase_if(in_first.targets, [](ObjectId v) { return !v.valid(); });
  std::erase_if(in_second.targets, [](ObjectId v) { return !v.valid(); });
}

void ObjectPairs::compare_groups(ObjectId a, const LabelGroup& in_first,
                                 const LabelGroup& in_second) {
  if (in_first.label == special(SpecialRef::kConstantPool) && flagged(first_, a, kClassClass))
    return compare_constants(a, in_first, in_second);
  LabelGroup left_in_first = in_first;
  LabelGroup left_in_second = in_second;
  if (in_first.label.is_special()) drop_known_pairs(left_in_first, left_in_second);
  const std::size_t common = std::min(left_in_first.targets.size(), left_in_second.targets.size());
  for (std::size_t i = 0; i < common; ++i)
    pair(left_in_first.targets[i], left_in_second.targets[i], a, in_first.label);
  left_in_first.targets.erase(left_in_first.targets.begin(),
                              left_in_first.targets.begin() + static_cast<std::ptrdiff_t>(common));
  left_in_second.targets.erase(
      left_in_second.targets.begin(),
      left_in_second.targets.begin() + static_cast<std::ptrdiff_t>(common));
  only_in_first(a, left_in_first);
  only_in_second(a, of_first_[a.value], left_in_second);
}

// What the standard interface names may be a field without a name: one that the VM adds to class objects, or one of a class that is
// not linked. It must lead to the same all the same.
bool ObjectPairs::pair_renamed(ObjectId a, ObjectId target, RefLabel label) {
  const ObjectId b = of_first_[a.value];
  const bool of_class = flagged(first_, a, kClassClass) && label.is_special();
  if (!of_class && !(flagged(first_, a, kClassPlatform) && label.is_instance_field())) return false;
  for (std::uint32_t i = second_.first_ref[b.value]; i < second_.first_ref[b.value + 1]; ++i) {
    const ObjectId other = second_.target[i];
    if (second_.label[i] != special(SpecialRef::kOther) ||
        class_name_of(second_, other) != class_name_of(first_, target) ||
        (of_second_[other.value].valid() && of_second_[other.value] != target) ||
        unnamed_.count(i) != 0)
      continue;
    pair(target, other, a, label);
    if (!of_class) unnamed_.insert(i);
    return true;
  }
  return false;
}

void ObjectPairs::only_in_first(ObjectId a, const LabelGroup& group) {
  if (group.label == special(SpecialRef::kConstantPool) && flagged(first_, a, kClassClass))
    return compare_constants(a, group, {group.label, {}});
  for (const ObjectId target : group.targets)
    if (!pair_renamed(a, target, group.label))
      differences_.tell(GraphDifference::kReferenceOnlyInFirst, [&] {
        return way_to(a) + " has " + label_text(first_, a, group.label) + " to " +
               std::string(class_name_of(first_, target));
      });
}

// What FollowReferences does not tell; each kind counted.
bool ObjectPairs::may_be_hidden(ObjectId a, ObjectId b, RefLabel label) {
  const bool added = label == special(SpecialRef::kOther);
  if (flagged(second_, b, kClassClass)) {
    const bool untold = first_.first_ref[a.value] == first_.first_ref[a.value + 1];
    if (label.is_instance_field() || added)
      differences_.add(GraphDifference::kClassObjectField);
    else if (untold)
      differences_.add(GraphDifference::kUnlinkedClass);
    else
      return false;
    return true;
  }
  // Such as ResolvedMethodName.vmholder; and Throwable.backtrace, which the VM hides from its own interface.
  if (!added || !(flagged(second_, b, kClassPlatform) || is_throwable(second_, b))) return false;
  differences_.add(GraphDifference::kInjectedField);
  return true;
}

// One of those fields without a name: its target has its partner by now, since such labels come last.
bool ObjectPairs::is_unnamed(ObjectId b, ObjectId target) {
  for (std::uint32_t i = second_.first_ref[b.value]; i < second_.first_ref[b.value + 1]; ++i) {
    if (second_.target[i] != target || unnamed_.erase(i) == 0) continue;
    differences_.add(GraphDifference::kUnnamedField);
    return true;
  }
  return false;
}

void ObjectPairs::only_in_second(ObjectId a, ObjectId b, const LabelGroup& group) {
  if (group.label == special(SpecialRef::kConstantPool) && flagged(second_, b, kClassClass))
    return compare_constants(a, {group.label, {}}, group);
  if (class_name_of(second_, b) == kStackChunk) {
    chunk_referents_.insert(chunk_referents_.end(), group.targets.begin(), group.targets.end());
    return differences_.add(GraphDifference::kStackChunkReference, group.targets.size());
  }
  for (const ObjectId target : group.targets)
    if (!is_unnamed(b, target) && !may_be_hidden(a, b, group.label))
      differences_.tell(GraphDifference::kReferenceOnlyInSecond, [&] {
        return way_to(a) + " has " + label_text(second_, b, group.label) + " to " +
               std::string(class_name_of(second_, target));
      });
}

ObjectPairs::Constants ObjectPairs::constants_of(const Snapshot& s, const LabelGroup& group) const {
  Constants found;
  for (const ObjectId target : group.targets) {
    if (flagged(s, target, kClassClass))
      found.classes.targets.push_back(target);
    else
      (flagged(s, target, kClassArray) ? found.arrays : found.strings).push_back(target);
  }
  return found;
}

void ObjectPairs::add_strings_of(ObjectId array, std::vector<ObjectId>& strings) const {
  for (std::uint32_t i = second_.first_ref[array.value]; i < second_.first_ref[array.value + 1];
       ++i)
    if (class_name_of(second_, second_.target[i]) == kStringClass)
      strings.push_back(second_.target[i]);
}

// What a constant pool holds: the standard interface tells its classes and strings, the memory has an array of what was resolved,
// whether the strings are told one by one besides or not. Both keep them in the order of the pool.
void ObjectPairs::compare_constants(ObjectId a, const LabelGroup& in_first,
                                    const LabelGroup& in_second) {
  Constants ours = constants_of(first_, in_first);
  Constants theirs = constants_of(second_, in_second);
  drop_known_pairs(ours.classes, theirs.classes);
  differences_.add(GraphDifference::kConstantClass,
                   ours.classes.targets.size() + theirs.classes.targets.size());
  const bool names_strings = !theirs.strings.empty();
  for (std::size_t i = 0; i < theirs.arrays.size(); ++i) {
    const ObjectId array = theirs.arrays[i];
    if (i < ours.arrays.size()) {
      pair(ours.arrays[i], array, a, in_first.label);
      continue;
    }
    differences_.add(GraphDifference::kResolvedConstants);
    resolved_constants_.push_back(array);
    if (!names_strings) add_strings_of(array, theirs.strings);
  }
  pair_strings(a, ours.strings, theirs.strings);
}

void ObjectPairs::pair_strings(ObjectId a, const std::vector<ObjectId>& in_first,
                               const std::vector<ObjectId>& in_second) {
  const RefLabel label = special(SpecialRef::kConstantPool);
  LabelGroup left{label, in_first};
  LabelGroup right{label, in_second};
  drop_known_pairs(left, right);
  if (left.targets.size() <= right.targets.size()) {
    for (std::size_t i = 0; i < left.targets.size(); ++i)
      pair(left.targets[i], right.targets[i], a, label);
    return;
  }
  for (std::size_t i = right.targets.size(); i < left.targets.size(); ++i)
    differences_.tell(GraphDifference::kConstant, [&] {
      return way_to(a) + ": " + std::to_string(left.targets.size()) + " strings in the first and " +
             std::to_string(right.targets.size()) + " in the second";
    });
}

}  // namespace holdfast::analysis::lab
