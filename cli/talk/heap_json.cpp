#include "cli/talk/heap_json.h"

#include <nlohmann/json.hpp>

namespace holdfast::cli {
namespace {

Json known_count(std::uint64_t count) {
  return count == kUnknownCount ? Json(nullptr) : Json(count);
}

}  // namespace

Json heap_json(const HeapFigures& heap) {
  return {{"used_bytes", heap.used_bytes},
          {"committed_bytes", heap.committed_bytes},
          {"max_bytes", heap.max_bytes}};
}

Json collections_json(const CollectionFigures& figures) {
  Json json = collection_counts_json(figures);
  json["used_after_bytes"] = known_count(figures.used_after_bytes);
  json["max_bytes"] = known_count(figures.max_bytes);
  json["last_pause_ms"] =
      figures.last_pause_ns == kUnknownCount ? Json(nullptr) : milliseconds(figures.last_pause_ns);
  json["heard"] = heard_collections_json(figures.heard);
  return json;
}

}  // namespace holdfast::cli
