#include "analysis/report/reader.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>

#include "analysis/report/file_header.h"
#include "analysis/report/index_check.h"
#include "analysis/report/report_fixture.h"
#include "analysis/report/report_generated.h"
#include "common/tries_for_test.h"
#include "platforms/process.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

ErrorCode code_of(std::span<const std::byte> file) {
  const auto report = check_report(file);
  REQUIRE_FALSE(report.ok());
  return report.error().code;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Of another minor version of ours.
void seal_as(std::span<std::byte> image, std::uint16_t minor) {
  std::memcpy(image.data() + 10, &minor, sizeof minor);
  const std::uint64_t sum = header_checksum(image);
  std::memcpy(image.data() + kReportChecksumOffset, &sum, sizeof sum);
}

// Changes the payload of a good image and seals it again, as a forger would.
template <class Change>
bool accepts_forged(Change change, bool newer = false) {
  ReportFixture f;
  const auto image = f.image();
  auto* report = flatbuffers::GetMutableRoot<report::Report>(image.data() + kReportHeaderBytes);
  REQUIRE(change(*report));
  write_header(image);
  if (newer) seal_as(image, kReportMinor + 1);
  const auto checked = check_report(image);
  if (!checked.ok()) CHECK(checked.error().code == ErrorCode::kDamaged);
  return checked.ok();
}

template <class Row>
const Row& at(const flatbuffers::Vector<flatbuffers::Offset<Row>>* rows, std::uint32_t i) {
  REQUIRE(rows->size() > i);
  return *rows->Get(i);
}

// Fields are changed in place; absent (default) ones cannot be, so that answers false.
template <class T>
bool forge(const flatbuffers::Table& table, flatbuffers::voffset_t field, T value) {
  return const_cast<flatbuffers::Table&>(table).SetField<T>(field, value, static_cast<T>(~value));
}
template <class Row, class T>
bool forge(const Row& row, flatbuffers::voffset_t field, T value) {
  return forge(reinterpret_cast<const flatbuffers::Table&>(row), field, value);
}

template <class Row>
auto no_rows(flatbuffers::FlatBufferBuilder& fbb) {
  return fbb.CreateVector(static_cast<const flatbuffers::Offset<Row>*>(nullptr), 0);
}

}  // namespace

TEST_CASE("a file cut at any byte is refused") {
  ReportFixture f;
  const auto image = f.image();
  for (std::size_t bytes = 0; bytes < image.size(); ++bytes)
    REQUIRE(code_of(image.first(bytes)) == ErrorCode::kDamaged);
  CHECK(check_report(image).ok());
}

TEST_CASE("bytes after the end are refused") {
  ReportFixture f;
  auto image = f.image();
  std::vector<std::uint64_t> longer(f.image_words);
  longer.push_back(0);
  const std::span whole = std::as_bytes(std::span(longer));
  CHECK(code_of(whole.first(image.size() + 1)) == ErrorCode::kDamaged);
}

TEST_CASE("every flipped bit is refused") {
  ReportFixture f;
  const auto image = f.image();
  for (std::size_t bit = 0; bit < image.size() * 8; ++bit) {
    image[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    REQUIRE_FALSE(check_report(image).ok());
    image[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
  }
  CHECK(check_report(image).ok());
}

TEST_CASE("flipped bits under a forged checksum never crash, and what is accepted can be walked") {
  ReportFixture f;
  const auto image = f.image();
  const std::vector<std::uint64_t> good = f.image_words;
  std::mt19937_64 random(20241121);
  for (std::uint64_t round = 0; round < tries(20000); ++round) {
    const std::uint64_t flips = 1 + random() % 3;
    for (std::uint64_t i = 0; i < flips; ++i) {
      const std::uint64_t bit =
          kReportHeaderBytes * 8 + random() % ((image.size() - kReportHeaderBytes) * 8);
      image[static_cast<std::size_t>(bit / 8)] ^= static_cast<std::byte>(1u << (bit % 8));
    }
    write_header(image);
    (void)check_report(image).ok();
    std::memcpy(image.data(), good.data(), image.size());
  }
}

TEST_CASE("foreign files are not ours") {
  for (const char* text : {"\x7f"
                           "ELF\x02\x01\x01",
                           "Leak suspects:\n", "JAVA PROFILE 1.0.2", "PK\x03\x04",
                           "\x28\xb5\x2f\xfd", "\x1f\x8b\x08"}) {
    CHECK(code_of(bytes_of(std::string(text) + std::string(100, 'x'))) == ErrorCode::kNotOurs);
    CHECK(code_of(bytes_of(text)) == ErrorCode::kNotOurs);
  }
}

TEST_CASE("damage by text mode or 7 bits is named as damage") {
  CHECK(code_of(bytes_of(std::string("\x89HFR\n\x1a\n", 7) + std::string(100, 'x'))) ==
        ErrorCode::kDamaged);
  CHECK(code_of(bytes_of(std::string("\x09HFR\r\n\x1a\n", 8) + std::string(100, 'x'))) ==
        ErrorCode::kDamaged);
  CHECK(code_of({}) == ErrorCode::kDamaged);
}

TEST_CASE("a newer major is told before anything else is looked at") {
  ReportFixture f;
  const auto image = f.image();
  image[8] = std::byte{9};
  const auto newer = check_report(image);
  REQUIRE_FALSE(newer.ok());
  CHECK(newer.error().code == ErrorCode::kNewerVersion);
  CHECK(newer.error().detail == 9);
}

TEST_CASE("a newer minor is read, unknown flags are not") {
  ReportFixture f;
  const auto image = f.image();
  const auto reseal = [&image] {
    const std::byte minor = image[10];
    const std::byte flags = image[12];
    write_header(image);
    image[10] = minor;
    image[12] = flags;
    const std::uint64_t sum = header_checksum(image);
    std::memcpy(image.data() + kReportChecksumOffset, &sum, sizeof sum);
  };
  image[10] = std::byte{7};
  reseal();
  CHECK(check_report(image).ok());
  image[12] = std::byte{1};
  reseal();
  CHECK(code_of(image) == ErrorCode::kNewerVersion);
}

TEST_CASE(
    "enums of a newer minor may have values without a name here; in a report of our own that is "
    "damage") {
  using namespace report;
  constexpr std::uint8_t kLater = 99;
  // Of the first row whose value is written, which a default is not.
  const auto forge_one = [](const auto* rows, flatbuffers::voffset_t field) {
    for (const auto* row : *rows)
      if (forge(*row, field, kLater)) return true;
    return false;
  };
  const auto check = [&](auto change) {
    CHECK(accepts_forged(change, true));
    CHECK_FALSE(accepts_forged(change, false));
  };
  check([&](Report& r) { return forge(*r.capture(), CaptureFacts::VT_KIND, kLater); });
  check([&](Report& r) { return forge(at(r.top_paths(), 0), RootPath::VT_ROOT_KIND, kLater); });
  check([&](Report& r) {
    return forge_one(at(r.holders()->classes(), 0).places(), HolderRow::VT_KIND);
  });
  check([&](Report& r) {
    return forge_one(at(r.top_paths(), 0).steps(), report::PathStep::VT_KIND);
  });
  check([&](Report& r) { return forge_one(r.graph()->root_kinds(), RootKindRow::VT_KIND); });
  check([&](Report& r) { return forge(*r.accounts(), AccountFacts::VT_MODE, kLater); });
  check([&](Report& r) { return forge(*r.ages(), AgeFacts::VT_SOURCE, kLater); });
  // What a value leads to is checked in every version.
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(*r.capture(), CaptureFacts::VT_RUNG, 1'000'000u); }, true));
}

TEST_CASE("forged lengths cost nothing") {
  ReportFixture f;
  const auto image = f.image();
  for (const std::uint64_t length :
       {std::uint64_t{1} << 31, std::uint64_t{1} << 40, UINT64_MAX, UINT64_MAX - 31}) {
    std::memcpy(image.data() + 16, &length, sizeof length);
    CHECK(code_of(image) == ErrorCode::kDamaged);
  }
}

TEST_CASE("indices that point nowhere are refused, though the checksum is right") {
  using namespace report;
  constexpr std::uint32_t kBad = 1'000'000;
  CHECK(accepts_forged(
      [](Report& r) { return forge(at(r.classes(), 1), report::ClassRow::VT_NAME, 1u); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.classes(), 1), report::ClassRow::VT_NAME, kBad); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.classes(), 2), report::ClassRow::VT_LOADER, kBad); }));
  CHECK_FALSE(
      accepts_forged([](Report& r) { return forge(*r.origin(), Origin::VT_VM_NAME, kBad); }));
  CHECK_FALSE(
      accepts_forged([](Report& r) { return forge(*r.capture(), CaptureFacts::VT_RUNG, kBad); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(*r.capture(), CaptureFacts::VT_KIND, std::uint8_t{9}); }));
  CHECK_FALSE(
      accepts_forged([](Report& r) { return forge(at(r.options(), 0), Option::VT_KEY, kBad); }));
  CHECK_FALSE(
      accepts_forged([](Report& r) { return forge(at(r.passes(), 0), PassRow::VT_NAME, kBad); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.loaders(), 0), report::LoaderRow::VT_NAME, kBad); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.packages(), 0), PackageRow::VT_NAME, kBad); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.threads(), 0), report::ThreadRow::VT_NAME, kBad); }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(at(r.threads(), 0).frames(), 1), FrameRow::VT_LARGEST, kBad);
  }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.objects(), 1), ObjectRow::VT_CLASS_NAME, kBad); }));
  CHECK_FALSE(
      accepts_forged([](Report& r) { return forge(at(r.tree(), 1), TreeNode::VT_OBJECT, kBad); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.tree(), 2), TreeNode::VT_GROUP_CLASS, kBad); }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.suspects()->Get(0)->levels(), 0), GroupLevel::VT_CLASS_NAME, kBad);
  }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.suspects(), 0), Suspect::VT_CONFIDENCE_PERCENT, 101u); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.suspects(), 0), Suspect::VT_SHARE_PER_MILLE, 1001u); }));
}

TEST_CASE("forged reachable sizes and cuts are refused") {
  using namespace report;
  constexpr std::uint32_t kBad = 1'000'000;
  CHECK(accepts_forged(
      [](Report& r) { return forge(*r.reachable(), ReachableFacts::VT_ERROR_PER_MILLE, 1u); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(*r.reachable(), ReachableFacts::VT_REASON, std::uint8_t{9}); }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    const_cast<flatbuffers::Vector<std::uint32_t>*>(r.reachable()->hidden())->Mutate(0, 1'000'000);
    return true;
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.cuts()->most_references(), 1), ImportantRow::VT_OBJECT, kBad);
  }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.cuts()->cuts(), 0), CutRow::VT_REFERRER, kBad); }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(*at(r.cuts()->cuts(), 0).reference(), report::PathStep::VT_OBJECT, kBad);
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(*at(r.cuts()->cuts(), 1).root(), RootPath::VT_ROOT_KIND, std::uint8_t{99});
  }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(*at(r.cuts()->cuts(), 1).root(), RootPath::VT_LENGTH, 2u); }));
}

TEST_CASE("forged holders are refused") {
  using namespace report;
  constexpr std::uint32_t kBad = 1'000'000;
  const auto place = [](Report& r) -> const HolderRow& {
    return *r.holders()->classes()->Get(1)->places()->Get(0);
  };
  CHECK(accepts_forged([&](Report& r) { return forge(place(r), HolderRow::VT_REFERENCES, 7u); }));
  CHECK_FALSE(
      accepts_forged([&](Report& r) { return forge(place(r), HolderRow::VT_CLASS_NAME, kBad); }));
  CHECK_FALSE(accepts_forged([&](Report& r) { return forge(place(r), HolderRow::VT_NAME, kBad); }));
  CHECK_FALSE(accepts_forged(
      [&](Report& r) { return forge(place(r), HolderRow::VT_KIND, std::uint8_t{99}); }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.holders()->classes(), 1), HolderClassRow::VT_CLASS_NAME, kBad);
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.holders()->classes(), 1), HolderClassRow::VT_PLACES_TOTAL, 4u);
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.holders()->classes(), 1), HolderClassRow::VT_UNPLACED_REFERENCES,
                 std::uint64_t{11});
  }));
}

TEST_CASE("forged accounts are refused") {
  using namespace report;
  constexpr std::uint32_t kBad = 1'000'000;
  CHECK(accepts_forged(
      [](Report& r) { return forge(*r.accounts(), AccountFacts::VT_ROWS_FULL, ~0ull); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(*r.accounts(), AccountFacts::VT_MODE, std::uint8_t{9}); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(*r.accounts(), AccountFacts::VT_EXPLAINED_BYTES, ~0ull); }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.accounts()->accounts(), 1), report::AccountRow::VT_ACCOUNT, kBad);
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.accounts()->pairs(), 0), report::AccountRow::VT_PRINCIPAL, kBad);
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.accounts()->classes(), 1), report::AccountRow::VT_CLASS_NAME, kBad);
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.accounts()->methods(), 0), report::AccountRow::VT_METHOD, kBad);
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.accounts()->threads(), 0), report::AccountRow::VT_THREAD, kBad);
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.accounts()->annotations(), 0), report::AccountRow::VT_ANNOTATION, kBad);
  }));
}

TEST_CASE("forged numbers of objects are refused") {
  using namespace report;
  constexpr std::uint32_t kBad = 1'000'000;
  const auto row = [](Report& r, std::uint32_t i) -> const TrackedRow& {
    return at(r.tracking()->objects(), i);
  };
  CHECK(accepts_forged(
      [&](Report& r) { return forge(row(r, 0), TrackedRow::VT_FIRST_SEQUENCE, kBad); }));
  CHECK_FALSE(
      accepts_forged([&](Report& r) { return forge(row(r, 1), TrackedRow::VT_OBJECT, kBad); }));
  CHECK_FALSE(
      accepts_forged([&](Report& r) { return forge(row(r, 0), TrackedRow::VT_NUMBER, 0u); }));
  // Two numbers for one object.
  CHECK_FALSE(accepts_forged(
      [&](Report& r) { return forge(row(r, 0), TrackedRow::VT_OBJECT, row(r, 1).object()); }));
}

TEST_CASE("forged ages are refused") {
  using namespace report;
  constexpr std::uint32_t kBad = 1'000'000;
  const auto first = [](Report& r) -> const AgeClassRow& { return at(r.ages()->classes(), 0); };
  CHECK(accepts_forged(
      [&](Report& r) { return forge(first(r), AgeClassRow::VT_DISTINCT_AGES, 200u); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(*r.ages(), AgeFacts::VT_SOURCE, std::uint8_t{3}); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(*r.ages(), AgeFacts::VT_SOURCE, std::uint8_t{0}); }));
  CHECK_FALSE(
      accepts_forged([&](Report& r) { return forge(first(r), AgeClassRow::VT_CLASS_NAME, kBad); }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.ages()->classes(), 1), AgeClassRow::VT_LOADER, kBad); }));
  const auto change = [](auto* list, auto value) {
    const_cast<std::remove_cvref_t<decltype(*list)>*>(list)->Mutate(1, value);
    return true;
  };
  CHECK_FALSE(accepts_forged([&](Report& r) { return change(r.ages()->ranges(), 0u); }));
  CHECK_FALSE(accepts_forged([&](Report& r) { return change(first(r).objects(), ~0ull); }));
  CHECK_FALSE(accepts_forged([&](Report& r) { return change(first(r).bytes(), ~0ull); }));
  // A list of another length: its length word is changed.
  CHECK_FALSE(accepts_forged([&](Report& r) {
    auto* length = reinterpret_cast<std::uint32_t*>(
        const_cast<flatbuffers::Vector<std::uint64_t>*>(first(r).objects()));
    *length -= 1;
    return true;
  }));
}

TEST_CASE("the writer's own check refuses a tree whose nodes come before their parents") {
  ReportFixture f;
  f.tree[2].parent = 2;
  const auto refused = f.write();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kInconsistent);
}

TEST_CASE("forged paths, lists of indices and texts are refused") {
  using namespace report;
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(at(r.top_paths(), 0).steps(), 1), report::PathStep::VT_OBJECT, 1'000'000u);
  }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.top_paths(), 0), RootPath::VT_LENGTH, 3u); }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    return forge(at(r.top_paths(), 0), RootPath::VT_ROOT_KIND, std::uint8_t{99});
  }));
  CHECK_FALSE(accepts_forged(
      [](Report& r) { return forge(at(r.top_paths(), 0), RootPath::VT_THREAD, 77u); }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    const_cast<flatbuffers::Vector<std::uint32_t>*>(r.top_objects())->Mutate(0, 1'000'000);
    return true;
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    const_cast<flatbuffers::Vector<std::uint32_t>*>(r.suspects()->Get(0)->evidence())
        ->Mutate(0, 1'000'000);
    return true;
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    const_cast<flatbuffers::Vector<std::uint32_t>*>(r.notes())->Mutate(0, 1'000'000);
    return true;
  }));
  CHECK_FALSE(accepts_forged([](Report& r) {
    const_cast<char*>(r.strings()->Get(1)->c_str())[0] = '\xff';
    return true;
  }));
}

TEST_CASE("a forged file whose lists share their bytes is refused in time linear in its size") {
  // 2000 suspects that all point to the same list of 200,000 sentences.
  flatbuffers::FlatBufferBuilder fbb;
  fbb.Align(8);
  using namespace report;
  const std::vector<std::uint32_t> zeros(200'000, 0);
  const auto evidence = fbb.CreateVector(zeros.data(), zeros.size());
  const auto none = fbb.CreateVector(zeros.data(), 0);
  const auto path = CreateRootPath(fbb, report::RootKind::Other, kNoRow, 0, 0, 0, 0,
                                   report::Strength::Strong, 0, no_rows<report::PathStep>(fbb));
  const auto levels = no_rows<GroupLevel>(fbb);
  std::vector<flatbuffers::Offset<Suspect>> suspects(
      2000, CreateSuspect(fbb, SuspectKind::Group, 0, kNoRow, 0, 0, 0, 0, kNoRow, 0, 0, levels,
                          path, 0, evidence));
  std::vector<flatbuffers::Offset<flatbuffers::String>> strings{fbb.CreateString("", 0)};
  const auto strings_list = fbb.CreateVector(strings.data(), 1);
  const auto suspects_list = fbb.CreateVector(suspects.data(), suspects.size());
  const auto origin = CreateOrigin(fbb);
  const auto capture = CreateCaptureFacts(fbb);
  const auto memory = CreateMemoryFacts(fbb, 0, 0, no_rows<LedgerRow>(fbb));
  FinishReportBuffer(
      fbb,
      CreateReport(fbb, strings_list, origin, no_rows<Option>(fbb), capture, memory,
                   no_rows<PassRow>(fbb), none, 0, no_rows<report::ClassRow>(fbb), 0,
                   CreateClassRow(fbb), no_rows<report::LoaderRow>(fbb), no_rows<PackageRow>(fbb),
                   no_rows<report::ThreadRow>(fbb), no_rows<ObjectRow>(fbb), no_rows<TreeNode>(fbb),
                   none, no_rows<RootPath>(fbb), suspects_list, 0, CreateLoaderRow(fbb), 0,
                   CreatePackageRow(fbb)));
  std::vector<std::uint64_t> words(4 + (fbb.GetSize() + 7) / 8);
  const std::span<std::byte> image(reinterpret_cast<std::byte*>(words.data()),
                                   kReportHeaderBytes + fbb.GetSize());
  std::memcpy(image.data() + kReportHeaderBytes, fbb.GetBufferPointer(), fbb.GetSize());
  write_header(image);
  CHECK(code_of(image) == ErrorCode::kDamaged);
}

TEST_CASE("a file is mapped and checked, a missing one is an I/O error") {
  ReportFixture f;
  const auto image = f.image();
  const std::string path =
      "holdfast_reader_test." + std::to_string(platforms::process_id()) + ".hfr";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  CHECK(std::fwrite(image.data(), 1, image.size(), file) == image.size());
  std::fclose(file);
  ReportFile reader;
  CHECK(reader.open(path.c_str()).ok());
  CHECK(reader.file_bytes() == image.size());
  std::remove(path.c_str());
  const auto missing = reader.open(path.c_str());
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == ErrorCode::kIo);
}
