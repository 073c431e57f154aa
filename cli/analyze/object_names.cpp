#include "cli/analyze/object_names.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace holdfast::cli {

using namespace analysis;

ObjectNames::ObjectNames(const QueryInput& input) : in_(input) {
  const auto& classes = input.snapshot.catalog.classes;
  for (std::size_t c = 0; c < classes.size(); ++c)
    if (classes[c].mirror.valid()) class_of_mirror_.emplace(classes[c].mirror.value, c);
}

std::string ObjectNames::class_text(ClassId id) const {
  return id.valid() ? std::string(in_.snapshot.catalog.class_name(id)) : "(unknown class)";
}

std::string ObjectNames::address_text(std::uint32_t object) const {
  char text[32];
  if (in_.addresses.empty())
    std::snprintf(text, sizeof text, "#%" PRIu32, object);
  else
    std::snprintf(text, sizeof text, "0x%" PRIx64, in_.addresses[object]);
  return text;
}

std::string ObjectNames::object_text(ObjectId object) const {
  const Catalog& catalog = in_.snapshot.catalog;
  const auto stands_for = class_of_mirror_.find(object.value);
  const std::string text =
      stands_for == class_of_mirror_.end()
          ? class_text(in_.snapshot.class_of[object.value])
          : "class " + std::string(catalog.strings.view(catalog.classes[stands_for->second].name));
  return text + " @ " + address_text(object.value);
}

ObjectSet ObjectNames::chosen(const std::string& text) const {
  ObjectQuery query;
  query.pattern = text;
  constexpr std::string_view kLoader = "loader:", kPackage = "package:";
  if (text.starts_with(kLoader)) {
    query.by = SelectBy::kLoaderName;
    query.pattern.remove_prefix(kLoader.size());
  } else if (text.starts_with(kPackage)) {
    query.by = SelectBy::kPackage;
    query.pattern.remove_prefix(kPackage.size());
  }
  const CancelToken cancel;
  const ObjectSet set =
      need(select_objects(in_.snapshot, query, in_.arena, cancel), "choosing objects");
  if (set.objects == 0)
    throw QueryError(
        "'" + text +
        "' matches no object; wanted is a class name such as java.lang.String, a pattern such as "
        "com.acme.*, loader:NAME or package:NAME");
  return set;
}

std::uint32_t ObjectNames::object_at(const char* option, const std::string& text) const {
  char* end = nullptr;
  const bool number = text.starts_with('#');
  const std::uint64_t value = std::strtoull(text.c_str() + (number ? 1 : 0), &end, number ? 10 : 0);
  if (*end == '\0' && end != text.c_str()) {
    if (number && value < in_.snapshot.object_count()) return static_cast<std::uint32_t>(value);
    const auto at = std::ranges::find(in_.addresses, value);
    if (!number && at != in_.addresses.end())
      return static_cast<std::uint32_t>(at - in_.addresses.begin());
    throw QueryError(std::string(option) + " " + text + ": there is no object at this address");
  }
  const ObjectSet set = chosen(text);
  std::uint32_t largest = ObjectId::kNoneValue;
  set.for_each([&](std::uint32_t v) {
    const auto& retained = in_.findings.dominators.retained_bytes;
    if (largest == ObjectId::kNoneValue || retained[v] > retained[largest]) largest = v;
  });
  return largest;
}

}  // namespace holdfast::cli
