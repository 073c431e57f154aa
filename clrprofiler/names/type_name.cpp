#include "clrprofiler/names/type_name.h"

#include <algorithm>
#include <charconv>

#include "common/utf8.h"

namespace holdfast::clr {

namespace {

constexpr std::string_view kTuple = "System.ValueTuple";
constexpr std::uint32_t kTupleRest = 7;  // the eighth argument of a tuple is a tuple of the others
constexpr std::uint32_t kMaxArity = 65535;
constexpr std::size_t kFileHashDigits = 64;

std::string_view keyword_of(std::string_view name) noexcept {
  struct Row {
    std::string_view name, keyword;
  };
  constexpr Row kRows[] = {
      {"Boolean", "bool"},  {"Byte", "byte"},     {"Char", "char"},   {"Decimal", "decimal"},
      {"Double", "double"}, {"Int16", "short"},   {"Int32", "int"},   {"Int64", "long"},
      {"IntPtr", "nint"},   {"Object", "object"}, {"SByte", "sbyte"}, {"Single", "float"},
      {"String", "string"}, {"UInt16", "ushort"}, {"UInt32", "uint"}, {"UInt64", "ulong"},
      {"UIntPtr", "nuint"}, {"Void", "void"},
  };
  constexpr std::string_view kNamespace = "System.";
  if (!name.starts_with(kNamespace)) return {};
  name.remove_prefix(kNamespace.size());
  for (const Row& row : kRows)
    if (row.name == name) return row.keyword;
  return {};
}

struct Level {
  std::string_view name;
  std::uint32_t arity = 0;
};

// "List`1" is "List" with arity 1.
Level parse_level(std::string_view text) noexcept {
  const std::size_t mark = text.rfind('`');
  if (mark == std::string_view::npos) return {text, 0};
  const char* const end = text.data() + text.size();
  std::uint32_t arity = 0;
  const auto [behind, error] = std::from_chars(text.data() + mark + 1, end, arity);
  if (error != std::errc() || behind != end || arity > kMaxArity) return {text, 0};
  return {text.substr(0, mark), arity};
}

bool is_hex(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); }

// "shop.<Program>F0123…__Order", a type of one file.
struct FileLocal {
  std::string_view scope, file, name;
};

bool parse_file_local(std::string_view text, FileLocal& out) noexcept {
  const std::size_t open = text.find('<');
  const std::size_t close = text.find(">F", open == std::string_view::npos ? text.size() : open);
  if (close == std::string_view::npos || (open != 0 && text[open - 1] != '.')) return false;
  const std::string_view hash = text.substr(close + 2);
  if (hash.size() <= kFileHashDigits + 2 || hash.substr(kFileHashDigits, 2) != "__") return false;
  if (!std::all_of(hash.begin(), hash.begin() + kFileHashDigits, is_hex)) return false;
  out = {text.substr(0, open), text.substr(open + 1, close - open - 1),
         hash.substr(kFileHashDigits + 2)};
  return true;
}

class Writer {
 public:
  Writer(std::span<const TypeShape> shapes, NameText& out) noexcept : shapes_(shapes), out_(out) {}

  void write(std::uint32_t root) noexcept {
    push({Step::Kind::kShape, root, 0, 0, 0});
    // Whatever does not push a further step, or few of them, appends: so either the stack or the text ends this.
    while (pending_ > 0 && !out_.is_cut()) take(stack_[--pending_]);
  }

 private:
  struct Step {
    enum class Kind : std::uint8_t {
      kShape,
      kRanks,
      kStar,
      kQuestion,
      kLevels,
      kArguments,
      kTupleElement
    };
    Kind kind;
    std::uint32_t shape;
    std::uint32_t level;  // kLevels: the next one; kArguments: where they began
    std::uint32_t next;   // argument
    std::uint32_t end;
  };

  void push(Step step) noexcept {
    if (pending_ < kMaxPending) {
      stack_[pending_++] = step;
    } else if (step.kind == Step::Kind::kShape) {
      out_.append(kEllipsis);
    }
  }
  void push_child(const TypeShape& of, std::uint32_t n) noexcept {
    push({Step::Kind::kShape, n < of.child_count ? of.first_child + n : kNone, 0, 0, 0});
  }
  const TypeShape* at(std::uint32_t shape) const noexcept {
    return shape < shapes_.size() ? &shapes_[shape] : nullptr;
  }

  void take(Step step) noexcept {
    switch (step.kind) {
      case Step::Kind::kShape:
        return write_shape(step.shape);
      case Step::Kind::kRanks:
        return write_ranks(step.shape);
      case Step::Kind::kStar:
        return out_.append("*");
      case Step::Kind::kQuestion:
        return out_.append("?");
      case Step::Kind::kLevels:
        return write_levels(step);
      case Step::Kind::kArguments:
        return write_arguments(step);
      case Step::Kind::kTupleElement:
        return write_tuple(step);
    }
  }

  void write_shape(std::uint32_t index) noexcept {
    const TypeShape* shape = at(index);
    if (shape == nullptr) return out_.append("?");
    switch (shape->kind) {
      case TypeShape::Kind::kNamed:
        return write_named(index, *shape);
      case TypeShape::Kind::kArray:
        return write_array(index);
      case TypeShape::Kind::kPointer:
        push({Step::Kind::kStar, index, 0, 0, 0});
        return push_child(*shape, 0);
      case TypeShape::Kind::kText:
        return out_.append(shape->levels.empty() ? "?" : shape->levels.front());
      case TypeShape::Kind::kCut:
        return out_.append(kEllipsis);
    }
  }

  // C# writes the outermost array's brackets first: an array of two-dimensional arrays is int[][,].
  void write_array(std::uint32_t index) noexcept {
    push({Step::Kind::kRanks, index, 0, 0, 0});
    const TypeShape* inner = at(index);
    for (std::size_t step = 0; step < shapes_.size(); ++step) {
      const TypeShape* child = inner->child_count > 0 ? at(inner->first_child) : nullptr;
      if (child == nullptr || child->kind != TypeShape::Kind::kArray) break;
      inner = child;
    }
    push_child(*inner, 0);
  }
  void write_ranks(std::uint32_t index) noexcept {
    const TypeShape* array = at(index);
    for (std::size_t step = 0; step <= shapes_.size() && !out_.is_cut(); ++step) {
      if (array == nullptr || array->kind != TypeShape::Kind::kArray) return;
      out_.append("[");
      write_commas(array->rank);
      out_.append("]");
      array = array->child_count > 0 ? at(array->first_child) : nullptr;
    }
  }
  void write_commas(std::uint32_t places) noexcept {
    for (std::uint32_t i = 1; i < places && !out_.is_cut(); ++i) out_.append(",");
  }

  void write_named(std::uint32_t index, const TypeShape& shape) noexcept {
    const std::string_view name =
        shape.levels.size() == 1 ? shape.levels.front() : std::string_view{};
    if (name == "System.Nullable`1" && shape.child_count == 1) {
      push({Step::Kind::kQuestion, index, 0, 0, 0});
      return push_child(shape, 0);
    }
    if (is_tuple(shape)) {
      out_.append("(");
      return push({Step::Kind::kTupleElement, index, 0, 0, 0});
    }
    const std::string_view keyword = shape.child_count == 0 ? keyword_of(name) : std::string_view{};
    if (!keyword.empty()) return out_.append(keyword);
    push({Step::Kind::kLevels, index, 0, 0, 0});
  }

  // With parentheses: not "ValueTuple<int>", which C# has no other form for, and not an eighth argument that is no tuple.
  bool is_tuple(const TypeShape& shape) const noexcept {
    if (!is_tuple_type(&shape) || shape.child_count < 2) return false;
    return shape.child_count <= kTupleRest || is_tuple_type(at(shape.first_child + kTupleRest));
  }
  bool is_tuple_type(const TypeShape* shape) const noexcept {
    if (shape == nullptr || shape->kind != TypeShape::Kind::kNamed || shape->levels.size() != 1)
      return false;
    const Level level = parse_level(shape->levels.front());
    return level.name == kTuple && level.arity == shape->child_count && shape->child_count > 0 &&
           shape->child_count <= kTupleRest + 1;
  }
  void write_tuple(const Step& step) noexcept {
    const TypeShape* shape = at(step.shape);
    if (step.next == shape->child_count) return out_.append(")");
    const std::uint32_t rest = shape->first_child + kTupleRest;
    if (step.next == kTupleRest && is_tuple_type(at(rest)))
      return push({Step::Kind::kTupleElement, rest, 1, 0, 0});
    if (step.next > 0 || step.level > 0) out_.append(", ");
    push({Step::Kind::kTupleElement, step.shape, step.level, step.next + 1, 0});
    push_child(*shape, step.next);
  }

  void write_levels(const Step& step) noexcept {
    const TypeShape& shape = *at(step.shape);
    if (step.level >= shape.levels.size()) return;
    const Level level = parse_level(shape.levels[step.level]);
    if (step.level > 0) out_.append(".");
    write_level_name(level.name);
    const std::uint32_t left = shape.child_count - step.next;
    const bool last = step.level + 1 == shape.levels.size();
    const std::uint32_t taken = last ? left : std::min(level.arity, left);
    push({Step::Kind::kLevels, step.shape, step.level + 1, step.next + taken, 0});
    if (taken > 0) {
      out_.append("<");
      push({Step::Kind::kArguments, step.shape, step.next, step.next, step.next + taken});
    } else if (level.arity > 0) {
      out_.append("<");
      write_commas(level.arity);
      out_.append(">");
    }
  }
  void write_level_name(std::string_view name) noexcept {
    FileLocal local;
    if (!parse_file_local(name, local)) return out_.append(name);
    out_.append(local.scope);
    out_.append(local.name);
    out_.append("@");
    out_.append(local.file);
  }
  void write_arguments(const Step& step) noexcept {
    if (step.next == step.end) return out_.append(">");
    if (step.next != step.level) out_.append(", ");
    push({Step::Kind::kArguments, step.shape, step.level, step.next + 1, step.end});
    push_child(*at(step.shape), step.next);
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::span<const TypeShape> shapes_;
  NameText& out_;
  Step stack_[kMaxPending];
  std::size_t pending_ = 0;
};

}  // namespace

void append_type_name(std::span<const TypeShape> shapes, std::uint32_t root,
                      NameText& out) noexcept {
  Writer(shapes, out).write(root);
}

}  // namespace holdfast::clr
