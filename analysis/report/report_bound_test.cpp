#include "analysis/report/report_bound.h"

#include <doctest/doctest.h>

#include <vector>

#include "analysis/report/report_fixture.h"
#include "analysis/report/report_generated.h"

using namespace holdfast::analysis;
using namespace holdfast::report;
using flatbuffers::FlatBufferBuilder;

namespace {

// Bytes of one table with every field set, whatever stands before it, compared with the bound: never more, and not more than
// padding, scratch and list offset less, so that a field added to the schema is noticed here.
template <class Create>
void check_row(std::size_t bound, Create create) {
  std::size_t most = 0;
  for (std::size_t before = 0; before < 8; ++before) {
    FlatBufferBuilder fbb;
    fbb.Align(8);
    fbb.Pad(before);
    const std::size_t start = fbb.GetSize();
    create(fbb);
    const std::size_t bytes = fbb.GetSize() - start;
    CHECK(bytes + 8 <= bound);  // its offset in the list, and 4 bytes of scratch for its vtable
    most = std::max(most, bytes);
  }
  CHECK(most + 8 + 12 >= bound);
}

}  // namespace

TEST_CASE("each row's bound holds with every field set, and is not stale") {
  check_row(kOriginBytes, [](auto& b) { CreateOrigin(b, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1); });
  check_row(kOptionBytes, [](auto& b) { CreateOption(b, 1, 1); });
  check_row(kCaptureFactsBytes, [](auto& b) {
    CreateCaptureFacts(b, DumpKind::Extended, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
  });
  check_row(kLedgerRowBytes, [](auto& b) { CreateLedgerRow(b, 1, 1); });
  check_row(kPassRowBytes, [](auto& b) { CreatePassRow(b, 1, 1, 1, 1, 1); });
  check_row(kClassRowBytes,
            [](auto& b) { CreateClassRow(b, 1, 1, 1, 1, 1, 1, 1, 1, true, 1, true); });
  check_row(kLoaderRowBytes, [](auto& b) { CreateLoaderRow(b, 1, 1, 1, 1, 1, true); });
  check_row(kPackageRowBytes, [](auto& b) { CreatePackageRow(b, 1, 1, 1, 1, 1); });
  check_row(kFrameRowBytes, [](auto& b) { CreateFrameRow(b, 1, 1, 1, 1, 1, 1); });
  check_row(kObjectRowBytes, [](auto& b) { CreateObjectRow(b, 1, 1, 1, 1, 1, 1, true); });
  check_row(kPathStepBytes, [](auto& b) { CreatePathStep(b, 1, StepKind::Other, 1, 1, true, 1); });
  check_row(kTreeNodeBytes, [](auto& b) { CreateTreeNode(b, 1, 1, 1, 1, 1, 1, 1, 1, 1); });
  check_row(kGroupLevelBytes, [](auto& b) { CreateGroupLevel(b, 1, 1, 1, 1, true); });
  check_row(kRootKindRowBytes, [](auto& b) { CreateRootKindRow(b, RootKind::Other, 1, 1, 1); });
  check_row(kStrengthRowBytes, [](auto& b) { CreateStrengthRow(b, Strength::Weak, 1, 1); });
  check_row(kDifferenceRowBytes, [](auto& b) { CreateDifferenceRow(b, 1, 1); });
  check_row(kAccountRowBytes, [](auto& b) {
    CreateAccountRow(b, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
  });
  for (const std::size_t ranges : {std::size_t{1}, std::size_t{2}, holdfast::kAgeRanges})
    check_row(age_row_bytes(ranges), [ranges](auto& b) {
      const std::vector<std::uint64_t> figures(ranges, 1);
      const auto objects = b.CreateVector(figures);
      const auto bytes = b.CreateVector(figures);
      CreateAgeClassRow(b, 1, 1, objects, bytes, 1);
    });
  check_row(kTrackedRowBytes, [](auto& b) { CreateTrackedRow(b, 1, 1, 1, 1); });
  check_row(kHolderRowBytes, [](auto& b) {
    CreateHolderRow(b, StepKind::Other, RootKind::Other, Strength::Weak, 1, 1, 1, 1, 1);
  });
  constexpr std::size_t kEmptyListBytes = 8;  // and padding
  check_row(kHolderClassRowBytes + kEmptyListBytes, [](auto& b) {
    const std::vector<flatbuffers::Offset<HolderRow>> no_rows;
    const auto none = b.CreateVector(no_rows);
    CreateHolderClassRow(b, 1, 1, 1, none, 1, 1, 1, 1);
  });
  check_row(kImportantRowBytes, [](auto& b) { CreateImportantRow(b, 1, 1, 1, true); });
}

TEST_CASE("reports of every size stay inside the bound that was computed for them") {
  for (std::uint32_t scale = 1; scale <= 2000; scale = scale * 3 + 1) {
    FixtureSizes sizes{.classes = scale,
                       .loaders = 1 + scale / 3,
                       .packages = scale,
                       .threads = 1 + scale / 5,
                       .objects = 4 + scale,
                       .tree = scale,
                       .tops = 3,
                       .suspects = 2,
                       .hidden = 20,
                       .cuts = 20,
                       .accounts = scale,
                       .age_ranges = 1 + static_cast<std::uint32_t>(scale % holdfast::kAgeRanges),
                       .aging = scale,
                       .tracked = 4 + scale,
                       .holders = scale,
                       .path_steps = 4,
                       .name_bytes = scale % 90,
                       .graph = true};
    ReportFixture f(sizes);
    const auto image = f.image();
    CHECK(image.size() <= kMaxReportBytes);
  }
}
