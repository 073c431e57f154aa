#include "analysis/lab/hprof_writer.h"

namespace holdfast::analysis::lab {
namespace {

constexpr std::uint8_t kUtf8 = 0x01, kLoadClass = 0x02, kFrame = 0x04, kTrace = 0x05,
                       kHeapDump = 0x0C, kHeapDumpSegment = 0x1C, kHeapDumpEnd = 0x2C;
constexpr std::uint8_t kClassDump = 0x20, kInstanceDump = 0x21, kObjectArrayDump = 0x22,
                       kPrimitiveArrayDump = 0x23, kPrimitiveArrayNoData = 0xC3, kHeapInfo = 0xFE;
constexpr std::uint64_t kFirstNameId = 0x70000000;  // apart from the addresses of objects
constexpr std::uint64_t kMadeAtMs = 1'700'000'000'000;

// Bytes behind the identifier of a root, when it is not JNI global: thread serial, and frame or trace.
unsigned numbers_of_root(std::uint8_t tag) {
  switch (tag) {
    case 0x02:
    case 0x03:
    case 0x08:
    case 0x8E:
      return 2;
    case 0x04:
    case 0x06:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

HprofWriter::HprofWriter(HprofFormat format) : format_(std::move(format)) {}

void HprofWriter::put(Bytes& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = bytes; i-- > 0;) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void HprofWriter::put_text(Bytes& out, std::string_view text) {
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
}

unsigned HprofWriter::bytes_of(std::uint8_t type) const {
  switch (type) {
    case kHprofRef:
      return format_.id_bytes;
    case kHprofBoolean:
    case kHprofByte:
      return 1;
    case kHprofChar:
    case kHprofShort:
      return 2;
    case kHprofFloat:
    case kHprofInt:
      return 4;
    default:
      return 8;
  }
}

void HprofWriter::put_value(Bytes& out, const HprofValue& value) {
  put(out, value.bits, bytes_of(value.type));
}

void HprofWriter::put_record(Bytes& out, std::uint8_t tag, const Bytes& body) {
  put(out, tag, 1);
  put(out, 0, 4);
  put(out, body.size(), 4);
  out.insert(out.end(), body.begin(), body.end());
}

std::uint64_t HprofWriter::name(std::string_view text) {
  if (const auto known = names_.find(text); known != names_.end()) return known->second;
  const std::uint64_t made = kFirstNameId + names_.size();
  names_.emplace(text, made);
  Bytes body;
  id(body, made);
  put_text(body, text);
  put_record(records_, kUtf8, body);
  return made;
}

void HprofWriter::frame(std::uint64_t frame_id, std::string_view method,
                        std::uint32_t class_serial) {
  Bytes body;
  id(body, frame_id);
  id(body, name(method));
  id(body, name("()V"));
  id(body, name("Source.java"));
  put(body, class_serial, 4);
  put(body, 1, 4);
  put_record(records_, kFrame, body);
}

void HprofWriter::trace(std::uint32_t serial, std::uint32_t thread_serial,
                        const std::vector<std::uint64_t>& frames) {
  Bytes body;
  put(body, serial, 4);
  put(body, thread_serial, 4);
  put(body, frames.size(), 4);
  for (const std::uint64_t one : frames) id(body, one);
  put_record(records_, kTrace, body);
}

void HprofWriter::record(std::uint8_t tag, std::string_view text) {
  end_segment();
  Bytes body;
  put_text(body, text);
  put_record(heap_, tag, body);
}

std::uint32_t HprofWriter::fields_bytes(const std::vector<HprofFieldSpec>& fields) const {
  std::uint32_t bytes = 0;
  for (const HprofFieldSpec& field : fields) bytes += bytes_of(field.type);
  return bytes;
}

void HprofWriter::klass(const HprofClassSpec& spec) {
  if (!spec.name.empty()) {
    const std::uint32_t serial = static_cast<std::uint32_t>(class_serials_.size()) + 1;
    class_serials_.try_emplace(spec.id, serial);
    const std::uint64_t name_id = name(spec.name);
    Bytes loaded;
    put(loaded, serial, 4);
    id(loaded, spec.id);
    put(loaded, 0, 4);
    id(loaded, name_id);
    put_record(records_, kLoadClass, loaded);
  }
  const auto above = instance_bytes_.find(spec.super);
  const std::uint32_t all =
      fields_bytes(spec.fields) + (above == instance_bytes_.end() ? 0 : above->second);
  instance_bytes_[spec.id] = spec.instance_bytes.value_or(all);

  Bytes out;
  put(out, kClassDump, 1);
  id(out, spec.id);
  put(out, 0, 4);
  for (const std::uint64_t one : {spec.super, spec.loader, spec.signers, spec.domain}) id(out, one);
  id(out, 0);
  id(out, 0);
  put(out, instance_bytes_[spec.id], 4);
  put(out, spec.constants.size(), 2);
  for (std::size_t i = 0; i < spec.constants.size(); ++i) {
    put(out, i + 1, 2);
    put(out, spec.constants[i].type, 1);
    put_value(out, spec.constants[i]);
  }
  put(out, spec.statics.size(), 2);
  for (const HprofStaticSpec& one : spec.statics) {
    id(out, name(one.name));
    put(out, one.value.type, 1);
    put_value(out, one.value);
  }
  put(out, spec.fields.size(), 2);
  for (const HprofFieldSpec& field : spec.fields) {
    id(out, name(field.name));
    put(out, field.type, 1);
  }
  add(out);
}

void HprofWriter::instance(std::uint64_t object, std::uint64_t class_id,
                           const std::vector<HprofValue>& values) {
  Bytes fields;
  for (const HprofValue& value : values) put_value(fields, value);
  Bytes out;
  put(out, kInstanceDump, 1);
  id(out, object);
  put(out, 0, 4);
  id(out, class_id);
  put(out, fields.size(), 4);
  out.insert(out.end(), fields.begin(), fields.end());
  add(out);
}

void HprofWriter::object_array(std::uint64_t object, std::uint64_t class_id,
                               const std::vector<std::uint64_t>& elements) {
  Bytes out;
  put(out, kObjectArrayDump, 1);
  id(out, object);
  put(out, 0, 4);
  put(out, elements.size(), 4);
  id(out, class_id);
  for (const std::uint64_t element : elements) id(out, element);
  add(out);
}

void HprofWriter::primitive_array(std::uint64_t object, std::uint8_t type, std::uint32_t count) {
  Bytes out;
  put(out, kPrimitiveArrayDump, 1);
  id(out, object);
  put(out, 0, 4);
  put(out, count, 4);
  put(out, type, 1);
  for (std::uint32_t i = 0; i < count; ++i) put(out, i, bytes_of(type));
  add(out);
}

void HprofWriter::text_array(std::uint64_t object, std::string_view latin1) {
  Bytes out;
  put(out, kPrimitiveArrayDump, 1);
  id(out, object);
  put(out, 0, 4);
  put(out, latin1.size(), 4);
  put(out, kHprofByte, 1);
  put_text(out, latin1);
  add(out);
}

void HprofWriter::text_array(std::uint64_t object, std::u16string_view utf16) {
  Bytes out;
  put(out, kPrimitiveArrayDump, 1);
  id(out, object);
  put(out, 0, 4);
  put(out, utf16.size(), 4);
  put(out, kHprofChar, 1);
  for (const char16_t unit : utf16) put(out, unit, 2);
  add(out);
}

void HprofWriter::primitive_array_without_data(std::uint64_t object, std::uint8_t type,
                                               std::uint32_t count) {
  Bytes out;
  put(out, kPrimitiveArrayNoData, 1);
  id(out, object);
  put(out, 0, 4);
  put(out, count, 4);
  put(out, type, 1);
  add(out);
}

void HprofWriter::heap_info(std::uint32_t heap, std::string_view heap_name) {
  Bytes out;
  put(out, kHeapInfo, 1);
  put(out, heap, 4);
  id(out, name(heap_name));
  add(out);
}

void HprofWriter::root(std::uint8_t tag, std::uint64_t object, std::uint32_t thread_serial,
                       std::uint32_t frame) {
  Bytes out;
  put(out, tag, 1);
  id(out, object);
  if (tag == 0x01) id(out, 0);
  if (numbers_of_root(tag) > 0) put(out, thread_serial, 4);
  if (numbers_of_root(tag) > 1) put(out, frame, 4);
  add(out);
}

void HprofWriter::basics() {
  klass({.id = kObject, .name = "java/lang/Object"});
  klass({.id = kClass, .name = "java/lang/Class", .super = kObject});
  root(0x05, kObject);
  root(0x05, kClass);
}

void HprofWriter::add(const Bytes& sub_record) {
  segment_.insert(segment_.end(), sub_record.begin(), sub_record.end());
  if (format_.segments && segment_.size() >= format_.segment_bytes) end_segment();
}

void HprofWriter::end_segment() {
  if (segment_.empty()) return;
  put_record(heap_, format_.segments ? kHeapDumpSegment : kHeapDump, segment_);
  segment_.clear();
}

std::vector<std::byte> HprofWriter::finish() {
  end_segment();
  if (format_.segments) put_record(heap_, kHeapDumpEnd, {});
  Bytes file;
  put_text(file, "JAVA PROFILE " + format_.version);
  put(file, 0, 1);
  put(file, format_.id_bytes, 4);
  put(file, kMadeAtMs, 8);
  const Bytes& first = format_.names_last ? heap_ : records_;
  const Bytes& second = format_.names_last ? records_ : heap_;
  file.insert(file.end(), first.begin(), first.end());
  file.insert(file.end(), second.begin(), second.end());
  return file;
}

}  // namespace holdfast::analysis::lab
