#include "analysis/import/phd_reader.h"

#include <cstring>

#include "analysis/import/hprof_format.h"  // load_big_endian
#include "analysis/import/import_failure.h"

namespace holdfast::analysis {
namespace {

constexpr std::string_view kPhdMagic{"\0\x12portable heap dump", 20};
constexpr unsigned kByteBits = 0, kShort = 1, kInt = 2, kLong = 3;  // as in the tags: powers of two

enum Tag : unsigned {
  kEndTag = 3,
  kLongObject,
  kObjectArray,
  kClassRecord,
  kLongPrimitive,
  kNewArray
};

std::uint64_t load(const std::byte* at, unsigned shift) noexcept {
  switch (shift) {
    case kByteBits:
      return std::to_integer<std::uint64_t>(*at);
    case kShort:
      return load_big_endian<std::uint16_t>(at);
    case kInt:
      return load_big_endian<std::uint32_t>(at);
    default:
      return load_big_endian<std::uint64_t>(at);
  }
}

std::int64_t load_signed(const std::byte* at, unsigned shift) noexcept {
  const unsigned unused = 64 - (8u << shift);
  return static_cast<std::int64_t>(load(at, shift) << unused) >> unused;
}

std::uint64_t moved(std::uint64_t from, std::int64_t gap, const PhdHeader& header) noexcept {
  return header.address(from + (static_cast<std::uint64_t>(gap) << header.gap_shift()));
}

// The header, read forward; a short file throws.
class HeaderCursor {
 public:
  HeaderCursor(std::span<const std::byte> file, std::uint64_t at) : file_(file), at_(at) {}
  std::uint64_t number(unsigned shift) {
    const std::byte* const bytes = take(std::uint64_t{1} << shift);
    return load(bytes, shift);
  }
  std::string text() {
    const std::uint64_t length = number(kShort);
    return {reinterpret_cast<const char*>(take(length)), static_cast<std::size_t>(length)};
  }
  [[noreturn]] void damaged(const char* what) const {
    throw ImportFailure(ErrorCode::kDamaged, at_, what);
  }
  std::uint64_t at() const noexcept { return at_; }

 private:
  const std::byte* take(std::uint64_t bytes) {
    if (file_.size() - at_ < bytes) damaged("the dump ends inside its header");
    at_ += bytes;
    return file_.data() + at_ - bytes;
  }
  std::span<const std::byte> file_;
  std::uint64_t at_;
};

}  // namespace

bool looks_like_phd(std::span<const std::byte> first_bytes) noexcept {
  return first_bytes.size() >= kPhdMagic.size() &&
         std::memcmp(first_bytes.data(), kPhdMagic.data(), kPhdMagic.size()) == 0;
}

PhdHeader read_phd_header(std::span<const std::byte> file) {
  if (!looks_like_phd(file)) throw ImportFailure(ErrorCode::kNotOurs, 0, "no portable heap dump");
  HeaderCursor cursor(file, kPhdMagic.size());
  PhdHeader header;
  header.version = static_cast<std::uint32_t>(cursor.number(kInt));
  if (header.version < 4 || header.version > 6)
    throw ImportFailure(
        ErrorCode::kNewerVersion, kPhdMagic.size(),
        "PHD version " + std::to_string(header.version) + "; 4, 5 and 6 are readable");
  const std::uint64_t flags = cursor.number(kInt);
  header.wide = (flags & 1) != 0;
  header.all_hashed = (flags & 2) != 0;
  header.j9 = (flags & 4) != 0;
  if (cursor.number(kByteBits) != 1) cursor.damaged("no start of the header");
  constexpr unsigned kTotals = 1, kHeaderEnd = 2, kHashSeeds = 3, kVersion = 4;
  for (std::uint64_t tag = 0; tag != kHeaderEnd;) {
    tag = cursor.number(kByteBits);
    if (tag == kTotals || tag == kHashSeeds)
      cursor.number(kLong);
    else if (tag == kVersion)
      header.vm_version = cursor.text();
    else if (tag != kHeaderEnd)
      cursor.damaged("an unknown header record");
  }
  if (cursor.number(kByteBits) != 2) cursor.damaged("no start of the records");
  header.body_offset = cursor.at();
  return header;
}

std::uint64_t PhdReader::number(unsigned shift) noexcept {
  const std::uint64_t bytes = std::uint64_t{1} << shift;
  cut_ = cut_ || !has(bytes);
  if (cut_) return 0;
  at_ += bytes;
  return load(&file_[at_ - bytes], shift);
}

std::int64_t PhdReader::signed_number(unsigned shift) noexcept {
  const unsigned unused = 64 - (8u << shift);
  return static_cast<std::int64_t>(number(shift) << unused) >> unused;
}

void PhdReader::gap(PhdRecord& record, unsigned shift) noexcept {
  record.address = moved(last_address_, signed_number(shift), header_);
}

void PhdReader::hash(bool own) noexcept {
  if (header_.j9 && header_.all_hashed)
    number(kShort);
  else if (own)
    number(kInt);
}

void PhdReader::references(PhdRecord& record, std::uint64_t count, unsigned shift) noexcept {
  cut_ = cut_ || !has(count << shift);
  if (cut_) return;
  record.reference_count = static_cast<std::uint32_t>(count);
  record.reference_shift = shift;
  record.references = file_.data() + at_;
  at_ += count << shift;
}

std::uint64_t PhdReader::reference(const PhdRecord& record, std::uint32_t i) const noexcept {
  const std::byte* const at = record.references + (std::uint64_t{i} << record.reference_shift);
  const std::uint64_t address =
      moved(record.address, load_signed(at, record.reference_shift), header_);
  const bool own_class =
      header_.j9 && i == 0 && record.kind != PhdKind::kClass && address == record.class_address;
  return own_class ? 0 : address;
}

// Before version 6 sizes of arrays are not told: those of the VMs of that time, headers included.
void PhdReader::array_size(PhdRecord& record, std::uint64_t length,
                           unsigned element_shift) noexcept {
  constexpr std::uint64_t kMostLength = std::uint64_t{1} << 40;
  if (header_.has_array_sizes()) {
    record.shallow_bytes = 4 * number(kInt);
    return;
  }
  const std::uint64_t head = header_.wide ? 24 : 12;
  const std::uint64_t bytes =
      head + ((length < kMostLength ? length : kMostLength) << element_shift);
  record.shallow_bytes = (bytes + 7) / 8 * 8;
}

void PhdReader::remember_class(std::uint64_t address) noexcept {
  class_cache_[cache_next_] = address;
  cache_next_ = (cache_next_ + 1) % 4;
}

void PhdReader::short_object(PhdRecord& record, unsigned tag) noexcept {
  record.class_address = class_cache_[tag >> 5 & 3];
  gap(record, tag >> 2 & 1);
  hash(false);
  references(record, tag >> 3 & 3, tag & 3);
}

void PhdReader::medium_object(PhdRecord& record, unsigned tag) noexcept {
  gap(record, tag >> 2 & 1);
  record.class_address = word();
  remember_class(record.class_address);
  hash(false);
  references(record, tag >> 3 & 7, tag & 3);
}

void PhdReader::long_object(PhdRecord& record) noexcept {
  const auto flags = static_cast<unsigned>(number(kByteBits));
  gap(record, flags >> 6);
  record.class_address = word();
  remember_class(record.class_address);
  hash((flags & 2) != 0);
  const std::uint64_t count = number(kInt);
  references(record, count, flags >> 4 & 3);
}

void PhdReader::object_array(PhdRecord& record, bool with_length) noexcept {
  record.kind = PhdKind::kObjectArray;
  const auto flags = static_cast<unsigned>(number(kByteBits));
  gap(record, flags >> 6);
  record.class_address = word();
  hash((flags & 2) != 0);
  const std::uint64_t count = number(kInt);
  references(record, count, flags >> 4 & 3);
  array_size(record, with_length ? number(kInt) : count, header_.wide ? kLong : kInt);
}

void PhdReader::primitive_array(PhdRecord& record, unsigned tag) noexcept {
  record.kind = PhdKind::kPrimitiveArray;
  record.element_type = static_cast<std::uint8_t>(tag >> 2 & 7);
  gap(record, tag & 3);
  const std::uint64_t length = number(tag & 3);
  hash(false);
  array_size(record, length, record.element_type & 3);
}

void PhdReader::long_primitive_array(PhdRecord& record) noexcept {
  record.kind = PhdKind::kPrimitiveArray;
  const auto flags = static_cast<unsigned>(number(kByteBits));
  record.element_type = static_cast<std::uint8_t>(flags >> 5);
  const unsigned shift = (flags & 0x10) == 0 ? kByteBits : header_.wide ? kLong : kInt;
  gap(record, shift);
  const std::uint64_t length = number(shift);
  hash((flags & 2) != 0);
  array_size(record, length, record.element_type & 3);
}

void PhdReader::class_record(PhdRecord& record) noexcept {
  record.kind = PhdKind::kClass;
  const auto flags = static_cast<unsigned>(number(kByteBits));
  gap(record, flags >> 6);
  record.shallow_bytes = number(kInt);
  hash((flags & 8) != 0);
  record.class_address = word();
  const std::uint64_t length = number(kShort);
  cut_ = cut_ || !has(length);
  if (cut_) return;
  record.name = {reinterpret_cast<const char*>(file_.data()) + at_,
                 static_cast<std::size_t>(length)};
  at_ += length;
  const std::uint64_t count = number(kInt);
  references(record, count, flags >> 4 & 3);
}

bool PhdReader::decode(PhdRecord& record, unsigned tag) noexcept {
  if ((tag & 0x80) != 0)
    short_object(record, tag);
  else if ((tag & 0x40) != 0)
    medium_object(record, tag);
  else if ((tag & 0x20) != 0)
    primitive_array(record, tag);
  else if (tag == kLongObject)
    long_object(record);
  else if (tag == kObjectArray || tag == kNewArray)
    object_array(record, tag == kNewArray);
  else if (tag == kClassRecord)
    class_record(record);
  else if (tag == kLongPrimitive)
    long_primitive_array(record);
  else
    return false;
  return true;
}

bool PhdReader::next(PhdRecord& record) {
  const std::uint64_t begin = at_;
  record = {};
  if (*reason_ != '\0') return false;
  const auto tag = static_cast<unsigned>(number(kByteBits));
  if (!cut_ && tag == kEndTag) return false;
  const bool known = decode(record, tag);
  if (known && !cut_) {
    last_address_ = record.address;
    return true;
  }
  at_ = begin;
  reason_ = cut_ ? "is cut" : "is damaged";
  return false;
}

}  // namespace holdfast::analysis
