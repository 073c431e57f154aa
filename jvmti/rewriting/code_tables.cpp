#include "jvmti/rewriting/code_tables.h"

namespace holdfast::jvmti {
namespace {

struct NamedTable {
  std::string_view name;
  CodeTable table;
};
constexpr NamedTable kTables[] = {
    {"StackMapTable", CodeTable::kFrames},
    {"LineNumberTable", CodeTable::kLines},
    {"LocalVariableTable", CodeTable::kVariables},
    {"LocalVariableTypeTable", CodeTable::kVariables},
    {"RuntimeVisibleTypeAnnotations", CodeTable::kLeftOut},
    {"RuntimeInvisibleTypeAnnotations", CodeTable::kLeftOut},
    {"CharacterRangeTable", CodeTable::kLeftOut},  // javac -Xjcov
    {"StackMap", CodeTable::kLeftOut},             // CLDC
};

std::uint32_t begin_of(std::uint32_t pc, const CodeLayout& layout) noexcept {
  return pc == 0 ? 0 : layout.position(pc);
}

LeftAlone outcome(const ByteReader& reader, const ByteWriter& writer) noexcept {
  if (!reader.ok() || !reader.at_end()) return LeftAlone::kMalformedCode;
  return writer.ok() ? LeftAlone::kNo : LeftAlone::kNoRoom;
}

}  // namespace

CodeTable code_table(std::string_view attribute_name) noexcept {
  for (const NamedTable& named : kTables)
    if (named.name == attribute_name) return named.table;
  return CodeTable::kNone;
}

LeftAlone write_lines(Bytes content, const CodeLayout& layout, ByteWriter& writer) noexcept {
  ByteReader reader(content);
  std::uint32_t left = reader.u16();
  for (writer.u16(left); left > 0 && reader.ok(); --left) {
    const std::uint32_t start = reader.u16();
    if (!layout.method().starts(start)) return LeftAlone::kMalformedCode;
    writer.u16(begin_of(start, layout));
    writer.u16(reader.u16());
  }
  return outcome(reader, writer);
}

LeftAlone write_variables(Bytes content, const CodeLayout& layout, ByteWriter& writer) noexcept {
  const MethodCode& method = layout.method();
  ByteReader reader(content);
  std::uint32_t left = reader.u16();
  for (writer.u16(left); left > 0 && reader.ok(); --left) {
    const std::uint32_t start = reader.u16();
    const std::uint32_t end = start + reader.u16();
    const bool start_known = start == method.size() || method.starts(start);
    const bool end_known = end == method.size() || method.starts(end);
    if (!start_known || !end_known) return LeftAlone::kMalformedCode;
    // One without a length may begin where the code ends.
    const std::uint32_t begin = begin_of(start, layout);
    const std::uint32_t stop = start == end ? begin : layout.end_position(end);
    writer.u16(begin);
    writer.u16(stop - begin);
    writer.put(reader.take(6));  // name, descriptor or signature, index
  }
  return outcome(reader, writer);
}

}  // namespace holdfast::jvmti
