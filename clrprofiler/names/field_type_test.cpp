#include "clrprofiler/names/field_type.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace holdfast::clr;

namespace {

using Kind = FieldType::Kind;

FieldType parse(std::vector<std::uint8_t> blob) { return parse_field_type(blob); }

}  // namespace

TEST_CASE("references and what is none") {
  for (const std::uint8_t type : {ELEMENT_TYPE_CLASS, ELEMENT_TYPE_STRING, ELEMENT_TYPE_OBJECT,
                                  ELEMENT_TYPE_SZARRAY, ELEMENT_TYPE_ARRAY})
    CHECK(parse({0x06, type, 0x12}).kind == Kind::kReference);
  for (const std::uint8_t type : {ELEMENT_TYPE_I4, ELEMENT_TYPE_PTR, ELEMENT_TYPE_FNPTR})
    CHECK(parse({0x06, type, 0x08}).kind == Kind::kOther);
  CHECK(parse({0x06, 0x15, 0x12, 0x09, 0x01, 0x0E}).kind == Kind::kReference);  // List<string>
  CHECK(parse({0x06, 0x1F, 0x09, 0x12, 0x05}).kind == Kind::kReference);        // volatile
}

TEST_CASE("structs, generic ones and arguments") {
  const FieldType own = parse({0x06, 0x11, 0x08});
  CHECK(own.kind == Kind::kStruct);
  CHECK(own.token == 0x02000002);
  CHECK(parse({0x06, 0x11, 0x80, 0x85}).token == 0x01000021);
  CHECK(parse({0x06, 0x11, 0xC0, 0x01, 0x00, 0x01}).token == 0x01004000);
  const FieldType pair = parse({0x06, 0x15, 0x11, 0x09, 0x03, 0x13, 0x01, 0x0E, 0x12, 0x08});
  CHECK(pair.kind == Kind::kStruct);
  CHECK(pair.token == 0x01000002);
  REQUIRE(pair.argument_count == 3);
  CHECK(pair.arguments[0].kind == ELEMENT_TYPE_VAR);
  CHECK(pair.arguments[0].argument == 1);
  CHECK(pair.arguments[1].kind == ELEMENT_TYPE_STRING);
  CHECK(pair.arguments[2].token == 0x02000002);
  CHECK(parse({0x06, 0x13, 0x02}).kind == Kind::kArgument);
  CHECK(parse({0x06, 0x13, 0x02}).argument == 2);
  // A list in a pair, and more arguments than anybody has.
  CHECK(parse({0x06, 0x15, 0x11, 0x09, 0x01, 0x15, 0x12, 0x05, 0x01, 0x0E}).kind == Kind::kOther);
  CHECK(parse({0x06, 0x15, 0x11, 0x09, 0x7F, 0x0E}).kind == Kind::kOther);
}

TEST_CASE("blobs that are cut or senseless") {
  CHECK(parse({}).kind == Kind::kOther);
  CHECK(parse({0x06}).kind == Kind::kOther);
  CHECK(parse({0x07, 0x0E}).kind == Kind::kOther);
  CHECK(parse({0x06, 0x11}).kind == Kind::kOther);
  CHECK(parse({0x06, 0x11, 0xFF}).kind == Kind::kOther);
  CHECK(parse({0x06, 0x15, 0x11, 0x09, 0x02, 0x0E}).kind == Kind::kOther);
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::uint8_t> blob(random() % 12);
    for (std::uint8_t& byte : blob) byte = static_cast<std::uint8_t>(random() % 0x24);
    if (!blob.empty()) blob[0] = 0x06;
    CHECK(parse(blob).argument_count <= FieldType::kMaxArguments + 256);
  }
}
