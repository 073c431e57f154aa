#include "analysis/lab/delta/minimised_files.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include "analysis/lab/delta/dot_picture.h"
#include "analysis/lab/test_arena.h"
#include "analysis/snapshot_file/snapshot_writer.h"

namespace holdfast::analysis::lab {

namespace {

constexpr std::uint64_t kScratchBytes = std::uint64_t{64} << 20;  // 4 MiB and 24 B a class
constexpr std::uint64_t kNamesBytes = std::uint64_t{64} << 20;

std::string failure(const std::string& path, ErrorCode code) {
  return path + ": " + std::string(error_text(code));
}

// Generated graphs have classes without names and loaders, which no file may lack.
class WholeCatalog {
 public:
  explicit WholeCatalog(const Catalog& catalog)
      : made_(catalog), classes_(catalog.classes.begin(), catalog.classes.end()) {
    if (!made_.loaders.empty()) return;
    const auto count = static_cast<std::uint32_t>(classes_.size());
    auto strings = StringTable::make(names_.arena(), count + 1, 16 * (std::uint64_t{count} + 1));
    if (!strings) return;  // then it is refused as it is
    made_.strings = *strings;
    loaders_.push_back({StringId{0}, ObjectId{}, true});
    for (std::uint32_t c = 0; c < count; ++c) {
      ClassRow& row = classes_[c];
      row.loader = LoaderId{0};
      row.name = made_.strings.intern("class" + std::to_string(c));
      row.first_field = row.field_count = 0;
    }
    made_.classes = classes_;
    made_.loaders = loaders_;
    made_.fields = {};
  }
  const Catalog& catalog() const { return made_; }

 private:
  TestArena names_{kNamesBytes};
  Catalog made_;
  std::vector<ClassRow> classes_;
  std::vector<LoaderRow> loaders_;
};

}  // namespace

std::string write_snapshot(const Snapshot& snapshot, const DumpRecord& record,
                           const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string folder = whole.has_parent_path() ? whole.parent_path().string() : ".";
  const WholeCatalog names(snapshot.catalog);
  Snapshot complete = snapshot;
  complete.catalog = names.catalog();
  if (const auto good = verify(complete); !good) return failure(path, good.error().code);
  TestArena memory(kScratchBytes);
  const auto written = write_snapshot_file(complete, record, memory.arena(), CancelToken{},
                                           folder.c_str(), whole.filename().c_str());
  return written ? "" : failure(path, written.error().code);
}

std::string write_picture(const Snapshot& snapshot, const std::string& path) {
  if (std::filesystem::exists(path)) return failure(path, ErrorCode::kExists);
  std::ofstream out(path);
  out << dot_picture(snapshot) << std::flush;
  return out ? "" : failure(path, ErrorCode::kIo);
}

}  // namespace holdfast::analysis::lab
