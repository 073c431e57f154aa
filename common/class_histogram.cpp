#include "common/class_histogram.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "common/utf8.h"

namespace holdfast {

namespace {

// By bytes, and of equals the one that the VM loaded first: the same heap gives the same rows.
bool larger(const CountedClass& a, const CountedClass& b) noexcept {
  return a.shallow_bytes != b.shallow_bytes ? a.shallow_bytes > b.shallow_bytes
                                            : a.class_index < b.class_index;
}

// Adds, or answers false where the sum would pass `limit`.
bool add_within(std::uint64_t& sum, std::uint64_t value, std::uint64_t limit) noexcept {
  if (value > limit - sum) return false;
  sum += value;
  return true;
}

}  // namespace

ClassTally tally_classes(std::span<const ClassCount> counts,
                         std::span<CountedClass> rows) noexcept {
  ClassTally tally;
  std::size_t kept = 0;  // rows[0, kept) is a heap, its smallest at the front
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const ClassCount& count = counts[c];
    if (count.instances == 0) continue;
    ++tally.classes;
    tally.total_instances += count.instances;
    tally.total_bytes += count.shallow_bytes;
    if (c + 1 == counts.size() || rows.empty()) continue;
    const CountedClass row{0, count.instances, count.shallow_bytes, static_cast<std::uint32_t>(c)};
    if (kept == rows.size()) {
      if (!larger(row, rows.front())) continue;
      std::pop_heap(rows.begin(), rows.end(), &larger);
      rows.back() = row;
    } else {
      rows[kept++] = row;
    }
    std::push_heap(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(kept), &larger);
  }
  std::sort_heap(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(kept), &larger);
  tally.row_count = static_cast<std::uint32_t>(kept);
  return tally;
}

bool sound(const ClassTally& tally, std::span<const CountedClass> rows,
           std::uint32_t class_count) noexcept {
  if (tally.row_count > rows.size() || tally.row_count > tally.classes) return false;
  std::uint64_t instances = 0;
  std::uint64_t bytes = 0;
  for (const CountedClass& row : rows.first(tally.row_count)) {
    if (row.class_index >= class_count) return false;
    if (!add_within(instances, row.instances, tally.total_instances) ||
        !add_within(bytes, row.shallow_bytes, tally.total_bytes))
      return false;
  }
  return true;
}

std::uint64_t class_identity(const Catalog& catalog, const ClassRow& row) noexcept {
  const std::string_view name = catalog.strings.view(row.name);
  const std::string_view loader = row.loader.valid() && row.loader.value < catalog.loaders.size()
                                      ? catalog.strings.view(catalog.loaders[row.loader.value].name)
                                      : std::string_view{};
  return XXH3_64bits_withSeed(name.data(), name.size(), XXH3_64bits(loader.data(), loader.size()));
}

std::size_t merge_rows(const Catalog& catalog, std::span<CountedClass> rows) noexcept {
  for (CountedClass& row : rows)
    row.identity = class_identity(catalog, catalog.classes[row.class_index]);
  std::sort(rows.begin(), rows.end(), [](const CountedClass& a, const CountedClass& b) {
    return a.identity != b.identity ? a.identity < b.identity : a.class_index < b.class_index;
  });
  std::size_t kept = 0;
  for (const CountedClass& row : rows) {
    if (kept != 0 && rows[kept - 1].identity == row.identity) {
      rows[kept - 1].instances += row.instances;
      rows[kept - 1].shallow_bytes += row.shallow_bytes;
    } else {
      rows[kept++] = row;
    }
  }
  std::sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(kept), &larger);
  return kept;
}

void keep_telling_end(std::string_view name, std::span<char> out) noexcept {
  std::size_t used = 0;
  if (name.size() >= out.size()) {
    std::memcpy(out.data(), kEllipsis.data(), kEllipsis.size());
    used = kEllipsis.size();
    name.remove_prefix(name.size() - (out.size() - used - 1));
    while (!name.empty() && (static_cast<unsigned char>(name.front()) & 0xC0u) == 0x80u)
      name.remove_prefix(1);
  }
  std::memcpy(out.data() + used, name.data(), name.size());
  out[used + name.size()] = '\0';
}

}  // namespace holdfast
