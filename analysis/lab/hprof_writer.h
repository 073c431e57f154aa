// A small language that writes HPROF files for tests, correct ones and wrong ones.
//
//   HprofWriter dump({.id_bytes = 4});
//   dump.klass({.id = 0x100, .name = "java/lang/Object"});
//   dump.klass({.id = 0x110, .name = "shop/Cart", .super = 0x100, .fields = {{"owner"}, {"total", kHprofLong}}});
//   dump.instance(0x1000, 0x110, {reference(0x2000), number(kHprofLong, 7)});
//   dump.root(0x05, 0x110);
//   const std::vector<std::byte> file = dump.finish();
//
// Shape:  names, LOAD_CLASS, frames and traces first (or last), then the heap dump in the order of the calls. Values are
//         written as they are given: whoever leaves one out, or gives one too many, gets a wrong file on purpose.
// Zone:   offline.   Errors: none.
// Source: HPROF agent manual (hprof_b_spec.h of OpenJDK 8); Android's additions as VisualVM lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::analysis::lab {

// Types of fields and elements; a reference is 2.
inline constexpr std::uint8_t kHprofRef = 2, kHprofBoolean = 4, kHprofChar = 5, kHprofFloat = 6,
                              kHprofDouble = 7, kHprofByte = 8, kHprofShort = 9, kHprofInt = 10,
                              kHprofLong = 11;

struct HprofValue {
  std::uint8_t type = kHprofRef;
  std::uint64_t bits = 0;
};
constexpr HprofValue reference(std::uint64_t id) noexcept { return {kHprofRef, id}; }
constexpr HprofValue number(std::uint8_t type, std::uint64_t bits) noexcept { return {type, bits}; }

struct HprofFieldSpec {
  std::string name;
  std::uint8_t type = kHprofRef;
};
struct HprofStaticSpec {
  std::string name;
  HprofValue value;
};
struct HprofClassSpec {
  std::uint64_t id = 0;
  std::string name;  // "java/lang/Object"; empty: no LOAD_CLASS record
  std::uint64_t super = 0, loader = 0, signers = 0, domain = 0;
  std::vector<HprofStaticSpec> statics{};
  std::vector<HprofFieldSpec> fields{};
  std::vector<HprofValue> constants{};
  std::optional<std::uint32_t> instance_bytes{};  // else own fields and those of known superclasses
};

struct HprofFormat {
  unsigned id_bytes = 8;
  std::string version = "1.0.2";
  bool segments = true;                   // false: one HEAP_DUMP record and no HEAP_DUMP_END
  std::uint32_t segment_bytes = 1 << 20;  // a segment ends behind the sub-record that passes this
  bool names_last = false;
};

class HprofWriter {
 public:
  explicit HprofWriter(HprofFormat format = {});

  // -- records --
  std::uint64_t name(std::string_view text);  // the identifier of its UTF8 record
  std::uint32_t class_serial(std::uint64_t class_id) const { return class_serials_.at(class_id); }
  void frame(std::uint64_t frame_id, std::string_view method, std::uint32_t class_serial);
  void trace(std::uint32_t serial, std::uint32_t thread_serial,
             const std::vector<std::uint64_t>& frames);
  void record(std::uint8_t tag, std::string_view body);  // here, between two segments

  // -- heap dump --
  void klass(const HprofClassSpec& spec);
  void instance(std::uint64_t id, std::uint64_t class_id,
                const std::vector<HprofValue>& values = {});
  void object_array(std::uint64_t id, std::uint64_t class_id,
                    const std::vector<std::uint64_t>& elements);
  void primitive_array(std::uint64_t id, std::uint8_t type, std::uint32_t count);
  void text_array(std::uint64_t id, std::string_view latin1);    // byte[]
  void text_array(std::uint64_t id, std::u16string_view utf16);  // char[]
  void primitive_array_without_data(std::uint64_t id, std::uint8_t type, std::uint32_t count);
  void heap_info(std::uint32_t heap, std::string_view heap_name);  // Android's
  // Threads and frames (or stack traces) where the kind of root has them.
  void root(std::uint8_t tag, std::uint64_t id, std::uint32_t thread_serial = 0,
            std::uint32_t frame = 0xFFFFFFFFu);
  // java.lang.Object and java.lang.Class, which nearly every dump needs, at kObject and kClass; with a sticky root each.
  void basics();
  static constexpr std::uint64_t kObject = 0x100, kClass = 0x108, kLoaderClass = 0x110;

  std::vector<std::byte> finish();

 private:
  using Bytes = std::vector<std::byte>;
  void put(Bytes& out, std::uint64_t value, unsigned bytes);
  void put_text(Bytes& out, std::string_view text);
  void put_value(Bytes& out, const HprofValue& value);
  void put_record(Bytes& out, std::uint8_t tag, const Bytes& body);
  void id(Bytes& out, std::uint64_t value) { put(out, value, format_.id_bytes); }
  unsigned bytes_of(std::uint8_t type) const;
  std::uint32_t fields_bytes(const std::vector<HprofFieldSpec>& fields) const;
  void add(const Bytes& sub_record);
  void end_segment();

  HprofFormat format_;
  Bytes records_, heap_, segment_;
  std::map<std::string, std::uint64_t, std::less<>> names_;
  std::map<std::uint64_t, std::uint32_t> class_serials_;
  std::map<std::uint64_t, std::uint32_t> instance_bytes_;
};

}  // namespace holdfast::analysis::lab
