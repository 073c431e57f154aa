#include "clrprofiler/names/field_type.h"

namespace holdfast::clr {

namespace {

constexpr std::uint8_t kFieldSignature = 0x06;

class Blob {
 public:
  explicit Blob(std::span<const std::uint8_t> bytes) noexcept : bytes_(bytes) {}
  bool ok() const noexcept { return ok_; }

  std::uint8_t byte() noexcept {
    if (bytes_.empty()) ok_ = false;
    if (!ok_) return 0;
    const std::uint8_t value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  // 1, 2 or 4 bytes, told apart by the highest bits.
  std::uint32_t number() noexcept {
    const std::uint32_t first = byte();
    if ((first & 0x80u) == 0) return first;
    if ((first & 0xC0u) == 0x80u) return ((first & 0x3Fu) << 8u) | byte();
    if ((first & 0xE0u) != 0xC0u) ok_ = false;
    std::uint32_t value = first & 0x1Fu;
    for (int i = 0; i < 3; ++i) value = (value << 8u) | byte();
    return value;
  }
  mdToken token() noexcept {
    constexpr mdToken kTables[] = {mdtTypeDef, mdtTypeRef, mdtTypeSpec, 0};
    const std::uint32_t coded = number();
    return kTables[coded & 3u] | (coded >> 2u);
  }
  CorElementType element() noexcept {
    auto type = static_cast<CorElementType>(byte());
    while (ok_ && (type == ELEMENT_TYPE_CMOD_REQD || type == ELEMENT_TYPE_CMOD_OPT)) {
      token();
      type = static_cast<CorElementType>(byte());
    }
    return type;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool ok_ = true;
};

bool is_primitive(CorElementType type) noexcept {
  return (type >= ELEMENT_TYPE_BOOLEAN && type <= ELEMENT_TYPE_R8) || type == ELEMENT_TYPE_I ||
         type == ELEMENT_TYPE_U;
}

bool parse_simple(Blob& blob, SimpleType& out) noexcept {
  out.kind = blob.element();
  if (out.kind == ELEMENT_TYPE_VAR) {
    out.argument = blob.number();
  } else if (out.kind == ELEMENT_TYPE_CLASS || out.kind == ELEMENT_TYPE_VALUETYPE) {
    out.token = blob.token();
  } else if (!is_primitive(out.kind) && out.kind != ELEMENT_TYPE_STRING &&
             out.kind != ELEMENT_TYPE_OBJECT) {
    return false;
  }
  return blob.ok();
}

FieldType parse_generic(Blob& blob) noexcept {
  FieldType type;
  if (blob.element() == ELEMENT_TYPE_CLASS) {
    type.kind = FieldType::Kind::kReference;
    return type;
  }
  type.token = blob.token();
  type.argument_count = blob.number();
  if (!blob.ok() || type.argument_count > FieldType::kMaxArguments) return {};
  for (std::uint32_t i = 0; i < type.argument_count; ++i)
    if (!parse_simple(blob, type.arguments[i])) return {};
  type.kind = FieldType::Kind::kStruct;
  return type;
}

}  // namespace

FieldType parse_field_type(std::span<const std::uint8_t> signature) noexcept {
  Blob blob(signature);
  FieldType type;
  if (blob.byte() != kFieldSignature) return type;
  switch (blob.element()) {
    case ELEMENT_TYPE_CLASS:
    case ELEMENT_TYPE_STRING:
    case ELEMENT_TYPE_OBJECT:
    case ELEMENT_TYPE_SZARRAY:
    case ELEMENT_TYPE_ARRAY:
      type.kind = FieldType::Kind::kReference;
      return type;
    case ELEMENT_TYPE_VAR:
      type.kind = FieldType::Kind::kArgument;
      type.argument = blob.number();
      return blob.ok() ? type : FieldType{};
    case ELEMENT_TYPE_VALUETYPE:
      type.kind = FieldType::Kind::kStruct;
      type.token = blob.token();
      return blob.ok() ? type : FieldType{};
    case ELEMENT_TYPE_GENERICINST:
      return parse_generic(blob);
    default:
      return type;
  }
}

}  // namespace holdfast::clr
