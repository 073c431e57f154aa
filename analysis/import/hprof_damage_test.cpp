// Dumps that are cut, forged or half written: no crash, no endless loop, no memory that the file does not justify. What can be
// read is a snapshot that verifies, and what is lost is told.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/import/import_fixture.h"
#include "analysis/lab/sample_hprof.h"

using namespace holdfast;
using namespace holdfast::analysis;
using namespace holdfast::analysis::lab;

namespace {

constexpr std::uint64_t kMemoryLimit = std::uint64_t{64} << 20;

struct Outcome {
  bool failed = false;
  ErrorCode code{};
  std::uint64_t offset = 0;
  std::uint64_t objects = 0;  // of the file: without MAT's boot loader
  std::size_t losses = 0;
};

Outcome read(std::span<const std::byte> file, bool like_mat) {
  ImportOptions options = like_mat ? options_like_mat() : own_options();
  options.memory_limit_bytes = kMemoryLimit;
  Outcome outcome;
  try {
    const auto heap = import_hprof(file, options);
    CHECK(verify(heap->snapshot));
    outcome.objects = heap->addresses.size() -
                      static_cast<std::uint64_t>(std::ranges::count(heap->addresses, 0u));
    outcome.losses = heap->losses.size();
  } catch (const ImportFailure& failure) {
    outcome.failed = true;
    outcome.code = failure.code;
    outcome.offset = failure.offset;
    CHECK(failure.what() != std::string());
  }
  return outcome;
}

// A copy whose last byte lies before a page that cannot be read, so that no byte behind it is ever looked at.
class FencedCopy {
 public:
  explicit FencedCopy(std::span<const std::byte> bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t room = (bytes.size() / page + 1) * page;
    mapped_bytes_ = room + page;
    void* const at =
        ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(at != MAP_FAILED);
    mapped_ = static_cast<std::byte*>(at);
    REQUIRE(::mprotect(mapped_ + room, page, PROT_NONE) == 0);
    std::byte* const start = mapped_ + room - bytes.size();
    std::ranges::copy(bytes, start);
    bytes_ = {start, bytes.size()};
  }
  FencedCopy(const FencedCopy&) = delete;
  FencedCopy& operator=(const FencedCopy&) = delete;
  ~FencedCopy() { ::munmap(mapped_, mapped_bytes_); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::byte* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::span<const std::byte> bytes_;
};

// Where records end: a file of HEAP_DUMP records that is cut there looks whole.
std::vector<std::size_t> record_ends(std::span<const std::byte> file) {
  constexpr std::size_t kHeader = 31;
  std::vector<std::size_t> ends;
  for (std::size_t at = kHeader; at < file.size(); ends.push_back(at))
    at += 9 + load_big_endian<std::uint32_t>(&file[at + 5]);
  return ends;
}

// Writes `value` over `width` bytes, big-endian, for each offset.
void forge_everywhere(std::span<const std::byte> whole, std::size_t width, std::uint64_t value) {
  bool like_mat = false;
  for (std::size_t at = 0; at + width <= whole.size(); ++at) {
    CAPTURE(at);
    std::vector<std::byte> forged(whole.begin(), whole.end());
    for (std::size_t i = 0; i < width; ++i)
      forged[at + i] = static_cast<std::byte>(value >> (8 * (width - 1 - i)));
    const Outcome outcome = read(forged, like_mat = !like_mat);
    CHECK((!outcome.failed || outcome.code == ErrorCode::kDamaged ||
           outcome.code == ErrorCode::kNotOurs || outcome.code == ErrorCode::kNewerVersion));
  }
}

class TemporaryFile {
 public:
  TemporaryFile() {
    char name[] = "/tmp/holdfast-damage-XXXXXX";
    const int descriptor = ::mkstemp(name);
    REQUIRE(descriptor >= 0);
    ::close(descriptor);
    path_ = name;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  void write(std::span<const std::byte> bytes) const {
    std::ofstream out(path_, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("the sample itself has no loss and equals the oracle") {
  for (const unsigned id_bytes : {4u, 8u})
    for (const bool segments : {false, true}) {
      const std::vector<std::byte> whole = sample_hprof(id_bytes, segments);
      CHECK(read(whole, false).losses == 0);
      const ImportedDump ours(whole, options_like_mat());
      CHECK(ours.heap().losses.empty());
      CHECK(ours.snapshot().losses.references_to_unknown == 0);
      CHECK(ours.snapshot().losses.roots_dropped == 0);
      CHECK(difference(ours.rows(), mat_oracle(whole)) == "");
    }
}

TEST_CASE("a dump cut at every byte: a refusal, or what was there and a word on what is missing") {
  for (const unsigned id_bytes : {4u, 8u})
    for (const bool segments : {false, true}) {
      const std::vector<std::byte> whole = sample_hprof(id_bytes, segments);
      const std::vector<std::size_t> ends = record_ends(whole);
      std::uint64_t objects = 0, refused = 0;
      for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        CAPTURE(bytes);
        const FencedCopy copy(std::span<const std::byte>(whole).first(bytes));
        const Outcome outcome = read(copy.bytes(), bytes % 2 == 0);
        if (outcome.failed) {
          CHECK(objects == 0);  // once there is an object, there is a snapshot
          CHECK((outcome.code == ErrorCode::kDamaged || outcome.code == ErrorCode::kNotOurs));
          CHECK(outcome.offset <= bytes);
          ++refused;
          continue;
        }
        CHECK((outcome.losses > 0 || (!segments && std::ranges::count(ends, bytes) == 1)));
        CHECK(outcome.objects >= objects);
        CHECK(outcome.objects <= objects + 1);
        objects = outcome.objects;
      }
      CHECK(refused < whole.size());
      CHECK(objects == (segments ? 17 : 16));  // without segments the last byte is an object's
    }
}

TEST_CASE("every number forged: lengths, counts, identifiers, types and tags") {
  for (const unsigned id_bytes : {4u, 8u}) {
    const std::vector<std::byte> whole = sample_hprof(id_bytes, id_bytes == 8);
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX})
      forge_everywhere(whole, 4, value);
    forge_everywhere(whole, 1, 2);
    forge_everywhere(whole, 2, UINT64_MAX);
    forge_everywhere(whole, 8, UINT64_MAX);
  }
}

TEST_CASE("a forged length tells where, and keeps what was before") {
  HprofWriter dump;
  dump.basics();
  dump.instance(0x1000, HprofWriter::kObject);
  std::vector<std::byte> file = dump.finish();
  const std::size_t end_record = file.size() - 9;
  const std::size_t instance = end_record - (1 + 8 + 4 + 8 + 4);
  file[end_record - 1] = std::byte{1};  // its fields would reach into the next record
  const ImportedDump ours(file, own_options());
  CHECK(ours.snapshot().object_count() == 2);
  REQUIRE(ours.heap().losses.size() == 1);
  CHECK(ours.heap().losses[0].find(std::to_string(instance)) != std::string::npos);
  CHECK(ours.heap().losses[0].find("25 bytes not read") != std::string::npos);
}

TEST_CASE("zeros behind the header, a gigabyte of them: refused at once, with the offset") {
  const std::vector<std::byte> whole = sample_hprof(8, true);
  const TemporaryFile file;
  file.write(std::span<const std::byte>(whole).first(31));
  std::filesystem::resize_file(file.path(), std::uintmax_t{1} << 30);
  ImportOptions options;
  options.memory_limit_bytes = kMemoryLimit;
  try {
    import_heap(file.path(), options);
    FAIL("taken for a dump");
  } catch (const ImportFailure& failure) {
    CHECK(failure.code == ErrorCode::kDamaged);
    CHECK(failure.offset == 31);
  }
}

TEST_CASE("zeros behind the objects: what was there before is kept") {
  const std::vector<std::byte> whole = sample_hprof(8, true);
  const TemporaryFile file;
  file.write(whole);
  std::filesystem::resize_file(file.path(), std::uintmax_t{1} << 30);
  ImportOptions options;
  options.memory_limit_bytes = kMemoryLimit;
  const auto heap = import_heap(file.path(), options);
  CHECK(verify(heap->snapshot));
  CHECK(heap->snapshot.object_count() == 17);
  CHECK(heap->losses.size() == 1);
}

TEST_CASE("a dump that lost its GC roots with its end: what nothing refers to stands for them") {
  HprofWriter dump({.segments = false});
  dump.klass({.id = 0x100, .name = "java/lang/Object"});
  dump.klass(
      {.id = 0x110, .name = "shop/Cart", .super = 0x100, .loader = 0x3000, .fields = {{"item"}}});
  dump.instance(0x2000, 0x110, {reference(0x2010)});
  dump.instance(0x2010, 0x110, {reference(0)});
  dump.instance(0x2020, 0x110, {reference(0x2028)});  // two that hold each other
  dump.instance(0x2028, 0x110, {reference(0x2020)});
  dump.instance(0x3000, 0x100);
  dump.root(0x05, 0x100);
  dump.root(0x05, 0x110);
  std::vector<std::byte> file = dump.finish();
  file.resize(file.size() - 12);  // into the first root
  const auto heap = import_hprof(file, own_options());
  CHECK(verify(heap->snapshot));
  CHECK(heap->losses.size() == 1);
  std::vector<std::uint64_t> rooted;
  for (const RootRecord& root : heap->snapshot.roots)
    rooted.push_back(heap->addresses[root.object.value]);
  const auto is_rooted = [&](std::uint64_t id) { return std::ranges::count(rooted, id) != 0; };
  CHECK(is_rooted(0x2000));
  CHECK_FALSE(is_rooted(0x2010));
  CHECK(is_rooted(0x2020) != is_rooted(0x2028));
}

TEST_CASE("a memory limit that is too small is said, whatever it is") {
  const std::vector<std::byte> whole = sample_hprof(8, true);
  bool fits = false;
  for (std::uint64_t limit = 4096; !fits; limit *= 2) {
    ImportOptions options;
    options.memory_limit_bytes = limit;
    try {
      const auto heap = import_hprof(whole, options);
      CHECK(heap->ledger().peak_bytes() <= limit);
      fits = true;
    } catch (const ImportFailure& failure) {
      CHECK(failure.code == ErrorCode::kOutOfBudget);
    }
    REQUIRE(limit < kMemoryLimit);
  }
}

TEST_CASE("an import that is told to stop stops") {
  ImportOptions options;
  options.progress = [](const char*, std::uint64_t, std::uint64_t) { return false; };
  try {
    import_hprof(sample_hprof(8, true), options);
    FAIL("went on");
  } catch (const ImportFailure& failure) {
    CHECK(failure.code == ErrorCode::kCancelled);
  }
}
