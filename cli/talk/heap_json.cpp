#include "cli/talk/heap_json.h"

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
  return {{"young", known_count(figures.young)},
          {"full", known_count(figures.full)},
          {"concurrent", known_count(figures.cycles)},
          {"pause_ms",
           figures.pause_ns == kUnknownCount ? Json(nullptr) : milliseconds(figures.pause_ns)},
          {"used_after_bytes", known_count(figures.used_after_bytes)},
          {"max_bytes", known_count(figures.max_bytes)}};
}

}  // namespace holdfast::cli
