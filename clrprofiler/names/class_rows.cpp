#include "clrprofiler/names/class_rows.h"

#include <algorithm>
#include <cstring>

namespace holdfast::clr {

namespace {

constexpr std::size_t kChunkBytes = 256 * 1024;
static_assert(kChunkBytes >= NameText::kMaxBytes);
constexpr std::uint32_t kLoaderNameBytes = 64;

// Texts of any number, in chunks of an arena that nobody else uses meanwhile.
class TextChunks {
 public:
  explicit TextChunks(Arena& arena) noexcept : arena_(arena) {}
  Result<std::string_view> keep(std::string_view text) noexcept {
    if (text.size() > chunk_.size() - used_) {
      HF_TRY(chunk, arena_.make<char>(kChunkBytes));
      chunk_ = chunk;
      used_ = 0;
    }
    char* const start = chunk_.data() + used_;
    std::memcpy(start, text.data(), text.size());
    used_ += text.size();
    total_ += std::min(text.size(), StringTable::kMaxNameBytes);
    return std::string_view(start, text.size());
  }
  std::uint64_t total_bytes() const noexcept { return total_; }

 private:
  Arena& arena_;
  std::span<char> chunk_;
  std::size_t used_ = 0;
  std::uint64_t total_ = 0;
};

struct Known {
  ClassID id;
  std::uint32_t index;
};

Result<std::span<const Known>> sorted(std::span<const ClassID> ids, Arena& arena) noexcept {
  HF_TRY(known, arena.make<Known>(ids.size()));
  for (std::uint32_t i = 0; i < ids.size(); ++i) known[i] = {ids[i], i};
  std::sort(known.begin(), known.end(), [](const Known& a, const Known& b) { return a.id < b.id; });
  return std::span<const Known>(known);
}

ClassId find(std::span<const Known> known, ClassID id) noexcept {
  const auto at = std::lower_bound(known.begin(), known.end(), id,
                                   [](const Known& k, ClassID wanted) { return k.id < wanted; });
  return id != 0 && at != known.end() && at->id == id ? ClassId{at->index} : ClassId{};
}

Result<std::uint64_t> read_rows(ClassReader& reader, std::span<const ClassID> ids,
                                std::span<ClassRow> rows, std::span<std::string_view> names,
                                Arena& scratch) noexcept {
  HF_TRY(known, sorted(ids, scratch));
  TextChunks texts(scratch);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const ClassFacts& facts = reader.read(ids[i]);
    rows[i].loader = facts.loader;
    rows[i].flags = facts.flags;
    rows[i].superclass = find(known, facts.parent);
    HF_TRY(name, texts.keep(facts.name));
    names[i] = name;
  }
  return texts.total_bytes();
}

}  // namespace

Result<void> fill_classes(ClassReader& reader, std::span<const ClassID> ids, NameRoom more,
                          CaptureMemory& memory, Catalog& catalog) noexcept {
  Arena& arena = memory.catalog_arena();
  const ArenaScope scratch(memory.work_arena());
  HF_TRY(rows, arena.make_filled<ClassRow>(ids.size(), ClassRow{}));
  HF_TRY(names, memory.work_arena().make<std::string_view>(ids.size()));
  HF_TRY(text_bytes, read_rows(reader, ids, rows, names, memory.work_arena()));
  const std::uint32_t loaders = reader.modules().loader_count();
  const auto classes = static_cast<std::uint32_t>(ids.size());
  HF_TRY(strings, StringTable::make(
                      arena, classes + loaders + more.names,
                      text_bytes + std::uint64_t{loaders} * kLoaderNameBytes + more.text_bytes));
  catalog.strings = strings;
  catalog.classes = rows;
  HF_CHECK_OK(reader.modules().fill_loaders(arena, catalog));
  for (std::size_t i = 0; i < ids.size(); ++i) rows[i].name = catalog.strings.intern(names[i]);
  return {};
}

}  // namespace holdfast::clr
