#include "analysis/lab/test_heap.h"

#include <cstdio>

namespace holdfast::analysis::lab {

namespace {

constexpr std::uint32_t kMaxNames = 20'000;
constexpr std::uint64_t kMaxNameBytes = 1u << 20;

[[noreturn]] void fail(const char* what, std::string_view name) {
  std::fprintf(stderr, "test heap: %s: %.*s\n", what, static_cast<int>(name.size()), name.data());
  std::abort();
}

bool is_platform_name(std::string_view name) {
  if (name.find('.') == std::string_view::npos) return name.ends_with("[]");
  return name.starts_with("java.") || name.starts_with("jdk.") || name.starts_with("sun.");
}

}  // namespace

TestHeap::TestHeap() : memory_(std::make_unique<TestArena>(std::uint64_t{16} << 20)) {
  auto table = StringTable::make(memory_->arena(), kMaxNames, kMaxNameBytes);
  if (!table) fail("no memory for names", "");
  strings_ = *table;
  loaders_.push_back({name("boot"), ObjectId{}, true});
  loaders_.push_back({name("app"), ObjectId{}, true});
}

ClassId TestHeap::klass(std::string_view text, std::vector<std::string> fields,
                        ClassId superclass) {
  const StringId id = name(text);
  for (std::uint32_t c = 0; c < graph_.classes.size(); ++c) {
    if (graph_.classes[c].name != id) continue;
    if (!fields.empty()) fields_of_[c] = std::move(fields);
    return ClassId{c};
  }
  ClassRow made;
  made.name = id;
  made.superclass = superclass;
  made.loader = LoaderId{is_platform_name(text) ? 0u : 1u};
  if (is_platform_name(text)) made.flags |= kClassPlatform;
  if (text.ends_with("[]")) made.flags |= kClassArray;
  if (text == "java.lang.Class") made.flags |= kClassClass;
  if (text == "java.lang.Thread") made.flags |= kClassThread;
  graph_.classes.push_back(made);
  fields_of_.push_back(std::move(fields));
  return ClassId{static_cast<std::uint32_t>(graph_.classes.size() - 1)};
}

ClassId TestHeap::reference_class(std::string_view text, Strength referent) {
  const ClassId id = klass(text);
  row(id).referent = referent;
  return id;
}

ObjectId TestHeap::class_object(ClassId id) {
  if (!row(id).mirror.valid()) {
    const ObjectId made = object(klass("java.lang.Class"), 112);
    row(id).mirror = made;
    root(made, RootKind::kSystemClass);
  }
  return row(id).mirror;
}

LoaderId TestHeap::loader(std::string_view text) {
  loaders_.push_back({name(text), ObjectId{}, false});
  return LoaderId{static_cast<std::uint32_t>(loaders_.size() - 1)};
}

ObjectId TestHeap::object(ClassId id, std::uint64_t shallow_bytes) {
  graph_.class_of.push_back(id);
  graph_.shallow_units.push_back(
      static_cast<std::uint32_t>((shallow_bytes + kShallowUnitBytes - 1) / kShallowUnitBytes));
  return ObjectId{graph_.object_count() - 1};
}

ObjectId TestHeap::array(ClassId id, std::initializer_list<ObjectId> elements,
                         std::uint64_t shallow_bytes) {
  const ObjectId made = object(id, shallow_bytes);
  std::uint32_t index = 0;
  for (const ObjectId e : elements) element(made, index++, e);
  return made;
}

void TestHeap::refer(ObjectId from, ObjectId to, RefLabel label) {
  edges_.push_back({from.value, to.value, label});
}

void TestHeap::field(ObjectId from, std::string_view text, ObjectId to) {
  refer(from, to, RefLabel::instance_field(slot_of(graph_.class_of[from.value], text)));
}

void TestHeap::static_field(ClassId owner, std::string_view text, ObjectId to) {
  refer(class_object(owner), to, RefLabel::static_field(slot_of(owner, text)));
}

void TestHeap::element(ObjectId from, std::uint32_t index, ObjectId to) {
  refer(from, to, RefLabel::element(index));
}

void TestHeap::referent(ObjectId reference, ObjectId to) {
  switch (row(graph_.class_of[reference.value]).referent) {
    case Strength::kSoft:
      return refer(reference, to, special(SpecialRef::kReferentSoft));
    case Strength::kWeak:
      return refer(reference, to, special(SpecialRef::kReferentWeak));
    case Strength::kFinal:
      return refer(reference, to, special(SpecialRef::kReferentFinal));
    case Strength::kPhantom:
      return refer(reference, to, special(SpecialRef::kReferentPhantom));
    default:
      fail("not a reference class", strings_.view(row(graph_.class_of[reference.value]).name));
  }
}

std::uint32_t TestHeap::slot_of(ClassId id, std::string_view text) const {
  std::uint32_t offset = 0;
  for (ClassId at = graph_.classes[id.value].superclass; at.valid();
       at = graph_.classes[at.value].superclass)
    offset += static_cast<std::uint32_t>(fields_of_[at.value].size());
  for (ClassId at = id; at.valid(); at = graph_.classes[at.value].superclass) {
    for (std::uint32_t i = 0; i < fields_of_[at.value].size(); ++i)
      if (fields_of_[at.value][i] == text) return offset + i;
    const ClassId super = graph_.classes[at.value].superclass;
    if (super.valid()) offset -= static_cast<std::uint32_t>(fields_of_[super.value].size());
  }
  fail("no such field", text);
}

ThreadId TestHeap::thread(std::string_view text) {
  const ObjectId made = object(klass("java.lang.Thread"), 120);
  threads_.push_back({name(text), made, threads_.size() + 1, false});
  const ThreadId id{static_cast<std::uint32_t>(threads_.size() - 1)};
  root(made, RootKind::kThread);
  graph_.roots.back().thread = id;
  return id;
}

void TestHeap::root(ObjectId object_id, RootKind kind) { graph_.add_root(object_id.value, kind); }

void TestHeap::static_root(ObjectId object_id, std::string_view class_name,
                           std::string_view field) {
  root(object_id, RootKind::kStaticField);
  methods_.push_back({name(class_name), name(field)});
  graph_.roots.back().method = MethodId{static_cast<std::uint32_t>(methods_.size() - 1)};
}

void TestHeap::thread_static_root(ThreadId thread_id, ObjectId object_id,
                                  std::string_view class_name, std::string_view field) {
  static_root(object_id, class_name, field);
  graph_.roots.back().thread = thread_id;
  const MethodRow row = methods_.back();
  for (std::uint32_t m = 0; m + 1 < methods_.size(); ++m)
    if (methods_[m].class_name == row.class_name && methods_[m].name == row.name) {
      graph_.roots.back().method = MethodId{m};
      methods_.pop_back();
      return;
    }
}

void TestHeap::local(ThreadId thread_id, ObjectId object_id, std::string_view class_name,
                     std::string_view method, std::uint16_t depth, RootKind kind) {
  root(object_id, kind);
  methods_.push_back({name(class_name), name(method)});
  graph_.roots.back().thread = thread_id;
  graph_.roots.back().method = MethodId{static_cast<std::uint32_t>(methods_.size() - 1)};
  graph_.roots.back().depth = depth;
}

void TestHeap::lay_out_fields() {
  fields_.clear();
  for (std::size_t c = 0; c < graph_.classes.size(); ++c) {
    ClassRow& at = graph_.classes[c];
    at.first_field = static_cast<std::uint32_t>(fields_.size());
    at.field_count = static_cast<std::uint32_t>(fields_of_[c].size());
    at.chain_offset = 0;
    for (ClassId s = at.superclass; s.valid(); s = graph_.classes[s.value].superclass)
      at.chain_offset += static_cast<std::uint32_t>(fields_of_[s.value].size());
    for (const std::string& f : fields_of_[c]) fields_.push_back(name(f));
  }
}

Snapshot TestHeap::snapshot() {
  lay_out_fields();
  set_edges(graph_, edges_);
  Snapshot made = graph_.snapshot();
  made.catalog.strings = strings_;
  made.catalog.loaders = loaders_;
  made.catalog.fields = fields_;
  made.catalog.threads = threads_;
  made.catalog.methods = methods_;
  if (!verify(made)) fail("the snapshot is refused", "");
  return made;
}

}  // namespace holdfast::analysis::lab
