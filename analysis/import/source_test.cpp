#include "analysis/import/source.h"

#include <doctest/doctest.h>
#include <errno.h>

#include <optional>

#include "analysis/import/archives_for_test.h"
#include "analysis/import/import_failure.h"
#include "analysis/import/temporary_file.h"
#include "analysis/lab/random.h"
#include "platforms/fault_points.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using platforms::ScratchDirectory;

namespace {

// A directory for the dump and one for what is unpacked, so that nothing is left behind unseen.
struct Place {
  ScratchDirectory files, unpacked;
  std::optional<std::string> before;

  Place() {
    if (const char* const set = std::getenv("TMPDIR")) before = set;
    ::setenv("TMPDIR", unpacked.path(), 1);
  }
  ~Place() {
    if (before)
      ::setenv("TMPDIR", before->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
  }
  std::string put(std::span<const std::byte> bytes) const {
    write_bytes(files.file("dump"), bytes);
    return files.file("dump");
  }
};

bool begins_like_a_dump(std::span<const std::byte> first) {
  return first.size() >= 4 && std::memcmp(first.data(), "DUMP", 4) == 0;
}

Bytes dump_of(std::size_t size) {
  lab::Random random(7);
  std::string text = "DUMP";
  while (text.size() < size) text += static_cast<char>('a' + random.below(20));
  return bytes_of(text);
}

Bytes one_gzip(std::span<const std::byte> bytes) { return gzip_member(bytes); }
Bytes stored_gzip(std::span<const std::byte> bytes) { return gzip_member(bytes, 0); }

struct Read {
  Bytes bytes;
  std::string loss;
  std::optional<ErrorCode> failed;
  std::string reason;
  std::uint64_t offset = 0;
};

Read read_file(const std::string& path, const UnpackProgress& progress = {}) {
  Read read;
  try {
    const Source source(path, begins_like_a_dump, progress);
    read.bytes.assign(source.bytes().begin(), source.bytes().end());
    read.loss = source.loss();
  } catch (const ImportFailure& failure) {
    read.failed = failure.code;
    read.reason = failure.what();
    read.offset = failure.offset;
  }
  return read;
}

bool is_prefix(const Bytes& front, const Bytes& whole) {
  return front.size() <= whole.size() && std::equal(front.begin(), front.end(), whole.begin());
}

}  // namespace

TEST_CASE("a plain file is mapped as it is") {
  const Place place;
  const Bytes dump = dump_of(10'000);
  const Source source(place.put(dump), begins_like_a_dump, {});
  CHECK(source.archive() == ArchiveKind::kNone);
  CHECK(source.bytes().size() == dump.size());
  CHECK(source.loss().empty());
  CHECK(read_file(place.put({})).failed == ErrorCode::kNotOurs);
  CHECK(read_file(place.files.file("none")).failed == ErrorCode::kIo);
}

TEST_CASE("archives of one and of many members hold the same bytes, and leave no file") {
  const Place place;
  const Bytes dump = dump_of(1'500'000);  // several pieces, the last one not whole
  for (const Bytes& packed :
       {one_gzip(dump), zstd_frame(dump), in_pieces(dump, 100'000, one_gzip),
        in_pieces(dump, 100'000, zstd_frame), in_pieces(dump, kArchivePieceBytes, stored_gzip)}) {
    const Source source(place.put(packed), begins_like_a_dump, {});
    CHECK(source.archive() == archive_kind(packed));
    CHECK(source.file_bytes() == packed.size());
    CHECK(std::ranges::equal(source.bytes(), dump));
    CHECK(source.loss().empty());
    CHECK(place.unpacked.count() == 0);
  }
}

TEST_CASE("an archive that is cut anywhere gives its front and says where it ends") {
  const Place place;
  const Bytes dump = dump_of(400);
  for (const Bytes& packed : {one_gzip(dump), zstd_frame(dump), in_pieces(dump, 90, one_gzip),
                              in_pieces(dump, 90, stored_gzip), in_pieces(dump, 90, zstd_frame)}) {
    std::size_t longest = 0;
    for (std::size_t size = 4; size < packed.size(); ++size) {
      CAPTURE(size);
      const Read read = read_file(place.put(std::span(packed).first(size)));
      if (read.failed) {
        CHECK(longest == 0);
        CHECK((*read.failed == ErrorCode::kDamaged || *read.failed == ErrorCode::kNotOurs));
        if (*read.failed == ErrorCode::kDamaged) CHECK(read.offset == size);
        continue;
      }
      CHECK(is_prefix(read.bytes, dump));
      CHECK(read.bytes.size() >= longest);
      longest = read.bytes.size();
      const bool between_members = read.loss.empty();
      if (between_members)
        CHECK(archive_kind(std::span(packed).subspan(size)) != ArchiveKind::kNone);
      else
        CHECK(read.loss.find("ends early at its offset " + std::to_string(size)) !=
              std::string::npos);
    }
    CHECK(longest > 0);
  }
}

TEST_CASE("no flipped bit of an archive goes unnoticed") {
  const Place place;
  const Bytes dump = dump_of(120);
  for (const Bytes& packed : {one_gzip(dump), zstd_frame(dump), in_pieces(dump, 50, one_gzip)}) {
    std::size_t told = 0;
    for (std::size_t bit = 0; bit < 8 * packed.size(); ++bit) {
      CAPTURE(bit);
      Bytes flipped = packed;
      flipped[bit / 8] ^= std::byte{1} << (bit % 8);
      const Read read = read_file(place.put(flipped));
      if (archive_kind(flipped) == ArchiveKind::kNone) continue;  // then it is no archive
      told += !read.failed && !read.loss.empty();
      CHECK((read.failed || !read.loss.empty() || read.bytes == dump));
    }
    CHECK(told > 0);
  }
}

TEST_CASE("what follows an archive is padding or told") {
  const Place place;
  const Bytes dump = dump_of(300);
  const Bytes other = bytes_of("something else");
  for (const Bytes& packed : {one_gzip(dump), zstd_frame(dump)}) {
    const Read padded = read_file(place.put(joined(packed, Bytes(1000))));
    CHECK(padded.bytes == dump);
    CHECK(padded.loss.empty());
    const Read followed = read_file(place.put(joined(packed, other)));
    CHECK(followed.bytes == dump);
    CHECK(followed.loss.find("followed by bytes of something else at its offset " +
                             std::to_string(packed.size())) != std::string::npos);
  }
}

TEST_CASE("an archive of something else is given up after its first piece") {
  const Place place;
  const Bytes zeros(std::size_t{40} << 20);
  for (const Bytes& packed : {one_gzip(zeros), zstd_frame(zeros)}) {
    std::uint64_t told = 0;
    const Read read = read_file(place.put(packed), [&](std::uint64_t) { return ++told; });
    CHECK(read.failed == ErrorCode::kNotOurs);
    CHECK(told == 0);
    std::size_t pieces = 0;
    CHECK_THROWS_AS(unpack(archive_kind(packed), packed,
                           [&](std::span<const std::byte>, std::uint64_t) {
                             ++pieces;
                             throw ImportFailure(ErrorCode::kNotOurs, 0, "enough");
                           }),
                    ImportFailure);
    CHECK(pieces == 1);
  }
  CHECK(read_file(place.put(one_gzip({}))).failed == ErrorCode::kNotOurs);
  CHECK(read_file(place.put(zstd_frame({}))).failed == ErrorCode::kNotOurs);
}

TEST_CASE("an archive that does not fit is refused by the name of TMPDIR") {
  const Place place;
  const std::string path = place.put(one_gzip(dump_of(1000)));
  const auto names_it = [](const Read& read) {
    return read.failed == ErrorCode::kRefused && read.reason.find("TMPDIR") != std::string::npos;
  };
#if defined(HF_FAULT_POINTS)
  {
    const platforms::FaultScope full(platforms::FaultPoint::kWrite, {0, 1, ENOSPC});
    const Read read = read_file(path);
    CHECK(names_it(read));
    CHECK(read.reason.find(place.unpacked.path()) != std::string::npos);
  }
#endif
  TemporaryFile none_free(UINT64_MAX);
  CHECK_THROWS_WITH_AS(none_free.append(dump_of(10)), doctest::Contains("are free"), ImportFailure);
  ::setenv("TMPDIR", place.unpacked.file("missing").c_str(), 1);
  CHECK(names_it(read_file(path)));
}

TEST_CASE("unpacking can be cancelled, and counts in bytes of the file") {
  const Place place;
  const Bytes packed = one_gzip(dump_of(2'000'000));
  std::uint64_t last = 0;
  const Read whole = read_file(place.put(packed), [&](std::uint64_t done) {
    CHECK(done >= last);
    last = done;
    return true;
  });
  CHECK_FALSE(whole.failed);
  CHECK(last == packed.size());
  CHECK(read_file(place.put(packed), [](std::uint64_t) { return false; }).failed ==
        ErrorCode::kCancelled);
}
