#include "analysis/lab/named_labels.h"

#include <string>
#include <unordered_map>

#include "analysis/lab/class_pairs.h"

namespace holdfast::analysis::lab {

namespace {

using Slots = std::unordered_map<std::string, std::uint32_t>;

// "shop.Session.user" -> slot in an object of class `of`.
Slots slots_of(const Snapshot& s, ClassId of) {
  Slots slots;
  const std::uint32_t interface_fields = s.catalog.classes[of.value].interface_field_count;
  for (ClassId c = of; c.valid(); c = s.catalog.classes[c.value].superclass) {
    const ClassRow& row = s.catalog.classes[c.value];
    for (std::uint32_t i = 0; i < row.field_count; ++i)
      slots.emplace(std::string(s.catalog.class_name(c)) + "." +
                        std::string(s.catalog.strings.view(s.catalog.fields[row.first_field + i])),
                    interface_fields + row.chain_offset + i);
  }
  return slots;
}

// Slot in the second -> slot in the first.
using Renumbered = std::unordered_map<std::uint32_t, std::uint32_t>;

Renumbered renumbered(const Snapshot& first, ClassId a, const Snapshot& second, ClassId b) {
  Renumbered to;
  const Slots wanted = slots_of(first, a);
  for (const auto& [name, slot] : slots_of(second, b))
    if (const auto at = wanted.find(name); at != wanted.end()) to.emplace(slot, at->second);
  return to;
}

std::vector<RootRecord> without_slots(const Snapshot& s) {
  std::vector<RootRecord> roots(s.roots.begin(), s.roots.end());
  for (RootRecord& root : roots) root.slot = 0;
  return roots;
}

std::vector<ThreadRow> without_numbers(const Snapshot& s) {
  std::vector<ThreadRow> threads(s.catalog.threads.begin(), s.catalog.threads.end());
  for (ThreadRow& thread : threads) thread.vm_id = 0;
  return threads;
}

}  // namespace

NamedLabels::NamedLabels(const Snapshot& first, const Snapshot& second)
    : first_(first),
      second_(second),
      labels_(second.label.begin(), second.label.end()),
      first_roots_(without_slots(first)),
      second_roots_(without_slots(second)),
      first_threads_(without_numbers(first)),
      second_threads_(without_numbers(second)),
      second_classes_(second.catalog.classes.begin(), second.catalog.classes.end()),
      second_loaders_(second.catalog.loaders.begin(), second.catalog.loaders.end()) {
  first_.catalog.threads = first_threads_;
  second_.catalog.threads = second_threads_;
  second_.catalog.classes = second_classes_;
  adopt_loaders();
  second_.catalog.loaders = second_loaders_;
  renumber_labels();
  second_.label = labels_;
  first_.roots = first_roots_;
  second_.roots = second_roots_;
}

void NamedLabels::adopt_loaders() {
  const auto loader_name = [](const Snapshot& s, const ClassRow& row) {
    return s.catalog.strings.view(s.catalog.loaders[row.loader.value].name);
  };
  std::unordered_map<std::string_view, std::string_view> loader_of;
  for (const ClassRow& row : first_.catalog.classes)
    loader_of.emplace(first_.catalog.strings.view(row.name), loader_name(first_, row));
  // None of them is taken for one that keeps its classes: that is what the second does not know.
  std::unordered_map<std::string_view, std::uint32_t> known;
  for (const LoaderRow& row : second_.catalog.loaders) {
    known.emplace(second_.catalog.strings.view(row.name),
                  static_cast<std::uint32_t>(second_loaders_.size()));
    second_loaders_.push_back({row.name, row.object, false});
  }
  for (ClassRow& row : second_classes_) {
    if (loader_name(second_, row) != "?") continue;
    const auto wanted = loader_of.find(second_.catalog.strings.view(row.name));
    if (wanted == loader_of.end()) continue;
    if (const auto at = known.find(wanted->second); at != known.end())
      row.loader = LoaderId{at->second};
  }
}

void NamedLabels::renumber_labels() {
  const ClassPairs pairs(first_, second_);
  std::vector<Renumbered> of_class(second_.catalog.class_count());
  std::unordered_map<std::uint32_t, std::uint32_t> class_of_mirror;
  for (std::uint32_t a = 0; a < first_.catalog.class_count(); ++a) {
    const ClassId b = pairs.of_first(ClassId{a});
    if (!b.valid()) continue;
    of_class[b.value] = renumbered(first_, ClassId{a}, second_, b);
    if (const ObjectId mirror = second_classes_[b.value].mirror; mirror.valid())
      class_of_mirror.emplace(mirror.value, b.value);
  }
  for (std::uint32_t v = 0; v < second_.object_count(); ++v) {
    const auto mirror = class_of_mirror.find(v);
    for (std::uint32_t i = second_.first_ref[v]; i < second_.first_ref[v + 1]; ++i) {
      const RefLabel label = labels_[i];
      const bool is_static = label.is_static_field();
      if (label.saturated() || !(is_static || label.is_instance_field())) continue;
      const ClassId of = is_static && mirror != class_of_mirror.end() ? ClassId{mirror->second}
                                                                      : second_.class_of[v];
      if (!of.valid()) continue;
      const auto to = of_class[of.value].find(label.index());
      if (to == of_class[of.value].end()) continue;
      labels_[i] =
          is_static ? RefLabel::static_field(to->second) : RefLabel::instance_field(to->second);
    }
  }
}

}  // namespace holdfast::analysis::lab
