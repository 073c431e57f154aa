#include "common/snapshot/snapshot.h"

namespace holdfast {

namespace {

Error wrong_at(std::uint64_t index) noexcept {
  return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(index));
}

bool names_object(ObjectId id, std::uint32_t objects) noexcept {
  return !id.valid() || id.value < objects;
}

Result<void> verify_rows(const Snapshot& s) noexcept {
  const std::size_t n = s.object_count();
  if (n > kMaxObjects || s.shallow_units.size() != n || s.first_ref.size() != n + 1)
    return wrong_at(n);
  if (s.label.size() != s.target.size() || s.first_ref[0] != 0 || s.first_ref[n] != s.target.size())
    return wrong_at(n);
  for (std::size_t v = 0; v < n; ++v)
    if (s.first_ref[v] > s.first_ref[v + 1]) return wrong_at(v);
  return {};
}

Result<void> verify_references(const Snapshot& s) noexcept {
  const std::uint32_t n = s.object_count();
  for (std::size_t i = 0; i < s.target.size(); ++i)
    if (s.target[i].value >= n) return wrong_at(i);
  for (std::size_t i = 0; i < s.roots.size(); ++i) {
    const RootRecord& root = s.roots[i];
    if (root.object.value >= n) return wrong_at(i);
    if (root.thread.valid() && root.thread.value >= s.catalog.threads.size()) return wrong_at(i);
    if (root.method.valid() && root.method.value >= s.catalog.methods.size()) return wrong_at(i);
  }
  return {};
}

Result<void> verify_catalog(const Snapshot& s) noexcept {
  const std::uint32_t n = s.object_count();
  const Catalog& catalog = s.catalog;
  for (std::size_t v = 0; v < n; ++v)
    if (s.class_of[v].valid() && s.class_of[v].value >= catalog.classes.size()) return wrong_at(v);
  for (std::size_t c = 0; c < catalog.classes.size(); ++c) {
    const ClassRow& row = catalog.classes[c];
    const bool fields_fit =
        std::uint64_t{row.first_field} + row.field_count <= catalog.fields.size();
    const bool loader_fits = row.loader.value < catalog.loaders.size();
    const bool superclass_fits =
        !row.superclass.valid() || row.superclass.value < catalog.classes.size();
    if (!fields_fit || !loader_fits || !superclass_fits || !names_object(row.mirror, n))
      return wrong_at(c);
  }
  for (std::size_t i = 0; i < catalog.loaders.size(); ++i)
    if (!names_object(catalog.loaders[i].object, n)) return wrong_at(i);
  for (std::size_t i = 0; i < catalog.threads.size(); ++i)
    if (!names_object(catalog.threads[i].object, n)) return wrong_at(i);
  return {};
}

}  // namespace

Result<void> verify(const Snapshot& snapshot) noexcept {
  HF_CHECK_OK(verify_rows(snapshot));
  HF_CHECK_OK(verify_references(snapshot));
  return verify_catalog(snapshot);
}

}  // namespace holdfast
