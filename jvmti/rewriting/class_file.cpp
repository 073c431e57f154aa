#include "jvmti/rewriting/class_file.h"

namespace holdfast::jvmti {
namespace {

constexpr std::uint32_t kMagic = 0xCAFEBABE;
constexpr std::size_t kHeadBytes = 8;  // magic, minor, major

// The stretch from `from` to where the reader is.
Bytes behind(Bytes file, std::size_t from, const ByteReader& reader) noexcept {
  return file.subspan(from, reader.at() - from);
}

}  // namespace

LeftAlone ClassFile::read(Bytes file, Scratch& scratch) noexcept {
  file_ = file;
  ByteReader reader(file);
  if (reader.u32() != kMagic || file.size() > INT32_MAX) return LeftAlone::kMalformedClass;
  const std::uint16_t minor = reader.u16();
  major_ = reader.u16();
  if (!reader.ok()) return LeftAlone::kMalformedClass;
  const bool other_code = major_ == kOldestMajor && minor <= kLastOldCodeMinor;
  if (major_ < kOldestMajor || other_code || major_ > kNewestMajor) return LeftAlone::kOtherVersion;
  head_ = file.first(kHeadBytes);
  if (const LeftAlone reason = pool_.read(file, reader, scratch); reason != LeftAlone::kNo)
    return reason;
  pool_bytes_ = behind(file, kHeadBytes + 2, reader);

  const std::size_t middle_at = reader.at();
  reader.skip(2);
  this_index_ = reader.u16();
  super_index_ = reader.u16();
  reader.skip(std::size_t{reader.u16()} * 2);
  middle_ = behind(file, middle_at, reader);
  field_count_ = read_members(reader, fields_);
  method_count_ = read_members(reader, methods_);
  const std::size_t tail_at = reader.at();
  for (std::uint32_t left = reader.u16(); left > 0 && reader.ok(); --left) read_attribute(reader);
  tail_ = behind(file, tail_at, reader);
  const bool sound = reader.ok() && reader.at_end() && !name().empty();
  return sound ? LeftAlone::kNo : LeftAlone::kMalformedClass;
}

std::uint16_t ClassFile::read_members(ByteReader& reader, Bytes& out) const noexcept {
  const std::uint16_t count = reader.u16();
  const std::size_t from = reader.at();
  for (std::uint32_t left = count; left > 0 && reader.ok(); --left) read_member(reader);
  out = behind(file_, from, reader);
  return count;
}

Member ClassFile::read_member(ByteReader& reader) const noexcept {
  Member member;
  const ByteReader start = reader;
  member.access = reader.u16();
  member.name = pool_.utf8(reader.u16());
  member.descriptor = pool_.utf8(reader.u16());
  member.attribute_count = reader.u16();
  const ByteReader attributes = reader;
  for (std::uint32_t left = member.attribute_count; left > 0 && reader.ok(); --left)
    read_attribute(reader);
  if (!reader.ok()) return {};
  member.attributes = ByteReader(attributes).take(reader.at() - attributes.at());
  member.bytes = ByteReader(start).take(reader.at() - start.at());
  return member;
}

Attribute ClassFile::read_attribute(ByteReader& reader) const noexcept {
  Attribute attribute;
  const ByteReader start = reader;
  attribute.name_index = reader.u16();
  attribute.name = pool_.utf8(attribute.name_index);
  attribute.content = reader.take(reader.u32());
  attribute.bytes = ByteReader(start).take(reader.at() - start.at());
  return attribute;
}

}  // namespace holdfast::jvmti
