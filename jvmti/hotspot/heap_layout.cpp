#include "jvmti/hotspot/heap_layout.h"

#include <bit>
#include <cstdarg>
#include <cstdio>
#include <string_view>

#include "platforms/mappings.h"

namespace holdfast::jvmti {

namespace {

constexpr std::uint64_t kMostOffset =
    4096;  // no structure of HotSpot's that is read here is larger
constexpr std::uint32_t kMostShift = 16;
constexpr std::uint64_t kMostAlignment = 256;

struct Spelling {
  const char* type = nullptr;
  const char* field = nullptr;
};
constexpr std::size_t kMostSpellings = 3;

// A field's offset in its structure. The first spelling that the VM knows counts.
struct OffsetNeed {
  std::uint32_t HeapLayout::*into;
  Spelling spellings[kMostSpellings];
};
constexpr OffsetNeed kOffsets[] = {
    {&HeapLayout::mark, {{"oopDesc", "_mark"}}},
    {&HeapLayout::layout_helper, {{"Klass", "_layout_helper"}}},
    {&HeapLayout::class_mirror, {{"Klass", "_java_mirror"}}},
    {&HeapLayout::vtable_length, {{"Klass", "_vtable_len"}, {"InstanceKlass", "_vtable_len"}}},
    {&HeapLayout::itable_length, {{"InstanceKlass", "_itable_len"}}},
    {&HeapLayout::reference_map_length, {{"InstanceKlass", "_nonstatic_oop_map_size"}}},
    {&HeapLayout::static_field_offset, {{"JNIid", "_offset"}}},
};
constexpr Spelling kMethodFlags[] = {{"Method", "_access_flags"}};
constexpr OffsetNeed kPoolOffsets[] = {
    {&HeapLayout::class_pool, {{"InstanceKlass", "_constants"}}},
    {&HeapLayout::pool_tags, {{"ConstantPool", "_tags"}}},
    {&HeapLayout::pool_length, {{"ConstantPool", "_length"}}},
    {&HeapLayout::references,
     {{"ConstantPoolCache", "_resolved_references"}, {"ConstantPool", "_resolved_references"}}},
    {&HeapLayout::reference_map,
     {{"ConstantPoolCache", "_reference_map"}, {"ConstantPool", "_reference_map"}}},
    {&HeapLayout::array_u1_data, {{"Array<u1>", "_data"}}},
    {&HeapLayout::array_u2_data, {{"Array<u2>", "_data"}}},
    {&HeapLayout::array_length_field, {{"Array<Klass*>", "_length"}, {"Array<int>", "_length"}}},
};
constexpr OffsetNeed kPoolTableOffsets[] = {
    {&HeapLayout::pool_cache, {{"ConstantPool", "_cache"}}},
    {&HeapLayout::pool_classes, {{"ConstantPool", "_resolved_klasses"}}},
    {&HeapLayout::array_class_data, {{"Array<Klass*>", "_data[0]"}, {"Array<Klass*>", "_data"}}},
};

// The value of a static `int`.
struct NumberNeed {
  std::uint32_t HeapLayout::*into;
  Spelling spellings[kMostSpellings];
};
constexpr NumberNeed kNumbers[] = {
    {&HeapLayout::mirror_class, {{"java_lang_Class", "_klass_offset"}}},
    {&HeapLayout::mirror_words, {{"java_lang_Class", "_oop_size_offset"}}},
    {&HeapLayout::mirror_static_count, {{"java_lang_Class", "_static_oop_field_count_offset"}}},
};

// 25, 17, 8 and 11.
constexpr Spelling kReferenceBase[] = {{"CompressedOops", "_base"},
                                       {"CompressedOops", "_narrow_oop._base"},
                                       {"Universe", "_narrow_oop._base"}};
constexpr Spelling kReferenceShift[] = {{"CompressedOops", "_shift"},
                                        {"CompressedOops", "_narrow_oop._shift"},
                                        {"Universe", "_narrow_oop._shift"}};
constexpr Spelling kClassBase[] = {{"CompressedKlassPointers", "_base"},
                                   {"CompressedKlassPointers", "_narrow_klass._base"},
                                   {"Universe", "_narrow_klass._base"}};
constexpr Spelling kClassShift[] = {{"CompressedKlassPointers", "_shift"},
                                    {"CompressedKlassPointers", "_narrow_klass._shift"},
                                    {"Universe", "_narrow_klass._shift"}};

constexpr std::string_view kCollectors[] = {"G1", "Parallel", "Serial", "Shenandoah"};

class LayoutReader {
 public:
  LayoutReader(const VmTables& tables, HeapLayout& out, LayoutRefusal& why_not) noexcept
      : tables_(tables), out_(out), why_not_(why_not) {}

  bool read() noexcept {
    read_method_flags();
    return read_offsets(kOffsets) && read_numbers() && read_references() && read_headers() &&
           read_class_sizes() && read_heap() && read_pools();
  }

 private:
  __attribute__((format(printf, 2, 3))) bool refuse(const char* format, ...) noexcept {
    va_list values;
    va_start(values, format);
    std::vsnprintf(why_not_.text, sizeof why_not_.text, format, values);
    va_end(values);
    return false;
  }

  template <std::size_t kCount>
  const VmTables::Field* find(const Spelling (&spellings)[kCount]) noexcept {
    for (const Spelling& spelling : spellings) {
      if (spelling.type == nullptr) break;
      const auto field = tables_.field(spelling.type, spelling.field);
      if (field) return &(found_ = *field);
    }
    return nullptr;
  }

  template <std::size_t kCount>
  bool read_offsets(const OffsetNeed (&needs)[kCount]) noexcept {
    for (const OffsetNeed& need : needs) {
      const VmTables::Field* field = find(need.spellings);
      if (field == nullptr || field->address != nullptr)
        return refuse("the VM does not tell %s::%s", need.spellings[0].type,
                      need.spellings[0].field);
      if (field->offset >= kMostOffset)
        return refuse("%s::%s is said to stand at %llu", need.spellings[0].type,
                      need.spellings[0].field, static_cast<unsigned long long>(field->offset));
      out_.*need.into = static_cast<std::uint32_t>(field->offset);
    }
    return true;
  }

  // Without it constants of compiled code look like JNI locals (root_facts_stopped.h).
  void read_method_flags() noexcept {
    const VmTables::Field* field = find(kMethodFlags);
    if (field != nullptr && field->address == nullptr && field->offset < kMostOffset)
      out_.method_flags = static_cast<std::uint32_t>(field->offset);
  }

  bool read_numbers() noexcept {
    for (const NumberNeed& need : kNumbers) {
      const VmTables::Field* field = find(need.spellings);
      if (field == nullptr || field->address == nullptr)
        return refuse("the VM does not tell %s::%s", need.spellings[0].type,
                      need.spellings[0].field);
      const auto value = read_at<std::int32_t>(field->address);
      if (value <= 0 || static_cast<std::uint64_t>(value) >= kMostOffset)
        return refuse("%s::%s is said to be %d", need.spellings[0].type, need.spellings[0].field,
                      value);
      out_.*need.into = static_cast<std::uint32_t>(value);
    }
    return true;
  }

  bool is_on(const char* flag) noexcept {
    const std::byte* value = find_vm_flag(tables_, flag);
    return value != nullptr && read_at<std::uint8_t>(value) != 0;
  }

  template <std::size_t kCount>
  bool read_coding(const char* what, const Spelling (&base)[kCount],
                   const Spelling (&shift)[kCount], std::uint64_t& base_out,
                   std::uint32_t& shift_out) noexcept {
    const VmTables::Field* field = find(base);
    if (field == nullptr || field->address == nullptr)
      return refuse("the VM does not tell the base of compressed %s", what);
    base_out = read_at<std::uint64_t>(field->address);
    field = find(shift);
    if (field == nullptr || field->address == nullptr)
      return refuse("the VM does not tell the shift of compressed %s", what);
    shift_out = read_at<std::uint32_t>(field->address);
    return shift_out <= kMostShift ||
           refuse("the shift of compressed %s is said to be %u", what, shift_out);
  }

  bool read_references() noexcept {
    out_.narrow_references = is_on("UseCompressedOops");
    return !out_.narrow_references || read_coding("references", kReferenceBase, kReferenceShift,
                                                  out_.reference_base, out_.reference_shift);
  }

  // In a compact header an array's length follows the mark word, else the class, whatever its width.
  bool read_headers() noexcept {
    if (out_.mark != 0)
      return refuse("an object's mark word is said to stand at %u, not first", out_.mark);
    out_.compact_headers = is_on("UseCompactObjectHeaders");
    out_.narrow_classes = out_.compact_headers || is_on("UseCompressedClassPointers");
    if (out_.narrow_classes &&
        !read_coding("class pointers", kClassBase, kClassShift, out_.class_base, out_.class_shift))
      return false;
    if (out_.compact_headers) {
      const auto shift = tables_.constant("markWord::klass_shift");
      if (!shift || *shift <= 0 || *shift >= 64)
        return refuse("the VM does not tell markWord::klass_shift");
      out_.mark_class_shift = static_cast<std::uint32_t>(*shift);
      out_.array_length = 8;
      return true;
    }
    const Spelling class_field[] = {
        {"oopDesc", out_.narrow_classes ? "_metadata._compressed_klass" : "_metadata._klass"}};
    const VmTables::Field* field = find(class_field);
    if (field == nullptr || field->address != nullptr || field->offset >= kMostOffset)
      return refuse("the VM does not tell where an object's class stands");
    out_.header_class = static_cast<std::uint32_t>(field->offset);
    out_.array_length = out_.header_class + (out_.narrow_classes ? 4 : 8);
    return true;
  }

  bool read_class_sizes() noexcept {
    const auto bytes = tables_.type_bytes("InstanceKlass");
    if (!bytes || *bytes < 64 || *bytes >= kMostOffset || *bytes % 8 != 0)
      return refuse("the VM does not tell the size of InstanceKlass");
    out_.instance_class_bytes = static_cast<std::uint32_t>(*bytes);
    const auto mirror = tables_.field("Klass", "_java_mirror");
    if (!mirror || (mirror->type != "OopHandle" && mirror->type != "oop"))
      return refuse("the VM does not tell what Klass::_java_mirror is");
    out_.mirror_by_handle = mirror->type == "OopHandle";
    return true;
  }

  bool read_heap() noexcept {
    const VmTables::Field* heap_field = find<1>({{"Universe", "_collectedHeap"}});
    if (heap_field == nullptr || heap_field->address == nullptr)
      return refuse("the VM does not tell Universe::_collectedHeap");
    const auto* heap = read_at<const std::byte*>(heap_field->address);
    const auto range = tables_.field("CollectedHeap", "_reserved");
    const auto start = tables_.field("MemRegion", "_start");
    const auto words = tables_.field("MemRegion", "_word_size");
    if (heap == nullptr || !range || !start || !words || range->address != nullptr ||
        range->offset >= kMostOffset || start->offset >= kMostOffset ||
        words->offset >= kMostOffset)
      return refuse("the VM does not tell where its heap lies");
    const std::byte* region = heap + range->offset;
    out_.heap_start = read_at<std::uint64_t>(region + start->offset);
    const std::uint64_t bytes = read_at<std::uint64_t>(region + words->offset) * 8;
    out_.heap_end = out_.heap_start + bytes;
    return read_alignment() && check_heap(bytes);
  }

  bool read_alignment() noexcept {
    const std::byte* value = find_vm_flag(tables_, "ObjectAlignmentInBytes");
    if (value == nullptr) return refuse("the VM does not tell ObjectAlignmentInBytes");
    out_.object_alignment = read_at<std::uint32_t>(value);
    return (out_.object_alignment >= 8 && out_.object_alignment <= kMostAlignment &&
            std::has_single_bit(out_.object_alignment)) ||
           refuse("objects are said to be aligned to %llu bytes",
                  static_cast<unsigned long long>(out_.object_alignment));
  }

  // What is reserved is the maximum heap, rounded up to what the collector aligns to.
  bool near_most_heap(std::uint64_t bytes) noexcept {
    const std::byte* value = find_vm_flag(tables_, "MaxHeapSize");
    if (value == nullptr) return false;
    const auto most = read_at<std::uint64_t>(value);
    return bytes / 2 <= most && most / 2 <= bytes;
  }

  bool check_heap(std::uint64_t bytes) noexcept {
    if (out_.heap_start == 0 || out_.heap_end <= out_.heap_start ||
        (out_.heap_start | bytes) % 4096 != 0)
      return refuse("the heap is said to lie at 0x%llx, %llu bytes",
                    static_cast<unsigned long long>(out_.heap_start),
                    static_cast<unsigned long long>(bytes));
    if (!near_most_heap(bytes))
      return refuse("the heap is said to have %llu bytes, which MaxHeapSize does not confirm",
                    static_cast<unsigned long long>(bytes));
    if (!platforms::mappings_are_private(reinterpret_cast<const void*>(out_.heap_start), bytes))
      return refuse("the heap's memory is shared, so a copy-on-write picture cannot be taken");
    return true;
  }

  // What only a constant pool holds would be missed without it.
  bool read_pools() noexcept {
    const auto bytes = tables_.type_bytes("ConstantPool");
    if (!bytes || *bytes >= kMostOffset) return refuse("the VM does not tell ConstantPool's size");
    out_.pool_bytes = static_cast<std::uint32_t>(*bytes);
    out_.pool_cached = tables_.field("ConstantPoolCache", "_resolved_references").has_value();
    return read_offsets(kPoolOffsets) && (!out_.pool_cached || read_offsets(kPoolTableOffsets));
  }

  const VmTables& tables_;
  HeapLayout& out_;
  LayoutRefusal& why_not_;
  VmTables::Field found_;
};

bool collector_allowed(std::string_view collector) noexcept {
  for (const std::string_view allowed : kCollectors)
    if (collector == allowed) return true;
  return false;
}

}  // namespace

bool read_heap_layout(VmSymbol symbol, HeapLayout& out, LayoutRefusal& why_not) noexcept {
  out = HeapLayout{};
  VmTables tables;
  if (!tables.open(symbol)) {
    std::snprintf(why_not.text, sizeof why_not.text, "this VM does not export its tables");
    return false;
  }
  const VmFlags flags = read_vm_flags(symbol);
  if (!collector_allowed(flags.collector)) {
    std::snprintf(why_not.text, sizeof why_not.text,
                  "the collector is %s; allowed are Serial, Parallel, G1 and Shenandoah",
                  flags.collector[0] != '\0' ? flags.collector : "unknown");
    return false;
  }
  out.forwarded_objects = std::string_view(flags.collector) == "Shenandoah";
  return LayoutReader(tables, out, why_not).read();
}

}  // namespace holdfast::jvmti
