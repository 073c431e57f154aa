#include "analysis/import/source.h"

#include <cstring>

#include "analysis/import/import_failure.h"
#include "analysis/import/temporary_file.h"

namespace holdfast::analysis {
namespace {

std::string loss_sentence(ArchiveKind kind, const ArchiveEnd& end, std::uint64_t unpacked_bytes) {
  return std::string("the ") + archive_name(kind) + " archive " + end.reason + " at its offset " +
         std::to_string(end.packed_offset) + ": " + std::to_string(unpacked_bytes) +
         " bytes came out";
}

// A mapping that goes when its scope ends.
struct MappingGuard {
  platforms::MappedFile& file;
  ~MappingGuard() { platforms::unmap_file(file); }
};

}  // namespace

Source::Source(const std::string& path, KnownFormat known, const UnpackProgress& progress) {
  const int refused = platforms::map_file(path.c_str(), file_);
  if (refused != 0) throw ImportFailure(ErrorCode::kIo, 0, std::strerror(refused));
  if (file_.data == nullptr) throw ImportFailure(ErrorCode::kNotOurs, 0, "the file is empty");
  file_bytes_ = file_.bytes;
  archive_ = archive_kind(bytes());
  if (archive_ != ArchiveKind::kNone) unpack_all(known, progress);
}

void Source::unpack_all(KnownFormat known, const UnpackProgress& progress) {
  platforms::MappedFile packed = file_;
  file_ = {};
  const MappingGuard guard{packed};
  TemporaryFile unpacked;
  const ArchiveEnd end =
      unpack(archive_, {packed.data, static_cast<std::size_t>(packed.bytes)},
             [&](std::span<const std::byte> piece, std::uint64_t packed_offset) {
               if (unpacked.size() == 0 && !known(piece))
                 throw ImportFailure(ErrorCode::kNotOurs, 0,
                                     std::string("a ") + archive_name(archive_) +
                                         " archive, but of no heap dump that is known here");
               unpacked.append(piece);
               if (progress && !progress(packed_offset))
                 throw ImportFailure(ErrorCode::kCancelled, packed_offset, "cancelled");
             });
  if (unpacked.size() == 0 && !end.reason.empty())
    throw ImportFailure(ErrorCode::kDamaged, end.packed_offset,
                        std::string("the ") + archive_name(archive_) + " archive " + end.reason +
                            ", and nothing comes out");
  if (unpacked.size() == 0)
    throw ImportFailure(ErrorCode::kNotOurs, 0, "the archive holds nothing");
  if (!end.reason.empty()) loss_ = loss_sentence(archive_, end, unpacked.size());
  file_ = unpacked.map();
}

}  // namespace holdfast::analysis
