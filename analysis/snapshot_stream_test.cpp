#include "analysis/snapshot_stream.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "analysis/lab/test_arena.h"
#include "analysis/snapshot_file/block_reader.h"
#include "analysis/snapshot_file/embedded_report.h"
#include "analysis/snapshot_file/same_snapshot_for_test.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"
#include "analysis/snapshot_file/snapshot_fixture.h"
#include "analysis/snapshot_file/snapshot_reader.h"
#include "platforms/fault_points.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

namespace fs = std::filesystem;

// A fixture's graph, handed over in windows.
class Streaming {
 public:
  explicit Streaming(SnapshotFixture& f)
      : f_(f), input_{capture_, f.record, options_, f.arena, f.ledger, f.cancel} {
    std::snprintf(name.text, sizeof name.text, "snapshot_stream_test.%d.hfs", ::getpid());
    fs::remove(name.text);
    instances.resize(f.snapshot.catalog.classes.size() + 1);
    for (const ClassId c : f.snapshot.class_of)
      ++instances[std::min<std::size_t>(c.value, instances.size() - 1)].instances;
  }
  ~Streaming() { fs::remove(name.text); }

  SnapshotStreamFacts facts() const {
    const Snapshot& s = f_.snapshot;
    return {s.catalog,       s.roots,  instances,           s.class_of.size(),
            s.target.size(), s.losses, s.shallow_unit_bytes};
  }
  Result<void> open(SnapshotStream& stream) { return stream.open(input_, name, facts(), report); }
  Result<void> append(SnapshotStream& stream, std::size_t first, std::size_t count) const {
    const Snapshot& s = f_.snapshot;
    const std::size_t from = s.first_ref[first];
    const std::size_t references = s.first_ref[first + count] - from;
    return stream.append(s.class_of.subspan(first, count), s.shallow_units.subspan(first, count),
                         s.first_ref.subspan(first, count + 1), s.target.subspan(from, references),
                         s.label.subspan(from, references));
  }
  // Windows of at most `most` objects, none among them.
  Result<void> append_all(SnapshotStream& stream, std::uint32_t most) {
    const std::size_t objects = f_.snapshot.class_of.size();
    for (std::size_t first = 0; first < objects;) {
      const std::size_t count = std::min<std::size_t>(f_.random.below(most + 1), objects - first);
      HF_CHECK_OK(append(stream, first, count));
      first += count;
    }
    return {};
  }
  Result<void> write(std::uint32_t most) {
    const ArenaScope scratch(f_.arena);
    SnapshotStream stream;
    HF_CHECK_OK(open(stream));
    HF_CHECK_OK(append_all(stream, most));
    return stream.finish();
  }
  std::vector<std::byte> bytes() const {
    std::ifstream in(name.text, std::ios::binary);
    const std::vector<char> chars(std::istreambuf_iterator<char>(in), {});
    std::vector<std::byte> all(chars.size());
    if (!all.empty()) std::memcpy(all.data(), chars.data(), chars.size());
    return all;
  }
  // Neither a file nor a temporary one.
  bool nothing_left() const {
    const auto entries = fs::directory_iterator(".");
    return std::none_of(begin(entries), end(entries), [this](const fs::directory_entry& entry) {
      return entry.path().filename().string().starts_with(name.text);
    });
  }
  AnalysisInput& input() { return input_; }

  std::span<const std::byte> report;
  std::vector<ClassCount> instances;
  FileName name;

 private:
  SnapshotFixture& f_;
  Capture capture_;
  Options options_;
  AnalysisInput input_;
};

std::vector<std::size_t> block_starts(std::span<const std::byte> file) {
  std::vector<std::size_t> starts;
  for (std::size_t at = kSnapshotHeaderBytes; at < file.size();) {
    starts.push_back(at);
    auto header = read_block_header(file.subspan(at).first<kBlockHeaderBytes>());
    REQUIRE(header.ok());
    at += kBlockHeaderBytes + header->stored_bytes;
  }
  return starts;
}

// How often a block of objects comes behind one of references.
std::uint32_t turns(std::span<const std::byte> file) {
  lab::TestArena memory;
  BlockReader blocks;
  REQUIRE(blocks.open(file, memory.arena()).ok());
  std::uint32_t count = 0;
  auto before = snapshot_file::BlockKind::Header;
  while (!blocks.at_end()) {
    const auto block = blocks.next();
    REQUIRE((block.ok() && *block != nullptr));
    count += before == snapshot_file::BlockKind::References &&
             (*block)->kind() == snapshot_file::BlockKind::Objects;
    before = (*block)->kind();
  }
  return count;
}

}  // namespace

TEST_CASE("random graphs come back, whatever the windows are") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SnapshotFixture f(seed, static_cast<std::uint32_t>(1 + seed * seed),
                      static_cast<std::uint32_t>(1 + seed % 40));
    f.snapshot.shallow_unit_bytes = std::uint64_t{1} << seed % 4;
    Streaming streaming(f);
    if (seed % 2 == 0) streaming.report = f.report;
    REQUIRE(streaming.write(static_cast<std::uint32_t>(1 + seed % 7)).ok());
    SnapshotFile file;
    REQUIRE(file.open(streaming.name.text).ok());
    CHECK_FALSE(file.cut().cut);
    check_same(f.snapshot, file.snapshot());
    CHECK(file.report_bytes() == streaming.report.size());
    CHECK(file.record().pid == 4242);
  }
}

TEST_CASE("a graph of one block of each kind is the other writer's file but for its version") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SnapshotFixture f(seed, 3000);
    f.extras = {};
    Streaming streaming(f);
    REQUIRE(streaming.write(500).ok());
    const std::vector<std::byte> streamed = streaming.bytes();
    const std::vector<std::byte> whole = f.file();
    REQUIRE(streamed.size() == whole.size());
    const auto behind = static_cast<std::ptrdiff_t>(kSnapshotHeaderBytes);
    CHECK(std::equal(streamed.begin() + behind, streamed.end(), whole.begin() + behind));
    CHECK(streamed[10] == std::byte{2});
    CHECK(whole[10] == std::byte{1});
  }
}

TEST_CASE("a graph of many blocks, and a row longer than a block") {
  SnapshotFixture f(7, 300'000, 3000);
  Streaming streaming(f);
  REQUIRE(streaming.write(5000).ok());
  CHECK(turns(streaming.bytes()) >= 3);
  SnapshotFile file;
  REQUIRE(file.open(streaming.name.text).ok());
  check_same(f.snapshot, file.snapshot());

  SnapshotFixture g(8, 100);
  g.target.assign(200'017, ObjectId{99});
  g.label.assign(g.target.size(), RefLabel::element(5));
  for (std::uint32_t v = 0; v <= 100; ++v)
    g.first_ref[v] = v <= 50 ? 0 : static_cast<std::uint32_t>(g.target.size());
  g.snapshot.target = g.target;
  g.snapshot.label = g.label;
  Streaming other(g);
  REQUIRE(other.write(10).ok());
  SnapshotFile long_row;
  REQUIRE(long_row.open(other.name.text).ok());
  check_same(g.snapshot, long_row.snapshot());
}

TEST_CASE("an empty heap, and one without references") {
  SnapshotFixture f(1, 0);
  Streaming streaming(f);
  REQUIRE(streaming.write(10).ok());
  SnapshotFile file;
  REQUIRE(file.open(streaming.name.text).ok());
  CHECK(file.snapshot().object_count() == 0);

  SnapshotFixture g(2, 300);
  g.first_ref.assign(301, 0);
  g.snapshot.first_ref = g.first_ref;
  g.snapshot.target = {};
  g.snapshot.label = {};
  Streaming other(g);
  REQUIRE(other.write(10).ok());
  SnapshotFile alone;
  REQUIRE(alone.open(other.name.text).ok());
  check_same(g.snapshot, alone.snapshot());
}

TEST_CASE("the memory is what was computed, whatever the graph's size") {
  SnapshotFixture f(7, 1'000'000, 300);
  const std::size_t bytes = SnapshotStream::memory_bytes(300);
  CHECK(bytes < (std::size_t{5} << 20));
  CHECK(bytes < f.snapshot.class_of.size() * 12);
  const std::size_t page = 4096;
  for (const std::size_t missing : {std::size_t{0}, std::size_t{32} << 10}) {
    CAPTURE(missing);
    Ledger ledger((bytes + page - 1) / page * page - missing);
    Reservation reservation;
    REQUIRE(reservation.open(std::size_t{64} << 20).ok());
    auto arena = reservation.take_arena(std::size_t{64} << 20, ledger, MemoryCategory::kAnalysis);
    REQUIRE(arena.ok());
    Streaming streaming(f);
    const AnalysisInput& given = streaming.input();
    AnalysisInput input{given.capture, given.record, given.options, *arena, ledger, given.cancel};
    SnapshotStream stream;
    const Result<void> opened = stream.open(input, streaming.name, streaming.facts());
    REQUIRE(opened.ok() == (missing == 0));
    if (!opened) {
      CHECK(opened.error().code == ErrorCode::kOutOfBudget);
      CHECK(streaming.nothing_left());
      continue;
    }
    const std::size_t used = arena->used_bytes();
    CHECK(used <= bytes);
    REQUIRE(streaming.append_all(stream, 4096).ok());
    REQUIRE(stream.finish().ok());
    CHECK(arena->used_bytes() == used);
    SnapshotFile file;
    REQUIRE(file.open(streaming.name.text).ok());
    CHECK(file.snapshot().object_count() == 1'000'000);
  }
}

TEST_CASE(
    "what does not fit the totals, or names what is not there, is refused and leaves no file") {
  SnapshotFixture f(3, 400);
  Streaming streaming(f);
  const auto refused = [&](auto&& act) {
    SnapshotStream stream;
    const ArenaScope scratch(f.arena);
    REQUIRE(streaming.open(stream).ok());
    const Result<void> done = act(stream);
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().code == ErrorCode::kInconsistent);
    CHECK(streaming.nothing_left());
    CHECK_FALSE(streaming.append(stream, 0, 1).ok());
    CHECK_FALSE(stream.finish().ok());
  };
  refused([](SnapshotStream& s) { return s.finish(); });
  refused([&](SnapshotStream& s) {
    REQUIRE(streaming.append(s, 0, 399).ok());
    return s.finish();
  });
  refused([&](SnapshotStream& s) {
    REQUIRE(streaming.append(s, 0, 400).ok());
    return streaming.append(s, 0, 1);
  });
  const auto with_row = [&](ClassId c, std::vector<std::uint32_t> rows, ObjectId target) {
    refused([&](SnapshotStream& s) {
      const std::vector<ClassId> classes(rows.size() - 1, c);
      const std::vector<std::uint32_t> units(rows.size() - 1, 2);
      const std::vector<ObjectId> targets(2, target);
      const std::vector<RefLabel> labels(2);
      return s.append(classes, units, rows, targets, labels);
    });
  };
  with_row(ClassId{5}, {0, 2}, ObjectId{1});  // there are classes 0 to 4
  with_row(ClassId{0}, {0, 2}, ObjectId{400});
  with_row(ClassId{0}, {0, 2}, ObjectId{});
  with_row(ClassId{0}, {0, 1}, ObjectId{1});  // fewer references than are given
  with_row(ClassId{0}, {0, 3}, ObjectId{1});
  with_row(ClassId{0}, {1, 0, 3}, ObjectId{1});
  SnapshotStream stream;
  streaming.instances.pop_back();
  CHECK(streaming.open(stream).error().code == ErrorCode::kInconsistent);
}

TEST_CASE("a disk that fills up, a taken name and a cancelled dump leave nothing behind") {
  SnapshotFixture f(7, 200'000, 300);
  Streaming streaming(f);
#if defined(HF_FAULT_POINTS)
  for (std::uint32_t after = 0; after < 20; ++after) {
    CAPTURE(after);
    const platforms::FaultScope fault(platforms::FaultPoint::kWrite,
                                      {.after = after, .error = ENOSPC});
    const Result<void> done = streaming.write(4096);
    if (!fault.spent()) {
      CHECK(after > 10);
      break;
    }
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().code == ErrorCode::kIo);
    CHECK(done.error().detail == ENOSPC);
    CHECK(streaming.nothing_left());
  }
  fs::remove(streaming.name.text);
#endif
  {
    const ArenaScope scratch(f.arena);
    SnapshotStream stream;
    REQUIRE(streaming.open(stream).ok());
    f.cancel.cancel();
    const Result<void> done = streaming.append_all(stream, 4096);
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().code == ErrorCode::kCancelled);
    CHECK(streaming.nothing_left());
    f.cancel.reset();
  }
  {
    const ArenaScope scratch(f.arena);
    SnapshotStream forgotten;
    REQUIRE(streaming.open(forgotten).ok());
    CHECK_FALSE(streaming.nothing_left());
  }
  CHECK(streaming.nothing_left());
  std::ofstream(streaming.name.text) << "taken";
  const Result<void> taken = streaming.write(4096);
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().code == ErrorCode::kExists);
  CHECK(fs::file_size(streaming.name.text) == 5);
}

TEST_CASE("a file that was cut gives the objects before the cut and the references between them") {
  SnapshotFixture f(7, 300'000, 300);
  Streaming streaming(f);
  REQUIRE(streaming.write(5000).ok());
  const std::vector<std::byte> bytes = streaming.bytes();
  bool between = false;
  for (const std::size_t start : block_starts(bytes)) {
    SnapshotFile file;
    const auto read = file.read(std::span(bytes).first(start));
    if (!read) {
      CHECK(read.error().code == ErrorCode::kDamaged);
      continue;
    }
    const Snapshot& s = file.snapshot();
    const Snapshot& all = f.snapshot;
    CHECK(file.cut().cut);
    CHECK(verify(s).ok());
    CHECK(s.object_count() + file.cut().objects_missing == all.object_count());
    CHECK(s.reference_count() + file.cut().references_missing == all.reference_count());
    CHECK(s.roots.size() + file.cut().roots_dropped == all.roots.size());
    CHECK(same_bytes(s.class_of, all.class_of.first(s.object_count())));
    between |= file.cut().objects_missing > 0 && s.reference_count() > 0;
    bool rows_right = true;
    for (std::uint32_t v = 0; v < s.object_count(); ++v) {
      const std::uint32_t kept = s.first_ref[v + 1] - s.first_ref[v];
      std::vector<ObjectId> wanted;
      for (std::uint32_t i = all.first_ref[v]; i < all.first_ref[v + 1]; ++i)
        if (all.target[i].value < s.object_count()) wanted.push_back(all.target[i]);
      // Rows behind the last block of references are empty, one may end early.
      rows_right &= kept <= wanted.size() && std::equal(wanted.begin(), wanted.begin() + kept,
                                                        s.target.begin() + s.first_ref[v]);
      rows_right &= kept == wanted.size() || s.first_ref[v + 1] == s.reference_count();
    }
    CHECK(rows_right);
  }
  CHECK(between);
}

TEST_CASE("cut at every byte and flipped at every bit, a mixed file is read as the other one is") {
  SnapshotFixture f(3, 40);
  Streaming streaming(f);
  REQUIRE(streaming.write(3).ok());
  std::vector<std::byte> bytes = streaming.bytes();
  std::uint32_t usable = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    SnapshotFile file;
    if (!file.read(std::span(bytes).first(size))) continue;
    ++usable;
    REQUIRE((file.cut().cut && verify(file.snapshot()).ok()));
  }
  CHECK(usable > 0);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const std::size_t at = bit / 8;
    bytes[at] ^= static_cast<std::byte>(1u << (bit % 8));
    SnapshotFile file;
    const bool good = file.read(bytes).ok() && !file.cut().cut;
    // A newer minor version is read; and where every object comes before every reference, the order's flag tells nothing.
    const bool newer = (at == 10 && bit % 8 != 1) || at == 11 || bit == 12 * 8 + 1;
    REQUIRE(good == newer);
    bytes[at] ^= static_cast<std::byte>(1u << (bit % 8));
  }
}

TEST_CASE("references between objects are damage where the file does not say so") {
  SnapshotFixture f(7, 200'000, 300);
  Streaming streaming(f);
  REQUIRE(streaming.write(5000).ok());
  std::vector<std::byte> bytes = streaming.bytes();
  REQUIRE(turns(bytes) > 0);
  bytes[12] &= ~std::byte{2};
  SnapshotFile file;
  CHECK(file.read(bytes).error().code == ErrorCode::kDamaged);
}
