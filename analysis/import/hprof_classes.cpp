#include "analysis/import/hprof_classes.h"

#include <algorithm>
#include <cstdio>

namespace holdfast::analysis {
namespace {

constexpr std::string_view kReference = "java.lang.ref.Reference";
constexpr std::size_t kMostDimensions = 255;

// How a class and its subclasses hold their referent.
struct ReferentClass {
  std::string_view name;
  Strength strength;
};
constexpr ReferentClass kReferentClasses[] = {
    {"java.lang.ref.SoftReference", Strength::kSoft},
    {"java.lang.ref.WeakReference", Strength::kWeak},
    {"java.lang.ref.FinalReference", Strength::kFinal},
    {"java.lang.ref.PhantomReference", Strength::kPhantom}};

Strength own_referent_strength(std::string_view name) noexcept {
  for (const ReferentClass& row : kReferentClasses)
    if (row.name == name) return row.strength;
  return Strength::kStrong;
}

std::uint8_t inherited_flags(std::string_view name) noexcept {
  if (name == "java.lang.ClassLoader") return kClassLoaderKind;
  if (name == "java.lang.Thread") return kClassThread;
  return 0;
}

}  // namespace

std::string source_class_name(std::string_view name) {
  std::size_t dimensions = 0;
  while (dimensions < name.size() && dimensions < kMostDimensions && name[dimensions] == '[')
    ++dimensions;
  std::string_view element = name.substr(dimensions);
  std::string text;
  if (dimensions != 0 && element.size() == 1 && !primitive_name(element[0]).empty()) {
    text = primitive_name(element[0]);
  } else {
    if (dimensions != 0 && element.size() > 2 && element.front() == 'L' && element.back() == ';')
      element = element.substr(1, element.size() - 2);
    text = element;
    std::ranges::replace(text, '/', '.');
  }
  for (std::size_t i = 0; i < dimensions; ++i) text += "[]";
  return text;
}

HprofClasses::HprofClasses(const HprofSurvey& survey, const ObjectIndex& index)
    : survey_(survey), index_(index) {
  read_names(survey);
  add_primitive_array_classes();
  link_superclasses(survey);
  number_from_the_top();
  lay_out(survey);
}

void HprofClasses::read_names(const HprofSurvey& survey) {
  const std::size_t count = survey.classes.size();
  for (std::size_t i = 0; i < count; ++i) {
    const ClassDump dump = survey.class_dump(i);
    ids.push_back(dump.id);
    loader_ids.push_back(dump.loader_id);
    if (dump.id != 0)  // 0 names nothing, neither a class nor the superclass of the topmost
      by_id_.try_emplace(dump.id, ClassId{static_cast<std::uint32_t>(i)});
    const std::byte* const loaded = survey.loaded_class(dump.id);
    const unsigned id = survey.header.id_bytes;
    std::string name =
        loaded == nullptr ? "" : source_class_name(survey.text(load_id(loaded + 8 + id, id)));
    if (name.empty()) {
      char unnamed[40];
      std::snprintf(unnamed, sizeof unnamed, "class @ 0x%llx",
                    static_cast<unsigned long long>(dump.id));
      name = unnamed;
    }
    names.push_back(std::move(name));
  }
}

void HprofClasses::add_primitive_array_classes() {
  for (std::uint8_t type = 4; type <= 11; ++type) {
    const std::string name = source_class_name(hprof_array_name(type));
    ClassId known = named(name);
    if (!known.valid()) {
      known = ClassId{static_cast<std::uint32_t>(names.size())};
      names.push_back(name);
    }
    primitive_arrays_[type] = known;
  }
}

ClassId HprofClasses::named(std::string_view name) const noexcept {
  const auto at = std::ranges::find(names, name);
  return at == names.end() ? ClassId{} : ClassId{static_cast<std::uint32_t>(at - names.begin())};
}

void HprofClasses::link_superclasses(const HprofSurvey& survey) {
  superclass.assign(names.size(), ClassId{});
  missing_super_bytes_.assign(dumped(), kNothingMissing);
  for (std::uint32_t c = 0; c < dumped(); ++c) {
    const ClassDump dump = survey.class_dump(c);
    superclass[c] = find(dump.super_id);
    if (dump.super_id == 0 || superclass[c].valid()) continue;
    std::uint64_t own = 0;
    visit_fields(survey.file(), dump, survey.header.id_bytes,
                 [&](std::uint64_t, std::uint8_t type) {
                   own += hprof_type_bytes(type, survey.header.id_bytes);
                 });
    missing_super_bytes_[c] = dump.instance_bytes > own ? dump.instance_bytes - own : 0;
  }
  const ClassId object = named("java.lang.Object");
  for (std::uint32_t c = dumped(); c < superclass.size(); ++c) superclass[c] = object;
}

// Superclasses before subclasses; a link that closes a cycle is cut.
void HprofClasses::number_from_the_top() {
  enum : std::uint8_t { kNew, kOpen, kDone };
  std::vector<std::uint8_t> state(names.size(), kNew);
  std::vector<std::uint32_t> chain;
  for (std::uint32_t start = 0; start < names.size(); ++start) {
    std::uint32_t c = start;
    while (state[c] == kNew) {
      state[c] = kOpen;
      chain.push_back(c);
      const ClassId super = superclass[c];
      if (!super.valid()) break;
      if (state[super.value] == kOpen) {
        superclass[c] = ClassId{};
        ++cut_cycles;
        break;
      }
      c = super.value;
    }
    for (; !chain.empty(); chain.pop_back()) {
      order_.push_back(chain.back());
      state[chain.back()] = kDone;
    }
  }
}

void HprofClasses::lay_out(const HprofSurvey& survey) {
  layouts.assign(names.size(), ClassLayout{});
  chain_offsets_.assign(names.size(), 0);
  static_counts.assign(names.size(), 0);
  first_field_type.assign(names.size() + 1, 0);
  std::vector<std::uint32_t> declared(names.size(), 0);
  for (std::uint32_t c = 0; c < dumped(); ++c) {
    const ClassDump dump = survey.class_dump(c);
    static_counts[c] = dump.static_count;
    declared[c] = dump.static_count + dump.field_count;
    first_field_type[c + 1] = dump.field_count;
  }
  for (std::size_t c = 0; c < names.size(); ++c) first_field_type[c + 1] += first_field_type[c];
  field_types.resize(first_field_type.back());
  for (const std::uint32_t c : order_) {
    const ClassId super = superclass[c];
    if (super.valid()) chain_offsets_[c] = chain_offsets_[super.value] + declared[super.value];
    if (c < dumped()) lay_out_own(survey, c, chain_offsets_[c]);
    ClassLayout& layout = layouts[c];
    layout.all_bytes = layout.own_bytes;
    if (!super.valid()) continue;
    const ClassLayout& above = layouts[super.value];
    layout.all_bytes += above.all_bytes;
    layout.next = above.reference_count != 0 ? super : above.next;
    layout.next_offset = layout.own_bytes + (above.reference_count != 0 ? 0 : above.next_offset);
  }
}

void HprofClasses::lay_out_own(const HprofSurvey& survey, std::uint32_t c,
                               std::uint32_t chain_offset) {
  const ClassDump dump = survey.class_dump(c);
  const unsigned id = survey.header.id_bytes;
  const bool reference = names[c] == kReference;
  ClassLayout& layout = layouts[c];
  layout.first_reference = static_cast<std::uint32_t>(references.size());
  std::uint32_t slot = chain_offset + dump.static_count;
  std::uint32_t ordinal = first_field_type[c];
  visit_fields(survey.file(), dump, id, [&](std::uint64_t name, std::uint8_t type) {
    if (type == kHprofObject)
      references.push_back({static_cast<std::uint32_t>(layout.own_bytes),
                            RefLabel::instance_field(slot),
                            reference && survey.text(name) == "referent"});
    field_types[ordinal++] = type;
    layout.own_bytes += hprof_type_bytes(type, id);
    ++slot;
  });
  layout.reference_count = static_cast<std::uint32_t>(references.size()) - layout.first_reference;
}

Catalog HprofClasses::make_catalog(Arena& arena, std::uint32_t more_names,
                                   std::uint64_t more_bytes) const {
  // Field names: counted with their bytes first, so that the table has room for all.
  std::uint64_t bytes = more_bytes;
  std::uint64_t fields = 0;
  const auto each_field = [&](std::uint32_t c, auto visit) {
    const ClassDump dump = survey_.class_dump(c);
    const unsigned id = survey_.header.id_bytes;
    visit_values(
        survey_.file(), dump.statics, dump.static_count, id, id,
        [&](std::uint64_t name, std::uint8_t, const std::byte*) { visit(survey_.text(name)); });
    visit_fields(survey_.file(), dump, id,
                 [&](std::uint64_t name, std::uint8_t) { visit(survey_.text(name)); });
  };
  for (std::uint32_t c = 0; c < dumped(); ++c)
    each_field(c, [&](std::string_view text) {
      bytes += std::min(text.size(), StringTable::kMaxNameBytes) *
               3;  // bad UTF-8 grows when it is replaced
      ++fields;
    });
  for (const std::string& name : names)
    bytes += std::min(name.size(), StringTable::kMaxNameBytes) * 3;
  auto strings = StringTable::make(
      arena, static_cast<std::uint32_t>(fields + names.size() + more_names + 16), bytes + 4096);
  if (!strings) throw ImportFailure(strings.error().code, 0, "the names do not fit into memory");

  Catalog catalog;
  catalog.strings = *strings;
  catalog.classes = in_arena<ClassRow>(arena, names.size());
  catalog.fields = in_arena<StringId>(arena, fields);
  std::uint32_t next_field = 0;
  for (const std::uint32_t c : order_) {
    ClassRow& row = catalog.classes[c];
    row.name = catalog.strings.intern(names[c]);
    row.superclass = superclass[c];
    row.chain_offset = chain_offsets_[c];
    row.first_field = next_field;
    if (c < dumped()) {
      row.mirror = ObjectId{index_.find(ids[c])};
      each_field(c, [&](std::string_view text) {
        catalog.fields[next_field++] = catalog.strings.intern(text);
      });
    }
    row.field_count = next_field - row.first_field;
    if (names[c].ends_with("[]")) row.flags |= kClassArray;
    if (names[c] == "java.lang.Class") row.flags |= kClassClass;
    row.flags |= inherited_flags(names[c]);
    row.referent = own_referent_strength(names[c]);
    if (!row.superclass.valid()) continue;
    const ClassRow& above = catalog.classes[row.superclass.value];
    row.flags |= above.flags & (kClassLoaderKind | kClassThread);
    if (row.referent == Strength::kStrong) row.referent = above.referent;
  }
  return catalog;
}

}  // namespace holdfast::analysis
