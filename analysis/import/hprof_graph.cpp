#include "analysis/import/hprof_graph.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "platforms/file.h"

namespace holdfast::analysis {
namespace {

constexpr std::uint64_t kTellBytes = std::uint64_t{8} << 20;
constexpr std::uint32_t kObjectsForTwoParts = 200'000;
constexpr const char* kPass = "decoding objects";

struct PartLosses {
  std::uint64_t unknown_references = 0;
  std::uint64_t without_class = 0;
};

// Decodes the objects [first, end) into columns of its own; object arrays are shared, each part writes its stretch.
class Part {
 public:
  Part(const HprofTables& tables, HprofGraph& graph, HprofPlace first, std::uint32_t end,
       Ledger& ledger, const ImportProgress& progress)
      : t_(tables),
        file_(tables.survey.file()),
        id_bytes_(tables.survey.header.id_bytes),
        graph_(graph),
        place_(first),
        object_(first.object),
        end_(end),
        progress_(progress),
        target_(tables.survey.reference_bound + tables.locals.size() + 1, ledger,
                MemoryCategory::kGraph),
        label_(tables.survey.reference_bound + tables.locals.size() + 1, ledger,
               MemoryCategory::kGraph) {
    next_repeated_ = static_cast<std::size_t>(
        std::ranges::lower_bound(t_.index.repeated(), object_) - t_.index.repeated().begin());
    next_local_ = static_cast<std::size_t>(
        std::ranges::lower_bound(t_.locals, object_, {}, &ThreadLocalReference::thread_object) -
        t_.locals.begin());
    next_class_ = static_cast<std::size_t>(
        std::ranges::lower_bound(t_.survey.classes.span(), object_, {}, &HprofClass::object) -
        t_.survey.classes.span().begin());
  }

  void run() {
    const std::span<const HeapSegment> segments = t_.survey.segments.span();
    dropped_ = place_.at;
    next_tell_ = place_.at + kTellBytes;
    for (std::size_t s = place_.segment; s < segments.size() && object_ < end_; ++s) {
      const std::uint64_t from = s == place_.segment ? place_.at : segments[s].begin;
      walk_segment(file_, from, segments[s].end, id_bytes_, *this);
    }
  }

  // -- the walk's visitor --
  bool more(std::uint64_t at) {
    if (at >= next_tell_) tell(at);
    return object_ < end_;
  }
  void bad_segment(std::uint64_t, const char*) noexcept {}  // told by the survey
  void root(const HprofRoot&) noexcept {}

  void instance(std::uint64_t, std::uint64_t, std::uint64_t class_id, const std::byte* fields,
                std::uint32_t bytes) {
    if (class_id != last_class_id_) {
      last_class_id_ = class_id;
      last_class_ = t_.classes.find(class_id);
    }
    const ClassId c = last_class_;
    if (!begin_object(c, c.valid() ? t_.sizes.instance(c) : t_.sizes.unknown_instance(bytes)))
      return;
    if (c.valid())
      add_fields(c, fields, bytes);
    else
      ++losses_.without_class;
    end_object();
  }
  void object_array(std::uint64_t, std::uint64_t, std::uint64_t class_id, const std::byte* elements,
                    std::uint32_t count) {
    const ClassId c = t_.classes.find(class_id);
    if (!begin_object(c, t_.sizes.object_array(count))) return;
    if (!c.valid()) ++losses_.without_class;
    for (std::uint32_t i = 0; i < count; ++i)
      add(load_id(elements + std::uint64_t{i} * id_bytes_, id_bytes_), RefLabel::element(i));
    end_object();
  }
  void primitive_array(std::uint64_t, std::uint64_t, std::uint8_t type, std::uint32_t count) {
    if (begin_object(t_.classes.of_primitive_array(type),
                     t_.sizes.primitive_array(count, hprof_type_bytes(type, id_bytes_))))
      end_object();
  }
  void class_dump(std::uint64_t, const ClassDump& dump) {
    const ClassId c{static_cast<std::uint32_t>(next_class_++)};
    if (!begin_object(class_class(), t_.sizes.class_object(c))) return;
    add_statics(c, dump);
    add_own_references(dump);
    end_object();
  }

  GrowingArray<ObjectId>& target() noexcept { return target_; }
  GrowingArray<RefLabel>& label() noexcept { return label_; }
  const PartLosses& losses() const noexcept { return losses_; }

 private:
  ClassId class_class() {
    if (!class_class_known_) class_class_ = t_.classes.named("java.lang.Class");
    class_class_known_ = true;
    return class_class_;
  }

  // False: the identifier came before; such an object has no class, no size and no references.
  bool begin_object(ClassId c, std::uint64_t shallow_bytes) {
    const std::span<const std::uint32_t> repeated = t_.index.repeated();
    graph_.first_ref[object_] = static_cast<std::uint32_t>(target_.size());
    if (next_repeated_ < repeated.size() && repeated[next_repeated_] == object_) {
      ++next_repeated_;
      graph_.class_of[object_] = ClassId{};
      ++object_;
      return false;
    }
    graph_.class_of[object_] = c;
    graph_.shallow_units[object_] = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(shallow_bytes / graph_.unit_bytes, UINT32_MAX));
    return true;
  }
  void end_object() {
    while (next_local_ < t_.locals.size() && t_.locals[next_local_].thread_object == object_)
      store(t_.locals[next_local_++].object, special(SpecialRef::kOther));
    ++object_;
  }

  void add_fields(ClassId c, const std::byte* fields, std::uint32_t bytes) {
    const Strength referent = t_.like_mat ? Strength::kStrong : t_.referent[c.value];
    std::uint64_t base = 0;
    for (ClassId at = c; at.valid() && base < bytes;) {
      const ClassLayout& layout = t_.classes.layouts[at.value];
      for (std::uint32_t r = 0; r < layout.reference_count; ++r) {
        const ReferenceField& field = t_.classes.references[layout.first_reference + r];
        if (base + field.offset + id_bytes_ > bytes) return;  // shorter than its class says
        const bool weaker = field.referent && referent != Strength::kStrong;
        add(load_id(fields + base + field.offset, id_bytes_),
            weaker ? referent_label(referent) : field.label);
      }
      base += layout.next_offset;
      at = layout.next;
    }
  }
  void add_statics(ClassId c, const ClassDump& dump) {
    std::uint32_t slot = t_.classes.chain_offset(c);
    visit_values(file_, dump.statics, dump.static_count, id_bytes_, id_bytes_,
                 [&](std::uint64_t, std::uint8_t type, const std::byte* value) {
                   if (type == kHprofObject)
                     add(load_id(value, id_bytes_), RefLabel::static_field(slot));
                   ++slot;
                 });
  }
  void add_own_references(const ClassDump& dump) {
    add(dump.super_id, special(SpecialRef::kSuperclass));
    const std::uint32_t loader =
        dump.loader_id == 0 ? ObjectIndex::kNone : t_.index.find(dump.loader_id);
    if (loader != ObjectIndex::kNone)
      store(loader, special(SpecialRef::kClassLoader));
    else if (t_.boot_loader != ObjectIndex::kNone)
      store(t_.boot_loader, special(SpecialRef::kClassLoader));
    else if (dump.loader_id != 0)
      ++losses_.unknown_references;
    if (t_.like_mat) return;
    add(dump.signers_id, special(SpecialRef::kSigners));
    add(dump.domain_id, special(SpecialRef::kProtectionDomain));
    visit_values(file_, dump.constants, dump.constant_count, 2, id_bytes_,
                 [&](std::uint64_t, std::uint8_t type, const std::byte* value) {
                   if (type == kHprofObject)
                     add(load_id(value, id_bytes_), special(SpecialRef::kConstantPool));
                 });
  }

  void add(std::uint64_t id, RefLabel label) {
    if (id == 0) return;
    const std::uint32_t object = t_.index.find(id);
    if (object == ObjectIndex::kNone) {
      ++losses_.unknown_references;
      return;
    }
    store(object, label);
  }
  void store(std::uint32_t object, RefLabel label) {
    target_.push(ObjectId{object});
    label_.push(label);
  }

  void tell(std::uint64_t at) {
    next_tell_ = at + kTellBytes;
    if (t_.survey.mapped) platforms::drop_mapped_pages(file_.data() + dropped_, at - dropped_);
    dropped_ = at;
    if (progress_ && !progress_(kPass, at - place_.at, object_ - place_.object))
      throw ImportFailure(ErrorCode::kCancelled, at, "cancelled");
  }

  const HprofTables& t_;
  std::span<const std::byte> file_;
  const unsigned id_bytes_;
  HprofGraph& graph_;
  const HprofPlace place_;
  std::uint32_t object_;
  const std::uint32_t end_;
  const ImportProgress& progress_;
  GrowingArray<ObjectId> target_;
  GrowingArray<RefLabel> label_;
  PartLosses losses_;
  std::size_t next_repeated_ = 0, next_local_ = 0, next_class_ = 0;
  std::uint64_t last_class_id_ = 0;
  ClassId last_class_, class_class_;
  bool class_class_known_ = false;
  std::uint64_t next_tell_ = 0, dropped_ = 0;
};

// The object at which the second half begins: half the bytes are before it.
HprofPlace middle(const HprofSurvey& survey) noexcept {
  std::uint32_t low = 0, high = survey.object_count();
  while (high - low > HprofSurvey::kSampleEvery) {
    const std::uint32_t at = low + (high - low) / 2;
    (survey.place_before(at).at < survey.file().size() / 2 ? low : high) = at;
  }
  return survey.place_before(low);
}

void join(HprofGraph& graph, Part& first, Part& second, std::uint32_t from, std::uint32_t objects) {
  const auto before = static_cast<std::uint32_t>(first.target().size());
  graph.target = std::move(first.target());
  graph.label = std::move(first.label());
  graph.target.append(second.target().span());
  graph.label.append(second.label().span());
  for (std::uint32_t v = from; v < objects; ++v) graph.first_ref[v] += before;
}

void count_losses(HprofGraph& graph, const PartLosses& losses) noexcept {
  graph.unknown_references += losses.unknown_references;
  graph.without_class += losses.without_class;
}

void decode_at_once(const HprofTables& tables, HprofGraph& graph, Ledger& ledger,
                    const ImportProgress& progress) {
  const HprofSurvey& survey = tables.survey;
  Part all(tables, graph, survey.place_before(0), survey.object_count(), ledger, progress);
  all.run();
  count_losses(graph, all.losses());
  graph.target = std::move(all.target());
  graph.label = std::move(all.label());
}

void decode_in_halves(const HprofTables& tables, HprofGraph& graph, Ledger& ledger,
                      const ImportProgress& progress) {
  const HprofSurvey& survey = tables.survey;
  const HprofPlace half = middle(survey);
  const ImportProgress quiet;
  const ImportProgress doubled = [&](const char* pass, std::uint64_t bytes, std::uint64_t done) {
    return !progress || progress(pass, 2 * bytes, 2 * done);
  };
  Part first(tables, graph, survey.place_before(0), half.object, ledger, doubled);
  Part second(tables, graph, half, survey.object_count(), ledger, quiet);
  std::exception_ptr failed;
  {
    std::jthread other([&] {
      try {
        second.run();
      } catch (...) {
        failed = std::current_exception();
      }
    });
    first.run();
  }
  if (failed) std::rethrow_exception(failed);
  count_losses(graph, first.losses());
  count_losses(graph, second.losses());
  join(graph, first, second, half.object, survey.object_count());
}

// Sizes are multiples of the alignment, which need not be one of eight.
std::uint64_t unit_of(std::uint64_t alignment) noexcept {
  return alignment % kShallowUnitBytes == 0 ? kShallowUnitBytes : alignment & (~alignment + 1);
}

}  // namespace

HprofGraph read_hprof_graph(const HprofTables& tables, Ledger& ledger,
                            const ImportProgress& progress) {
  const HprofSurvey& survey = tables.survey;
  const std::uint32_t in_file = survey.object_count();
  const std::uint32_t objects = in_file + (tables.boot_loader != ObjectIndex::kNone ? 1 : 0);
  HprofGraph graph;
  graph.unit_bytes = unit_of(tables.sizes.layout().alignment);
  graph.class_of = {objects, ledger, MemoryCategory::kGraph};
  graph.shallow_units = {objects, ledger, MemoryCategory::kGraph};
  graph.first_ref = {std::uint64_t{objects} + 1, ledger, MemoryCategory::kGraph};
  graph.class_of.grow_to(objects);
  graph.shallow_units.grow_to(objects);
  graph.first_ref.grow_to(std::size_t{objects} + 1);

  if (in_file < kObjectsForTwoParts)
    decode_at_once(tables, graph, ledger, progress);
  else
    decode_in_halves(tables, graph, ledger, progress);
  if (graph.target.size() > UINT32_MAX)
    throw ImportFailure(ErrorCode::kTooMany, 0, "more than 4,294,967,295 references");
  for (std::uint32_t v = in_file; v <= objects; ++v)
    graph.first_ref[v] = static_cast<std::uint32_t>(graph.target.size());
  return graph;
}

}  // namespace holdfast::analysis
