#include "analysis/lab/class_pairs.h"

#include <unordered_map>

namespace holdfast::analysis::lab {

namespace {

// The class behind each key; invalid where several share it.
std::unordered_map<std::string, ClassId> unique_classes(const Snapshot& s) {
  std::unordered_map<std::string, ClassId> found;
  for (std::uint32_t c = 0; c < s.catalog.class_count(); ++c) {
    const auto [place, fresh] = found.try_emplace(class_key(s, ClassId{c}), ClassId{c});
    if (!fresh) place->second = ClassId{};
  }
  return found;
}

}  // namespace

std::string class_key(const Snapshot& s, ClassId id) {
  if (!id.valid()) return "";
  const ClassRow& row = s.catalog.classes[id.value];
  std::string key(s.catalog.strings.view(row.name));
  key += '\n';
  if (row.loader.value < s.catalog.loaders.size())
    key += s.catalog.strings.view(s.catalog.loaders[row.loader.value].name);
  return key;
}

ClassPairs::ClassPairs(const Snapshot& first, const Snapshot& second)
    : first_(first),
      second_(second),
      of_first_(first.catalog.class_count()),
      of_second_(second.catalog.class_count()) {
  const auto in_first = unique_classes(first);
  const auto in_second = unique_classes(second);
  for (const auto& [key, a] : in_first) {
    const auto found = in_second.find(key);
    if (a.valid() && found != in_second.end() && found->second.valid()) pair(a, found->second);
  }
}

void ClassPairs::pair(ClassId a, ClassId b) {
  of_first_[a.value] = b;
  of_second_[b.value] = a;
  ++paired_;
}

bool ClassPairs::same(ClassId a, ClassId b) {
  if (!a.valid() || !b.valid()) return a.valid() == b.valid();
  if (of_first_[a.value].valid() || of_second_[b.value].valid()) return of_first_[a.value] == b;
  if (class_key(first_, a) != class_key(second_, b)) return false;
  pair(a, b);
  return true;
}

}  // namespace holdfast::analysis::lab
