#include "analysis/lab/object_colours.h"

#include <functional>
#include <string_view>

namespace holdfast::analysis::lab {

namespace {

std::uint64_t mixed_colour(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

std::uint64_t first_colour(const Snapshot& s, std::uint32_t v, std::uint64_t pair) {
  if (pair != 0) return mixed_colour(pair * 2 + 1);
  const ClassId c = s.class_of[v];
  const std::string_view name = c.valid() ? s.catalog.class_name(c) : "";
  return mixed_colour(std::hash<std::string_view>{}(name) + s.shallow_bytes(ObjectId{v}));
}

// One capture tells more of these than another.
bool is_class_object(const Snapshot& s, std::uint32_t v) {
  const ClassId c = s.class_of[v];
  return c.valid() && (s.catalog.classes[c.value].flags & kClassClass) != 0;
}

}  // namespace

std::vector<std::uint64_t> colour_objects(const Snapshot& s,
                                          const std::vector<std::uint64_t>& name_of_pair) {
  std::vector<std::uint64_t> colour(s.object_count());
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    colour[v] = first_colour(s, v, name_of_pair[v]);
  for (int round = 0; round < kColourRounds; ++round) {
    std::vector<std::uint64_t> next = colour;
    for (std::uint32_t v = 0; v < s.object_count(); ++v) {
      if (name_of_pair[v] != 0 || is_class_object(s, v)) continue;
      // A sum, because the order of references with other labels is not told; and only one capture tells those without a name.
      for (std::uint32_t i = s.first_ref[v]; i < s.first_ref[v + 1]; ++i)
        if (s.label[i] != special(SpecialRef::kOther))
          next[v] += mixed_colour(colour[s.target[i].value] + s.label[i].bits);
      next[v] = mixed_colour(next[v]);
    }
    colour.swap(next);
  }
  return colour;
}

}  // namespace holdfast::analysis::lab
