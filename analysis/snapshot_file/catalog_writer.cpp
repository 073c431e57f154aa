#include "analysis/snapshot_file/catalog_writer.h"

#include <algorithm>

#include "analysis/snapshot_file/row_coding.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"

namespace holdfast::analysis {
namespace {

using snapshot_file::BlockKind;

struct Job {
  const CancelToken& cancel;
  BlockWriter& out;
};

Result<void> write_strings(Job& job, const StringTable& strings) noexcept {
  constexpr std::size_t kRows = rows_per_block(2, kMaxNumberBytes);
  constexpr std::size_t kText = kMaxColumnBytes / 2;
  const std::uint32_t count = string_count(strings);
  ColumnWriter& columns = job.out.columns();
  std::uint32_t first = 0;
  while (first < count) {
    HF_CHECK_OK(job.cancel.check());
    columns.start(2);
    std::uint32_t id = first;
    for (; id < count && id - first < kRows; ++id) {
      const std::string_view text = strings.view(StringId{id});
      if (columns.column(1).size() + text.size() > kText) break;
      columns.number(0, static_cast<std::uint32_t>(text.size()));
      columns.text(1, std::as_bytes(std::span(text)));
    }
    HF_CHECK_OK(job.out.emit(BlockKind::Strings, first, id - first));
    first = id;
  }
  return {};
}

template <class Row>
Result<void> write_rows(Job& job, BlockKind kind, std::span<const Row> rows) noexcept {
  using Coding = RowColumns<Row>;
  constexpr std::size_t kRows = rows_per_block(Coding::kColumns, Coding::kMaxBytes);
  ColumnWriter& columns = job.out.columns();
  Row before{};
  for (std::size_t first = 0; first < rows.size(); first += kRows) {
    HF_CHECK_OK(job.cancel.check());
    columns.start(Coding::kColumns);
    const auto part = rows.subspan(first, std::min(kRows, rows.size() - first));
    for (Row row : part) {
      code_row(columns, row, before);
      before = row;
    }
    HF_CHECK_OK(job.out.emit(kind, first, part.size()));
  }
  return {};
}

}  // namespace

bool has_later_kinds(std::span<const RootRecord> roots) noexcept {
  return std::any_of(roots.begin(), roots.end(),
                     [](const RootRecord& r) { return r.kind >= RootKind::kStaticField; });
}

Result<void> write_embedded_report(std::span<const std::byte> image, BlockWriter& out) noexcept {
  for (std::size_t first = 0; first < image.size(); first += kMaxColumnBytes) {
    const auto part = image.subspan(first, std::min(kMaxColumnBytes, image.size() - first));
    out.columns().start(1);
    out.columns().text(0, part);
    HF_CHECK_OK(out.emit(BlockKind::Report, first, part.size()));
  }
  return {};
}

Result<void> write_catalog_blocks(const Catalog& catalog, std::span<const RootRecord> roots,
                                  const CancelToken& cancel, BlockWriter& out) noexcept {
  Job job{cancel, out};
  HF_CHECK_OK(write_strings(job, catalog.strings));
  HF_CHECK_OK(write_rows<ClassRow>(job, BlockKind::Classes, catalog.classes));
  HF_CHECK_OK(write_rows<StringId>(job, BlockKind::Fields, catalog.fields));
  HF_CHECK_OK(write_rows<LoaderRow>(job, BlockKind::Loaders, catalog.loaders));
  HF_CHECK_OK(write_rows<ThreadRow>(job, BlockKind::Threads, catalog.threads));
  HF_CHECK_OK(write_rows<MethodRow>(job, BlockKind::Methods, catalog.methods));
  return write_rows<RootRecord>(job, BlockKind::Roots, roots);
}

}  // namespace holdfast::analysis
