#include "clrprofiler/names/class_reader.h"

#include <algorithm>
#include <cstring>

namespace holdfast::clr {

namespace {

constexpr std::string_view kBetweenStates = "(class that was being loaded or unloaded)";
constexpr std::string_view kNameless = "(class without a name)";

// Of an element type that has no ClassID.
std::string_view element_name(CorElementType type) noexcept {
  struct Row {
    CorElementType type;
    std::string_view name;
  };
  constexpr Row kRows[] = {
      {ELEMENT_TYPE_BOOLEAN, "bool"},  {ELEMENT_TYPE_CHAR, "char"},
      {ELEMENT_TYPE_I1, "sbyte"},      {ELEMENT_TYPE_U1, "byte"},
      {ELEMENT_TYPE_I2, "short"},      {ELEMENT_TYPE_U2, "ushort"},
      {ELEMENT_TYPE_I4, "int"},        {ELEMENT_TYPE_U4, "uint"},
      {ELEMENT_TYPE_I8, "long"},       {ELEMENT_TYPE_U8, "ulong"},
      {ELEMENT_TYPE_R4, "float"},      {ELEMENT_TYPE_R8, "double"},
      {ELEMENT_TYPE_I, "nint"},        {ELEMENT_TYPE_U, "nuint"},
      {ELEMENT_TYPE_STRING, "string"}, {ELEMENT_TYPE_PTR, "void*"},
      {ELEMENT_TYPE_OBJECT, "object"}, {ELEMENT_TYPE_FNPTR, "delegate*"},
  };
  for (const Row& row : kRows)
    if (row.type == type) return row.name;
  return kNameless;
}

bool has_no_class(CorElementType type) noexcept {
  return type == ELEMENT_TYPE_PTR || type == ELEMENT_TYPE_FNPTR || type == ELEMENT_TYPE_BYREF;
}

std::string_view name_of_failure(HRESULT answer) noexcept {
  if (answer == CORPROF_E_CLASSID_IS_COMPOSITE) return "void*";
  return answer == CORPROF_E_DATAINCOMPLETE ? kBetweenStates : kNameless;
}

struct ArrayInfo {
  CorElementType element_type = ELEMENT_TYPE_END;
  ClassID element = 0;
  ULONG rank = 0;
};

bool read_array(ProfilerInfo& info, ClassID id, ArrayInfo& out) noexcept {
  if (info->IsArrayClass(id, &out.element_type, &out.element, &out.rank) != S_OK) return false;
  if (has_no_class(out.element_type)) out.element = 0;
  out.rank = std::max<ULONG>(out.rank, 1);
  return true;
}

}  // namespace

Result<void> ClassReader::open(ProfilerInfo& info, Modules& modules, Arena& arena) noexcept {
  info_ = &info;
  modules_ = &modules;
  HF_TRY(shapes, arena.make_filled<TypeShape>(kMaxShapes, TypeShape{}));
  HF_TRY(pending, arena.make_filled<Pending>(kMaxShapes, Pending{}));
  HF_TRY(levels, arena.make_filled<std::string_view>(kMaxLevels, std::string_view{}));
  HF_TRY(parts, arena.make<char>(kPartBytes));
  shapes_ = shapes;
  pending_ = pending;
  levels_ = levels;
  parts_ = parts;
  return {};
}

void ClassReader::find_known_types() noexcept {
  const Module& core = modules_->core();
  if (!core.metadata || types_.core == core.id) return;
  const auto token_of = [&core](const char16_t* name) {
    const Result<mdTypeDef> found = core.metadata.find(name);
    return found ? *found : 0;
  };
  types_ = {core.id, token_of(u"System.ValueType"), token_of(u"System.Enum"),
            token_of(u"System.MulticastDelegate"), token_of(u"System.Threading.Thread")};
}

const ClassFacts& ClassReader::read(ClassID id) noexcept {
  begin(id);
  for (std::uint32_t shape = 0; shape < shape_count_; ++shape) shape_class(shape);
  return finish();
}

const ClassFacts& ClassReader::read(ModuleID module, mdTypeDef token) noexcept {
  begin(0);
  TypeInfo type;
  type.module = module;
  type.token = token;
  shapes_[0] = TypeShape{};
  shape_type(0, type);
  judge(type);
  return finish();
}

void ClassReader::begin(ClassID id) noexcept {
  find_known_types();
  facts_ = ClassFacts{};
  facts_.id = id;
  facts_.loader = LoaderId{};
  level_count_ = part_bytes_ = 0;
  shape_count_ = 1;
  pending_[0] = {id, ELEMENT_TYPE_END, 0};
}

const ClassFacts& ClassReader::finish() noexcept {
  if (!facts_.loader.valid()) facts_.loader = modules_->unknown().loader;
  name_.clear();
  append_type_name(shapes_.first(shape_count_), 0, name_);
  facts_.name = name_.view();
  return facts_;
}

void ClassReader::shape_class(std::uint32_t shape) noexcept {
  shapes_[shape] = TypeShape{};
  const Pending& pending = pending_[shape];
  if (pending.depth >= kMaxDepth) {
    shapes_[shape].kind = TypeShape::Kind::kCut;
    return;
  }
  if (pending.id == 0) return shape_element(shape);
  if (shape_array(shape)) return;
  TypeInfo type;
  const HRESULT answer =
      (*info_)->GetClassIDInfo2(pending.id, &type.module, &type.token, &type.parent, kMaxArguments,
                                &type.argument_count, type.arguments);
  if (!succeeded(answer)) return shape_text(shape, name_of_failure(answer));
  shape_type(shape, type);
  if (shape == 0) judge(type);
}

bool ClassReader::shape_array(std::uint32_t shape) noexcept {
  ArrayInfo array;
  if (!read_array(*info_, pending_[shape].id, array)) return false;
  shapes_[shape].kind = TypeShape::Kind::kArray;
  shapes_[shape].rank = array.rank;
  if (shape == 0) {
    facts_.rank = array.rank;
    facts_.element = array.element;
    judge_array();
  }
  add_children(shape, {&array.element, 1}, false);
  if (shapes_[shape].child_count == 1)
    pending_[shapes_[shape].first_child].element_type = array.element_type;
  return true;
}

void ClassReader::shape_element(std::uint32_t shape) noexcept {
  const CorElementType type = pending_[shape].element_type;
  shape_text(shape, type == ELEMENT_TYPE_END ? kBetweenStates : element_name(type));
}

void ClassReader::shape_type(std::uint32_t shape, const TypeInfo& type) noexcept {
  const Module& module = modules_->of(type.module);
  const std::span<const std::string_view> levels = name_levels(module, type.token);
  if (levels.empty()) {
    NameText text;
    text.append("(class ");
    text.append_hex(type.token);
    text.append(" of ");
    text.append(module.name);
    text.append(")");
    return shape_text(shape, keep_part(text));
  }
  shapes_[shape].kind = TypeShape::Kind::kNamed;
  shapes_[shape].levels = levels;
  const std::size_t count = std::min<std::size_t>(type.argument_count, kMaxArguments);
  add_children(shape, {type.arguments, count}, count < type.argument_count);
}

void ClassReader::shape_text(std::uint32_t shape, std::string_view text) noexcept {
  if (level_count_ == levels_.size()) {
    shapes_[shape].kind = TypeShape::Kind::kCut;
    return;
  }
  levels_[level_count_] = text;
  shapes_[shape].kind = TypeShape::Kind::kText;
  shapes_[shape].levels = levels_.subspan(level_count_++, 1);
}

// Children that there is no room for are left out together: half of the arguments would be another type.
void ClassReader::add_children(std::uint32_t shape, std::span<const ClassID> ids,
                               bool more) noexcept {
  if (ids.empty()) return;
  const std::size_t count = ids.size() + (more ? 1 : 0);
  if (count > shapes_.size() - shape_count_) {
    shapes_[shape].kind = TypeShape::Kind::kCut;
    return;
  }
  shapes_[shape].first_child = shape_count_;
  shapes_[shape].child_count = static_cast<std::uint32_t>(count);
  const std::uint32_t depth = pending_[shape].depth + 1;
  for (const ClassID id : ids) pending_[shape_count_++] = {id, ELEMENT_TYPE_END, depth};
  if (more) pending_[shape_count_++] = {0, ELEMENT_TYPE_END, kMaxDepth};
}

std::span<const std::string_view> ClassReader::name_levels(const Module& module,
                                                           mdTypeDef token) noexcept {
  mdTypeDef room[Metadata::kMaxNesting];
  const auto chain = module.metadata.nesting(token, room);
  if (!chain || chain->size() > levels_.size() - level_count_) return {};
  const std::size_t first = level_count_;
  for (const mdTypeDef level : *chain) {
    NameText text;
    if (!module.metadata.type_def(level, text)) {
      level_count_ = first;
      return {};
    }
    levels_[level_count_++] = keep_part(text);
  }
  return levels_.subspan(first, level_count_ - first);
}

// A part that does not fit is "…"; it comes with thousands of bytes before it, and the name is cut anyway.
std::string_view ClassReader::keep_part(const NameText& text) noexcept {
  const std::string_view part = text.view();
  if (part.size() > parts_.size() - part_bytes_) return "\xE2\x80\xA6";
  char* const start = parts_.data() + part_bytes_;
  std::memcpy(start, part.data(), part.size());
  part_bytes_ += part.size();
  return {start, part.size()};
}

void ClassReader::judge(const TypeInfo& type) noexcept {
  const Module& module = modules_->of(type.module);
  facts_.module = type.module;
  facts_.token = type.token;
  facts_.parent = type.parent;
  facts_.loader = module.loader;
  facts_.known = shapes_[0].kind == TypeShape::Kind::kNamed;
  if (module.platform) facts_.flags |= kClassPlatform;
  const bool in_core = types_.core != 0 && type.module == types_.core;
  if (in_core && type.token == types_.thread) facts_.flags |= kClassThread;
  ModuleID parent_module = 0;
  mdTypeDef parent = 0;
  if (types_.core == 0 || type.parent == 0 ||
      !succeeded((*info_)->GetClassIDInfo(type.parent, &parent_module, &parent)) ||
      parent_module != types_.core)
    return;
  const bool is_enum_itself = in_core && type.token == types_.enumeration;
  facts_.value_type =
      parent == types_.enumeration || (parent == types_.value_type && !is_enum_itself);
  facts_.is_delegate = parent == types_.delegate;
}

// An array belongs where its innermost elements belong; an array of pointers, to the platform.
void ClassReader::judge_array() noexcept {
  facts_.flags |= kClassArray;
  ClassID leaf = facts_.element;
  ArrayInfo inner;
  for (std::uint32_t depth = 0; depth < kMaxDepth && leaf != 0 && read_array(*info_, leaf, inner);
       ++depth)
    leaf = inner.element;
  mdTypeDef token = 0;
  if (leaf != 0 && !succeeded((*info_)->GetClassIDInfo(leaf, &facts_.module, &token))) return;
  const Module& module = leaf == 0 ? modules_->core() : modules_->of(facts_.module);
  facts_.module = module.id;
  facts_.loader = module.loader;
  facts_.known = true;
  if (module.platform) facts_.flags |= kClassPlatform;
}

}  // namespace holdfast::clr
