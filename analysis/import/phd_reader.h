// IBM's portable heap dump (PHD), record by record.
// Shape:  big endian. "portable heap dump" as a string with its length (u16) before it, version u32 (4, 5, 6), flags u32
//         (1: 64 bits, 2: all objects hashed, 4: of J9), 0x01, header records (1 totals, 3 hash seeds: two u32 each; 4 the
//         VM's version), 0x02; then 0x02, the records, 0x03. Addresses are gaps to the record before, references gaps to
//         their own record, in units of 4 bytes (8: version 4 that is not J9's).
//         O(bytes); one record at a time, its references stay where they are in the file.
// Zone:   offline.
// Errors: the header throws ImportFailure (kNotOurs, kNewerVersion, kDamaged); damage behind it ends the records.
// Source: OpenJ9's documentation, "Heap dump"; IBM Java diagnostics guides 5 to 7; what its own reader tolerates.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::analysis {

struct PhdHeader {
  std::uint32_t version = 6;
  bool wide = true;  // words of 64 bits
  bool all_hashed = false;
  bool j9 = true;
  std::string vm_version;
  std::uint64_t body_offset = 0;

  unsigned gap_shift() const noexcept { return j9 || version == 5 ? 2 : 3; }
  bool has_array_sizes() const noexcept { return version >= 6; }
  std::uint64_t address(std::uint64_t sum) const noexcept { return wide ? sum : sum & 0xFFFFFFFFu; }
};

bool looks_like_phd(std::span<const std::byte> first_bytes) noexcept;
PhdHeader read_phd_header(std::span<const std::byte> file);

enum class PhdKind : std::uint8_t { kInstance, kObjectArray, kPrimitiveArray, kClass };

struct PhdRecord {
  PhdKind kind = PhdKind::kInstance;
  std::uint64_t address = 0;
  std::uint64_t class_address = 0;  // of an array's elements; of a class: its superclass
  std::uint64_t shallow_bytes = 0;  // arrays; of a class: of its instances; else not told
  std::uint8_t element_type = 0;    // bool, char, float, double, byte, short, int, long
  std::string_view name;            // of a class
  std::uint32_t reference_count = 0;
  unsigned reference_shift = 0;  // 1 << this: bytes of a reference
  const std::byte* references = nullptr;
};

class PhdReader {
 public:
  PhdReader(std::span<const std::byte> file, const PhdHeader& header)
      : file_(file), header_(header), at_(header.body_offset) {}

  // False at the end; end_reason() is then empty, or why the dump ends before its end.
  bool next(PhdRecord& record);
  std::uint64_t offset() const noexcept { return at_; }  // of the next record
  const char* end_reason() const noexcept { return reason_; }
  // The i-th reference as an address. J9 may list an object's class as its first reference: that one is 0 here.
  std::uint64_t reference(const PhdRecord& record, std::uint32_t i) const noexcept;

 private:
  bool has(std::uint64_t bytes) const noexcept { return file_.size() - at_ >= bytes; }
  std::uint64_t number(unsigned shift) noexcept;  // unsigned, of 1 << shift bytes
  std::int64_t signed_number(unsigned shift) noexcept;
  std::uint64_t word() noexcept { return number(header_.wide ? 3 : 2); }
  void gap(PhdRecord& record, unsigned shift) noexcept;
  void hash(bool own) noexcept;
  void references(PhdRecord& record, std::uint64_t count, unsigned shift) noexcept;
  void array_size(PhdRecord& record, std::uint64_t length, unsigned element_shift) noexcept;
  void remember_class(std::uint64_t address) noexcept;

  void short_object(PhdRecord& record, unsigned tag) noexcept;
  void medium_object(PhdRecord& record, unsigned tag) noexcept;
  void long_object(PhdRecord& record) noexcept;
  void object_array(PhdRecord& record, bool with_length) noexcept;
  void primitive_array(PhdRecord& record, unsigned tag) noexcept;
  void long_primitive_array(PhdRecord& record) noexcept;
  void class_record(PhdRecord& record) noexcept;
  bool decode(PhdRecord& record, unsigned tag) noexcept;

  std::span<const std::byte> file_;
  const PhdHeader header_;
  std::uint64_t at_;
  bool cut_ = false;
  const char* reason_ = "";
  std::uint64_t last_address_ = 0;
  std::uint64_t class_cache_[4] = {};
  unsigned cache_next_ = 0;
};

}  // namespace holdfast::analysis
