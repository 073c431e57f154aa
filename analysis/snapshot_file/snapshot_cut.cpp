#include "analysis/snapshot_file/snapshot_cut.h"

#include <algorithm>

namespace holdfast::analysis {
namespace {

// References end where the file does; rows behind are empty.
void shorten_rows(SnapshotParts& parts) noexcept {
  const auto references = static_cast<std::uint32_t>(parts.target.size);
  for (std::size_t v = 0; v <= parts.class_of.size; ++v)
    parts.first_ref[v] = std::min(parts.first_ref[v], references);
}

// Where references stand between objects, some refer to objects that come behind the cut.
void drop_references_to_missing(SnapshotParts& parts) noexcept {
  const std::size_t objects = parts.class_of.size;
  std::uint32_t kept = 0;
  for (std::size_t v = 0, i = 0; v < objects; ++v) {
    for (const std::uint32_t end = parts.first_ref[v + 1]; i < end; ++i) {
      if (parts.target.all[i].value >= objects) continue;
      parts.target.all[kept] = parts.target.all[i];
      parts.label[kept++] = parts.label[i];
    }
    parts.first_ref[v + 1] = kept;
  }
  parts.target.size = kept;
}

void forget_missing(ObjectId& object, std::size_t objects) noexcept {
  if (object.value >= objects) object = ObjectId{};
}

}  // namespace

void mend_cut(SnapshotParts& parts, SnapshotCut& cut) noexcept {
  const std::size_t objects = parts.class_of.size;
  cut.objects_missing = parts.counts.objects - objects;
  cut.addresses_missing = parts.counts.addresses - parts.addresses_seen;
  shorten_rows(parts);
  drop_references_to_missing(parts);
  cut.references_missing = parts.counts.references - parts.target.size;
  for (ClassRow& row : parts.classes.filled()) forget_missing(row.mirror, objects);
  for (LoaderRow& row : parts.loaders.filled()) forget_missing(row.object, objects);
  for (ThreadRow& row : parts.threads.filled()) forget_missing(row.object, objects);
  const auto roots = parts.roots.filled();
  const auto kept = std::remove_if(roots.begin(), roots.end(), [objects](const RootRecord& r) {
    return r.object.value >= objects;
  });
  cut.roots_dropped = static_cast<std::uint64_t>(roots.end() - kept);
  parts.roots.size = static_cast<std::size_t>(kept - roots.begin());
}

bool names_and_kinds_good(const SnapshotParts& parts) noexcept {
  const auto name = [&parts](StringId id) {
    return !id.valid() || id.value < parts.strings.size();
  };
  const auto all = [](const auto& rows, auto good) {
    return std::all_of(rows.begin(), rows.end(), good);
  };
  return all(parts.classes.filled(),
             [&](const ClassRow& r) {
               return name(r.name) && static_cast<std::size_t>(r.referent) < kStrengthCount;
             }) &&
         all(parts.fields.filled(), name) &&
         all(parts.loaders.filled(), [&](const LoaderRow& r) { return name(r.name); }) &&
         all(parts.threads.filled(), [&](const ThreadRow& r) { return name(r.name); }) &&
         all(parts.methods.filled(),
             [&](const MethodRow& r) { return name(r.class_name) && name(r.name); }) &&
         all(parts.roots.filled(),
             [](const RootRecord& r) { return static_cast<std::size_t>(r.kind) < kRootKindCount; });
}

}  // namespace holdfast::analysis
