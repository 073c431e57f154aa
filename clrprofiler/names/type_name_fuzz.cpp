// Any tree of shapes becomes a bounded text of valid UTF-8 parts, even one that contains itself.
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "clrprofiler/names/type_name.h"

using namespace holdfast::clr;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  constexpr std::size_t kShapeBytes = 6;
  constexpr std::string_view kLevels[] = {
      "System.Nullable`1",
      "System.ValueTuple`2",
      "System.ValueTuple`8",
      "A`1",
      "B",
      "System.Int32",
      "<>c__DisplayClass1_0",
      "",
      "Wide`65535",
      "\xE2\x98\x83",
      "`",
      "Odd`7",
      "<P>F0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF__L"};
  const std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> levels;
  for (std::size_t i = 0; i < 64; ++i) levels.push_back(kLevels[i % std::size(kLevels)]);
  levels[63] = rest;
  std::vector<TypeShape> shapes;
  for (std::size_t at = 0; at + kShapeBytes <= size; at += kShapeBytes) {
    TypeShape shape;
    shape.kind = static_cast<TypeShape::Kind>(data[at] % 5);
    shape.rank = data[at + 1];
    shape.first_child = data[at + 2];
    shape.child_count = data[at + 3] % 10;
    const std::size_t first = data[at + 4] % levels.size();
    shape.levels = std::span(levels).subspan(first).first(
        std::min<std::size_t>(data[at + 5] % 4, levels.size() - first));
    shapes.push_back(shape);
  }
  NameText out;
  append_type_name(shapes, 0, out);
  if (out.view().size() > NameText::kMaxBytes) std::abort();
  return 0;
}
