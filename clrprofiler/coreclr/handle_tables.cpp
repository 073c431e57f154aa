#include "clrprofiler/coreclr/handle_tables.h"

namespace holdfast::clr {

namespace {

constexpr std::uint32_t kBuckets = 10;  // of a map
constexpr std::uint32_t kMostMaps = 1 << 16;
constexpr std::uint32_t kLeastTypes = 11;
constexpr std::uint32_t kMostTypes = 16;
constexpr std::uint32_t kMostTables = 1024;  // processors
constexpr std::size_t kMostSegments = std::size_t{1} << 20;

constexpr Address first_segment(std::uint32_t types) noexcept {
  return (std::uint64_t{types} * sizeof(std::uint32_t) + 7) / 8 * 8;
}
constexpr Address next_segment(std::uint32_t types) noexcept {
  return handle_segment::kTail + handle_segment::kPerType * types;
}
constexpr Address owner(std::uint32_t types) noexcept {
  return next_segment(types) + handle_segment::kOwner;
}

// -- on the way there --

bool fits(Address table, std::uint32_t types) noexcept {
  const auto segment = read_word(table + first_segment(types));
  if (!segment || *segment == 0) return false;
  const auto told = read_word(*segment + owner(types));
  return told && *told == table;
}

// The map's first bucket that is there leads to its tables.
Address tables_of_first_bucket(Address map) noexcept {
  const auto buckets = read_word(map);
  if (!buckets) return 0;
  for (std::uint32_t b = 0; b < kBuckets; ++b) {
    const auto bucket = read_word(*buckets + sizeof(Address) * b);
    if (!bucket) return 0;
    if (*bucket == 0) continue;
    const auto tables = read_word(*bucket);
    return tables ? *tables : 0;
  }
  return 0;
}

std::uint32_t count_tables(Address tables, std::uint32_t types) noexcept {
  std::uint32_t count = 0;
  while (count < kMostTables) {
    const auto table = read_word(tables + sizeof(Address) * count);
    if (!table || *table == 0 || !fits(*table, types)) break;
    ++count;
  }
  return count;
}

// -- in the child --

template <class Visit>
Result<void> for_each_table(const GcTables& gc, const HandleLayout& layout, Visit visit) noexcept {
  std::uint32_t maps = 0;
  for (Address map = gc.handle_tables; map != 0; map = load<Address>(map + sizeof(Address))) {
    if (++maps > kMostMaps) return make_error(ErrorCode::kTooMany, kMostMaps);
    const auto buckets = load<Address>(map);
    for (std::uint32_t b = 0; b < kBuckets && buckets != 0; ++b) {
      const auto bucket = load<Address>(buckets + sizeof(Address) * b);
      if (bucket == 0) continue;
      const auto tables = load<Address>(bucket);
      for (std::uint32_t t = 0; t < layout.tables; ++t)
        HF_CHECK_OK(visit(load<Address>(tables + sizeof(Address) * t)));
    }
  }
  return {};
}

template <class Visit>
Result<void> for_each_segment(const GcTables& gc, const HandleLayout& layout,
                              Visit visit) noexcept {
  std::size_t met = 0;
  return for_each_table(gc, layout, [&](Address table) -> Result<void> {
    if (table == 0) return {};
    Address segment = load<Address>(table + first_segment(layout.types));
    for (; segment != 0; segment = load<Address>(segment + next_segment(layout.types))) {
      if (++met > kMostSegments) return make_error(ErrorCode::kTooMany, kMostSegments);
      if (load<Address>(segment + owner(layout.types)) != table)
        return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(segment));
      visit(segment);
    }
    return {};
  });
}

}  // namespace

const char* read_handle_layout(const GcTables& tables, HandleLayout& out) noexcept {
  out = HandleLayout{};
  const Address first = tables_of_first_bucket(tables.handle_tables);
  const auto table = first != 0 ? read_word(first) : std::nullopt;
  if (!table || *table == 0) return "a handle table";
  for (out.types = kLeastTypes; out.types <= kMostTypes; ++out.types)
    if (fits(*table, out.types)) break;
  if (out.types > kMostTypes) return "whose table a segment of handles is";
  out.tables = tables.server() ? count_tables(first, out.types) : 1;
  return nullptr;
}

Result<std::span<const Address>> read_handle_segments(const GcTables& tables,
                                                      const HandleLayout& layout,
                                                      Arena& arena) noexcept {
  std::size_t count = 0;
  HF_CHECK_OK(for_each_segment(tables, layout, [&](Address) { ++count; }));
  HF_TRY(segments, arena.make<Address>(count));
  std::size_t at = 0;
  HF_CHECK_OK(for_each_segment(tables, layout, [&](Address segment) {
    if (at < segments.size()) segments[at++] = segment;
  }));
  return std::span<const Address>(segments.first(at));
}

}  // namespace holdfast::clr
