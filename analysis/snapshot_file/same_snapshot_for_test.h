// For tests only: do two snapshots say the same?
// Shape:  O(snapshot).   Zone: tests.   Errors: doctest's.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <span>

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

template <class A, class B>
bool same_bytes(std::span<A> a, std::span<B> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

inline bool same(const ClassRow& a, const ClassRow& b) {
  return a.name == b.name && a.loader == b.loader && a.superclass == b.superclass &&
         a.mirror == b.mirror && a.first_field == b.first_field && a.field_count == b.field_count &&
         a.chain_offset == b.chain_offset && a.interface_field_count == b.interface_field_count &&
         a.referent == b.referent && a.flags == b.flags;
}
inline bool same(const LoaderRow& a, const LoaderRow& b) {
  return a.name == b.name && a.object == b.object && a.builtin == b.builtin;
}
inline bool same(const ThreadRow& a, const ThreadRow& b) {
  return a.name == b.name && a.object == b.object && a.vm_id == b.vm_id && a.daemon == b.daemon;
}
inline bool same(const MethodRow& a, const MethodRow& b) {
  return a.class_name == b.class_name && a.name == b.name;
}
inline bool same(const RootRecord& a, const RootRecord& b) {
  return a.object == b.object && a.thread == b.thread && a.method == b.method &&
         a.location == b.location && a.depth == b.depth && a.slot == b.slot && a.kind == b.kind;
}
template <class Rows>
bool same_rows(const Rows& a, const Rows& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same(x, y); });
}

inline void check_same(const Snapshot& a, const Snapshot& b) {
  CHECK(same_bytes(a.class_of, b.class_of));
  CHECK(same_bytes(a.shallow_units, b.shallow_units));
  CHECK(same_bytes(a.first_ref, b.first_ref));
  CHECK(same_bytes(a.target, b.target));
  CHECK(same_bytes(a.label, b.label));
  CHECK(same_rows(a.roots, b.roots));
  CHECK(same_rows(a.catalog.classes, b.catalog.classes));
  CHECK(same_rows(a.catalog.loaders, b.catalog.loaders));
  CHECK(same_rows(a.catalog.threads, b.catalog.threads));
  CHECK(same_rows(a.catalog.methods, b.catalog.methods));
  CHECK(same_bytes(a.catalog.fields, b.catalog.fields));
  REQUIRE(a.catalog.strings.size() == b.catalog.strings.size());
  for (std::uint32_t id = 0; id < a.catalog.strings.size(); ++id) {
    REQUIRE(a.catalog.strings.view(StringId{id}) == b.catalog.strings.view(StringId{id}));
  }
  CHECK(a.shallow_unit_bytes == b.shallow_unit_bytes);
  CHECK(a.roots_alike == b.roots_alike);
  CHECK(a.losses.names_dropped == b.losses.names_dropped);
}

}  // namespace holdfast::analysis
