// A CLR type as a C# programmer writes it, from a tree of what metadata calls its parts.
// Why: reports are read by people and asked for by name; "Dictionary`2+Entry[[System.String…" is neither read nor typed.
// Shape:  "System.Collections.Generic.Dictionary<string, shop.Order>.Entry[]", "int?", "(int, string)", "int[][,]", "List<>" where
//         arguments are not known. Nesting is written with '.', C#'s keywords for the types that have one, tuples of more than 7
//         without their inner tuples. Arguments are those of all levels, the outermost first; a level takes as many as its name
//         ends with ("`2"), the last one takes the rest.
//         Names made by the compiler stay letter by letter what they are in metadata, but for the arity: a stack trace,
//         dotnet-gcdump, Visual Studio and decompilers show them so, a search for the method finds them, and a pattern may
//         name them: closures "shop.Cart.<>c__DisplayClass3_0", state machines "shop.Cart.<LoadAsync>d__5", anonymous types
//         "<>f__AnonymousType0<int, string>". Only a file-local type, whose name has the 64 digits of its file's hash, is
//         "shop.Order@File", as the compiler's own messages call it.
//         O(length); pending steps are on a stack of kMaxPending. What nests deeper, or a name beyond NameText, ends in "…".
// Zone:   any but stopped.   Errors: none: any tree, even one that contains itself, becomes some text.
// Source: ECMA-335 I.10.7.2 and II.9 (arity, arguments of nested types); Roslyn, GeneratedNameKind (names made by the compiler).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "clrprofiler/names/name_text.h"

namespace holdfast::clr {

struct TypeShape {
  enum class Kind : std::uint8_t {
    kNamed,    // levels; children: the type arguments
    kArray,    // one child: the element
    kPointer,  // one child
    kText,     // levels[0] as it is: what is no type of metadata
    kCut,      // "…": deeper than anybody looks
  };
  Kind kind = Kind::kText;
  std::uint32_t rank = 1;  // kArray
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;
  std::span<const std::string_view> levels;  // the outermost, with its namespace, first
};

inline constexpr std::size_t kMaxPending = 256;

void append_type_name(std::span<const TypeShape> shapes, std::uint32_t root,
                      NameText& out) noexcept;

}  // namespace holdfast::clr
