#include "jvmti/tracking/named_objects.h"

#include <algorithm>

#include "jvmti/class_scan.h"

namespace holdfast::jvmti {

namespace {

// Where the way begins: behind any gap.
std::size_t anchor_of(const WayToObject& way) noexcept {
  for (std::size_t i = way.steps.size(); i-- > 1;)
    if (way.steps[i].label.is_static_field()) return i - 1;
  return 0;
}

}  // namespace

void NamedObjects::add(std::uint32_t number, const WayToObject& way) noexcept {
  NamedHead head;
  NamedStep steps[kMostNamedSteps];
  head.number = number;
  if (!way_to(way, head, steps)) head = NamedHead{number};
  records_.put(head, std::span(steps).first(head.steps));
  next_number_ = std::max(next_number_, number + 1);
  records_.put_numbers({next_number_});
  mailbox_.named_bytes = static_cast<std::uint32_t>(records_.bytes());
}

bool NamedObjects::way_to(const WayToObject& way, NamedHead& head,
                          std::span<NamedStep> out) const noexcept {
  if (way.steps.empty()) return false;
  const std::size_t anchor = anchor_of(way);
  const std::size_t steps = way.steps.size() - 1 - anchor;
  if (steps > out.size() || (way.gap_before != 0 && anchor < way.gap_before)) return false;
  for (std::size_t i = 0; i < steps; ++i)
    if (!step(way.steps[anchor + i], way.steps[anchor + i + 1], out[i])) return false;
  const ObjectId object = way.steps.back().object;
  const ClassId type = snapshot_.class_of[object.value];
  if (!type.valid()) return false;
  head.steps = static_cast<std::uint32_t>(steps);
  head.anchor_tag = tag_of_root(way.steps[anchor].object);
  head.class_tag = jvmti::tag_of(type.value);
  head.address = reader_.address_of(object);
  return true;
}

bool NamedObjects::step(const PathStep& from, const PathStep& to, NamedStep& out) const noexcept {
  const RefLabel label = to.label;
  if (label.saturated()) return false;
  if (label.is_element()) {
    out = {label.index(), NamedStepKind::kElement};
    return true;
  }
  if (label.is_static_field()) return field(class_behind(from.object), label, out);
  return label.is_instance_field() && field(snapshot_.class_of[from.object.value], label, out);
}

bool NamedObjects::field(ClassId of, RefLabel label, NamedStep& out) const noexcept {
  const std::uint32_t row = snapshot_.catalog.field_index(of, label.index());
  if (row >= frozen_.field_ids.size()) return false;
  const Address id = frozen_.field_ids[row];
  const bool is_static = label.is_static_field();
  if (id == 0 || is_instance_field(id) == is_static) return false;
  out = {id, is_static ? NamedStepKind::kStaticField : NamedStepKind::kField};
  return true;
}

ClassId NamedObjects::class_behind(ObjectId mirror) const noexcept {
  const std::span<const ClassRow> classes = snapshot_.catalog.classes;
  for (std::uint32_t c = 0; c < classes.size(); ++c)
    if (classes[c].mirror == mirror) return ClassId{c};
  return {};
}

// The numbers of class_scan.h: classes, threads, loaders without the first, which is no object.
std::int64_t NamedObjects::tag_of_root(ObjectId root) const noexcept {
  const Catalog& catalog = snapshot_.catalog;
  if (const ClassId type = class_behind(root); type.valid()) return jvmti::tag_of(type.value);
  std::uint32_t number = catalog.class_count();
  for (const ThreadRow& thread : catalog.threads) {
    if (thread.object == root) return jvmti::tag_of(number);
    ++number;
  }
  for (std::size_t l = 1; l < catalog.loaders.size(); ++l, ++number)
    if (catalog.loaders[l].object == root) return jvmti::tag_of(number);
  return place_tag(reader_.address_of(root), reader_.heap_start());
}

}  // namespace holdfast::jvmti
