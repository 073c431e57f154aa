#include "cli/export/hprof_export.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "cli/export/hprof_bytes.h"
#include "cli/export/hprof_layout.h"

namespace holdfast::cli {
namespace {

using analysis::HeapTag;
using analysis::HprofTag;

constexpr std::uint8_t kObject = analysis::kHprofObject;
constexpr std::uint8_t kInt = 10;
constexpr std::uint8_t kLong = 11;
constexpr std::uint32_t kNone = HprofLayout::kNone;
constexpr std::uint32_t kNoStack = 1;  // serial of the trace of everything that was allocated
constexpr std::uint32_t kNoFrame = 0xFFFFFFFF;
constexpr std::uint32_t kMostDimensions = 255;

constexpr std::string_view kExtra = "(reference)";
constexpr std::string_view kFiller = "(value)";
constexpr std::string_view kUnknownClass = "(unknown class)";
constexpr std::string_view kUnknownMethod = "(unknown method)";

class HprofDump {
 public:
  HprofDump(const Snapshot& snapshot, const DumpRecord& record, const Sink& sink)
      : s_(snapshot), catalog_(snapshot.catalog), layout_(snapshot), record_(record), out_(sink) {}

  std::uint64_t write() {
    out_.text(std::string_view("JAVA PROFILE 1.0.2\0", 19));
    out_.u4(sizeof(std::uint64_t));
    out_.u8(record_.started_utc_ms);
    out_.flush();
    write_classes_loaded();
    write_stacks();
    for (std::uint32_t c = 0; c < layout_.shapes().size(); ++c)
      if (layout_.shapes()[c].dumped) write_class(c);
    for (std::uint32_t v = 0; v < s_.object_count(); ++v)
      if (layout_.class_of_mirror(v) == kNone) write_object(v);
    for (const RootRecord& root : s_.roots) write_root(root);
    out_.end_segment();
    out_.end_record(HprofTag::kHeapDumpEnd);
    return cut_arrays_;
  }

 private:
  // -- names, classes, stacks: records of their own --

  // A name's identifier; written where it is asked for first, which must be between records.
  std::uint64_t name(std::string_view text) {
    const auto [at, fresh] = names_.try_emplace(std::string(text), names_.size() + 1);
    if (!fresh) return at->second;
    out_.u8(at->second);
    out_.text(text);
    out_.end_record(HprofTag::kUtf8);
    return at->second;
  }
  std::uint64_t known_name(std::string_view text) const { return names_.find(text)->second; }

  std::string_view field_name(std::uint32_t c, std::uint32_t ordinal) const {
    return catalog_.strings.view(catalog_.fields[catalog_.classes[c].first_field + ordinal]);
  }

  void write_classes_loaded() {
    for (const std::string_view text : {kExtra, kFiller, std::string_view("referent")}) name(text);
    for (std::uint32_t c = 0; c < layout_.shapes().size(); ++c) {
      if (!layout_.shapes()[c].dumped) continue;
      const std::string binary = c < catalog_.class_count()
                                     ? binary_class_name(catalog_.class_name(ClassId{c}))
                                     : std::string(kUnknownClass);
      const std::uint64_t class_name = name(binary);
      for (const std::uint32_t field : layout_.shapes()[c].fields) name(field_name(c, field));
      for (const std::uint32_t r : layout_.statics(c)) name(static_name(c, s_.label[r]));
      out_.u4(c + 1);
      out_.u8(layout_.shapes()[c].id);
      out_.u4(kNoStack);
      out_.u8(class_name);
      out_.end_record(HprofTag::kLoadClass);
    }
    for (std::uint32_t c = 0; c < catalog_.class_count(); ++c)
      if (layout_.shapes()[c].dumped) by_name_.try_emplace(catalog_.class_name(ClassId{c}), c + 1);
  }

  // Frame identifiers are the numbers of methods, from 1 on; 0xFFFFFFFF stands for frames that nothing is known of.
  void write_stacks() {
    write_frame(kNoFrame, kUnknownMethod, 0);
    for (std::uint32_t m = 0; m < catalog_.methods.size(); ++m) {
      const auto owner = by_name_.find(catalog_.strings.view(catalog_.methods[m].class_name));
      write_frame(m + 1, catalog_.strings.view(catalog_.methods[m].name),
                  owner == by_name_.end() ? 0 : owner->second);
    }
    write_trace(kNoStack, 0, {});
    std::vector<std::vector<std::uint64_t>> stacks(catalog_.threads.size());
    for (const RootRecord& root : s_.roots) {
      if (!root.thread.valid() || !root.method.valid()) continue;
      auto& stack = stacks[root.thread.value];
      if (stack.size() <= root.depth) stack.resize(root.depth + std::size_t{1}, kNoFrame);
      stack[root.depth] = root.method.value + std::uint64_t{1};
    }
    for (std::uint32_t t = 0; t < stacks.size(); ++t)
      write_trace(stack_of_thread(t), t + 1, stacks[t]);
  }

  void write_trace(std::uint32_t serial, std::uint32_t thread,
                   const std::vector<std::uint64_t>& frames) {
    out_.u4(serial);
    out_.u4(thread);
    out_.u4(static_cast<std::uint32_t>(frames.size()));
    for (const std::uint64_t frame : frames) out_.u8(frame);
    out_.end_record(HprofTag::kTrace);
  }
  static std::uint32_t stack_of_thread(std::uint32_t thread) { return kNoStack + 1 + thread; }

  void write_frame(std::uint64_t id, std::string_view method, std::uint32_t class_serial) {
    const std::uint64_t method_name = name(method), empty = name("");
    out_.u8(id);
    out_.u8(method_name);
    out_.u8(empty);  // signature
    out_.u8(empty);  // source file
    out_.u4(class_serial);
    out_.u4(0);  // line
    out_.end_record(HprofTag::kFrame);
  }

  // -- the heap --

  void tag(HeapTag tag) { out_.u1(static_cast<std::uint8_t>(tag)); }
  std::uint64_t address(ObjectId object) const {
    return object.valid() ? layout_.address(object.value) : 0;
  }
  void write_class(std::uint32_t c) {
    const HprofClassShape& shape = layout_.shapes()[c];
    const std::uint32_t super = layout_.superclass(c);
    const std::uint64_t super_id = super == kNone ? 0 : layout_.shapes()[super].id;
    tag(HeapTag::kClassDump);
    out_.u8(shape.id);
    out_.u4(kNoStack);
    out_.u8(super_id);
    out_.u8(address(layout_.loader(c)));
    out_.u8(0);  // signers, protection domain and the reserved ones
    out_.u8(0);
    out_.u8(0);
    out_.u8(0);
    out_.u4(static_cast<std::uint32_t>(shape.dump_bytes));
    out_.u2(0);  // constant pool
    write_statics(c);
    write_fields(c);
    out_.end_sub_record();
  }

  std::string_view static_name(std::uint32_t c, RefLabel label) const {
    const bool field = label.is_static_field() && !label.saturated();
    const std::string_view known = field ? catalog_.field_name(ClassId{c}, label.index()) : "";
    return known.empty() ? kExtra : known;
  }

  void write_statics(std::uint32_t c) {
    const std::vector<std::uint32_t> references = layout_.statics(c);
    const std::uint32_t longs = layout_.shapes()[c].static_longs;
    out_.u2(static_cast<std::uint16_t>(references.size() + longs));
    for (const std::uint32_t r : references) {
      out_.u8(known_name(static_name(c, s_.label[r])));
      out_.u1(kObject);
      out_.u8(address(s_.target[r]));
    }
    for (std::uint32_t i = 0; i < longs; ++i) {
      out_.u8(known_name(kFiller));
      out_.u1(kLong);
      out_.u8(0);
    }
  }

  void write_fields(std::uint32_t c) {
    const HprofClassShape& shape = layout_.shapes()[c];
    const auto field = [&](std::string_view field_name, std::uint8_t type) {
      out_.u8(known_name(field_name));
      out_.u1(type);
    };
    out_.u2(static_cast<std::uint16_t>(shape.fields.size() + (shape.referent ? 1 : 0) +
                                       shape.extra_references + shape.longs + shape.ints));
    for (const std::uint32_t ordinal : shape.fields) field(field_name(c, ordinal), kObject);
    if (shape.referent) field("referent", kObject);
    for (std::uint32_t i = 0; i < shape.extra_references; ++i) field(kExtra, kObject);
    for (std::uint32_t i = 0; i < shape.longs; ++i) field(kFiller, kLong);
    for (std::uint32_t i = 0; i < shape.ints; ++i) field(kFiller, kInt);
  }

  void write_object(std::uint32_t v) {
    const std::uint32_t c = layout_.class_index(v);
    const bool array = c < catalog_.class_count() && (catalog_.classes[c].flags & kClassArray) != 0;
    if (!array)
      write_instance(v, c);
    else if (layout_.element_type(c) != 0)
      write_primitive_array(v, layout_.element_type(c));
    else
      write_object_array(v, c);
  }

  void write_instance(std::uint32_t v, std::uint32_t c) {
    gather(v, c);
    tag(HeapTag::kInstanceDump);
    out_.u8(layout_.address(v));
    out_.u4(kNoStack);
    out_.u8(layout_.shapes()[c].id);
    out_.u4(static_cast<std::uint32_t>(layout_.shapes()[c].dump_bytes));
    std::uint32_t at = c;
    for (std::uint32_t step = 0; at != kNone && step < HprofLayout::kMostSteps; ++step) {
      write_values(at, step == 0);
      at = layout_.superclass(at);
    }
    out_.end_sub_record();
  }

  // The references of an object, sorted by what the layout says of them.
  void gather(std::uint32_t v, std::uint32_t c) {
    placed_.clear();
    extra_.clear();
    for (std::uint32_t r = s_.first_ref[v]; r < s_.first_ref[v + 1]; ++r) {
      const HprofLayout::Place where = layout_.place(c, s_.label[r]);
      const bool again = std::ranges::find(placed_, where, &Placed::first) != placed_.end();
      if (where.ordinal == kNone || again)
        extra_.push_back(address(s_.target[r]));
      else
        placed_.emplace_back(where, address(s_.target[r]));
    }
  }

  // The own values of one class; those without a field belong to the object's class itself.
  void write_values(std::uint32_t c, bool object_class) {
    const HprofClassShape& shape = layout_.shapes()[c];
    for (const std::uint32_t ordinal : shape.fields) out_.u8(target_in({c, ordinal}));
    if (shape.referent) out_.u8(target_in({c, HprofLayout::kReferent}));
    for (std::uint32_t i = 0; i < shape.extra_references; ++i)
      out_.u8(object_class && i < extra_.size() ? extra_[i] : 0);
    out_.zeros(std::size_t{8} * shape.longs + std::size_t{4} * shape.ints);
  }
  std::uint64_t target_in(const HprofLayout::Place& where) const {
    const auto at = std::ranges::find(placed_, where, &Placed::first);
    return at == placed_.end() ? 0 : at->second;
  }

  // The head of an array; where its elements are many, a segment of its own begins.
  void begin_array(HeapTag kind, std::uint32_t v, std::uint64_t bytes) {
    if (bytes > HprofBytes::kSegmentBytes) out_.end_segment();
    if (layout_.array_is_cut(v)) ++cut_arrays_;
    tag(kind);
    out_.u8(layout_.address(v));
    out_.u4(kNoStack);
    out_.u4(layout_.array_length(v));
  }
  void begin_elements(std::uint64_t bytes) {
    if (bytes > HprofBytes::kSegmentBytes) out_.open_long(bytes);
  }

  void write_object_array(std::uint32_t v, std::uint32_t c) {
    const std::uint32_t length = layout_.array_length(v);
    const std::uint64_t bytes = std::uint64_t{length} * sizeof(std::uint64_t);
    begin_array(HeapTag::kObjectArrayDump, v, bytes);
    out_.u8(layout_.shapes()[c].id);
    begin_elements(bytes);
    gather_elements(v, length);
    write_elements(length);
    out_.end_sub_record();
  }

  // By index where the label has one that is free; the others are for the places that stay free.
  void gather_elements(std::uint32_t v, std::uint32_t length) {
    elements_.clear();
    extra_.clear();
    for (std::uint32_t r = s_.first_ref[v]; r < s_.first_ref[v + 1]; ++r) {
      const RefLabel label = s_.label[r];
      const std::uint64_t target = address(s_.target[r]);
      if (target == 0) continue;
      if (label.is_element() && !label.saturated() && label.index() < length)
        elements_.emplace_back(label.index(), target);
      else
        extra_.push_back(target);
    }
    std::ranges::stable_sort(elements_, {}, &Element::first);
    std::size_t kept = 0;
    for (const Element& element : elements_) {
      if (kept > 0 && elements_[kept - 1].first == element.first)
        extra_.push_back(element.second);
      else
        elements_[kept++] = element;
    }
    elements_.resize(kept);
  }

  void write_elements(std::uint32_t length) {
    std::size_t used = 0;  // of those without a place
    std::uint32_t at = 0;
    const auto write_free = [&](std::uint32_t end) {
      for (; at < end && used < extra_.size(); ++at) out_.u8(extra_[used++]);
      out_.zeros(std::uint64_t{end - at} * sizeof(std::uint64_t));
      at = end;
    };
    for (const auto& [index, target] : elements_) {
      write_free(index);
      out_.u8(target);
      ++at;
    }
    write_free(length);
  }

  void write_primitive_array(std::uint32_t v, std::uint8_t type) {
    const std::uint64_t bytes =
        std::uint64_t{layout_.array_length(v)} * analysis::hprof_type_bytes(type, 8);
    begin_array(HeapTag::kPrimitiveArrayDump, v, bytes);
    out_.u1(type);
    begin_elements(bytes);
    out_.zeros(bytes);
    out_.end_sub_record();
  }

  void write_root(const RootRecord& root) {
    const std::uint32_t thread = root.thread.valid() ? root.thread.value + 1 : 0;
    const std::uint32_t frame = root.method.valid() ? root.depth : kNoFrame;
    const std::uint64_t at = address(root.object);
    const auto write = [&](HeapTag kind, std::initializer_list<std::uint32_t> more) {
      tag(kind);
      out_.u8(at);
      for (const std::uint32_t value : more) out_.u4(value);
    };
    switch (root.kind) {
      case RootKind::kSystemClass:
        write(HeapTag::kRootStickyClass, {});
        break;
      case RootKind::kThread:
        write(HeapTag::kRootThreadObject,
              {thread, thread == 0 ? kNoStack : stack_of_thread(thread - 1)});
        break;
      case RootKind::kStackLocal:
      case RootKind::kPossibleStackSlot:
        write(HeapTag::kRootJavaFrame, {thread, frame});
        break;
      case RootKind::kJniLocal:
        write(HeapTag::kRootJniLocal, {thread, frame});
        break;
      case RootKind::kJniGlobal:
      case RootKind::kHandle:
      case RootKind::kPinnedHandle:
        write(HeapTag::kRootJniGlobal, {0, 0});  // the reference's own identifier: 8 bytes
        break;
      case RootKind::kMonitor:
        write(HeapTag::kRootMonitorUsed, {});
        break;
      default:  // a static field, too: a sticky class has to be a class object
        write(HeapTag::kRootUnknown, {});
    }
    out_.end_sub_record();
  }

  using Placed = std::pair<HprofLayout::Place, std::uint64_t>;
  using Element = std::pair<std::uint32_t, std::uint64_t>;  // its index and what it refers to

  const Snapshot& s_;
  const Catalog& catalog_;
  const HprofLayout layout_;
  const DumpRecord& record_;
  HprofBytes out_;
  std::map<std::string, std::uint64_t, std::less<>> names_;
  std::map<std::string_view, std::uint32_t> by_name_;  // to the class's serial
  std::vector<Placed> placed_;                         // of the object at hand
  std::vector<std::uint64_t> extra_;
  std::vector<Element> elements_;  // of the array at hand
  std::uint64_t cut_arrays_ = 0;
};

}  // namespace

std::string binary_class_name(std::string_view name) {
  std::size_t dimensions = 0;
  for (; name.ends_with("[]") && dimensions < kMostDimensions; ++dimensions) name.remove_suffix(2);
  std::string element(name);
  std::ranges::replace(element, '.', '/');
  if (dimensions == 0) return element;
  for (const char letter : std::string_view("ZBCSIJFD"))
    if (primitive_name(letter) == name) return std::string(dimensions, '[') + letter;
  return std::string(dimensions, '[') + 'L' + element + ';';
}

std::uint64_t write_hprof(const Snapshot& snapshot, const DumpRecord& record, const Sink& sink) {
  return HprofDump(snapshot, record, sink).write();
}

}  // namespace holdfast::cli
