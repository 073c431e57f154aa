// A heap as HotSpot lays it out, in plain memory: classes, class objects, instances, arrays, pools and handles, made to order.
// Why: the reader runs whole, under sanitizers, on heaps whose graph is known because it was written down while it was made.
// Shape:  metadata and heap each lie between pages that nobody may touch. Structures have the parts of HotSpot's, but no version's
//         offsets. edges() is the oracle: what each object holds, with labels, as it was linked.
// Zone:   offline.   Errors: what does not fit ends the process.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "common/reservation.h"
#include "jvmti/hotspot/frozen_picture.h"

namespace holdfast::jvmti {

struct FakeHeapKind {
  bool narrow_references = true;
  bool narrow_classes = true;
  bool compact_headers = false;
  bool mirror_by_handle = true;
  bool pool_cached = true;  // the shape from JDK 9 on
  bool forwarded = false;
  std::uint64_t alignment = 8;
  std::uint64_t heap_bytes = std::uint64_t{1} << 20;
};

struct FakeField {
  const char* name;
  std::uint32_t offset;
  bool is_static = false;
};

struct FakeType {
  const char* name = "shop.Some";
  int superclass = 0;  // -1 none
  std::uint32_t bytes = 16;
  std::vector<FakeField> fields{};                             // declared, references or not
  std::vector<std::pair<std::int32_t, std::uint32_t>> maps{};  // of references: offset, count
  std::uint32_t statics = 0;                                   // references
  Strength referent = Strength::kStrong;
  std::uint32_t vtable = 0, itable = 0;
  std::int32_t helper = 0;  // of arrays
  bool listed = true;       // false: loaded after the catalog was read
  std::vector<std::uint32_t> interfaces{};
  bool builtin = false;
};

using FakeEdge = std::pair<Address, std::uint16_t>;  // referent, label

class FakeHeap {
 public:
  // The classes that every heap has.
  enum Known : std::uint32_t {
    kObject,
    kClass,
    kReference,
    kWeak,
    kObjects,
    kBytes,
    kChunk,
    kDomain,
    kKnownCount
  };
  static constexpr std::uint32_t kFirstField = 16;
  static constexpr std::uint32_t kChunkSize = 16, kChunkTop = 20, kChunkBytes = 32;

  explicit FakeHeap(FakeHeapKind kind = {}) : kind_(kind) {
    metadata_ = guarded(kMetadataBytes);
    heap_ = guarded(kind.heap_bytes);
    next_metadata_ = metadata_ + 64;
    next_object_ = heap_;
    describe_layout();
    add_known_types();
  }
  FakeHeap(const FakeHeap&) = delete;
  FakeHeap& operator=(const FakeHeap&) = delete;
  ~FakeHeap() {
    release(metadata_, kMetadataBytes);
    release(heap_, kind_.heap_bytes);
  }

  HeapLayout layout;
  const FakeHeapKind& kind() const { return kind_; }
  std::uint32_t step() const { return kind_.narrow_references ? 4 : 8; }
  std::uint32_t array_header() const { return layout.array_length + 4 <= 16 ? 16 : 24; }
  Address heap_start() const { return heap_; }
  Address heap_end() const { return heap_ + kind_.heap_bytes; }

  // -- classes --

  std::uint32_t add_type(const FakeType& type) {
    const auto index = static_cast<std::uint32_t>(types_.size());
    types_.push_back(type);
    const std::uint64_t words = std::uint64_t{type.vtable} + type.itable;
    const Address klass = metadata(kKlassBytes + words * 8 + type.maps.size() * 8);
    classes_.push_back(klass);
    put<std::int32_t>(klass + layout.layout_helper,
                      type.helper != 0 ? type.helper : static_cast<std::int32_t>(type.bytes));
    put<std::uint32_t>(klass + layout.vtable_length, type.vtable);
    put<std::uint32_t>(klass + layout.itable_length, type.itable);
    put<std::uint32_t>(klass + layout.reference_map_length,
                       static_cast<std::uint32_t>(type.maps.size()));
    // Words that are no reference maps stand before them.
    std::memset(at(klass + kKlassBytes), 0xEE, words * 8);
    for (std::size_t m = 0; m < type.maps.size(); ++m) {
      put<std::int32_t>(map_address(index, m), type.maps[m].first);
      put<std::uint32_t>(map_address(index, m) + 4, type.maps[m].second);
    }
    mirrors_.push_back(0);
    if (index >= kClass) {
      if (index == kClass) make_mirror(kObject);
      make_mirror(index);
    }
    return index;
  }
  Address class_address(std::uint32_t type) const { return classes_[type]; }
  Address mirror(std::uint32_t type) const { return mirrors_[type]; }
  const FakeType& type(std::uint32_t t) const { return types_[t]; }
  std::uint32_t type_count() const { return static_cast<std::uint32_t>(types_.size()); }
  Address map_address(std::uint32_t type, std::size_t m) const {
    const std::uint64_t words = std::uint64_t{types_[type].vtable} + types_[type].itable;
    return classes_[type] + kKlassBytes + words * 8 + m * 8;
  }

  // -- objects --

  Address new_object(std::uint32_t type, std::uint64_t bytes) {
    const Address object = next_object_;
    bytes = (bytes + kind_.alignment - 1) / kind_.alignment * kind_.alignment;
    if (object + bytes > heap_end()) std::abort();
    next_object_ += bytes;
    set_class(object, classes_[type]);
    objects_[object] = {type, bytes};
    return object;
  }
  Address new_instance(std::uint32_t type) { return new_object(type, types_[type].bytes); }
  Address new_array(std::uint32_t type, std::uint32_t length) {
    const std::uint32_t width = type == kBytes ? 1 : step();
    const Address array = new_object(type, array_header() + std::uint64_t{length} * width);
    put<std::uint32_t>(array + layout.array_length, length);
    return array;
  }
  // Frames of `words` words, of which those from `top` on are in use.
  Address new_chunk(std::uint32_t words, std::uint32_t top) {
    const std::uint64_t bits = kind_.narrow_references ? words * 2 : words;
    const Address chunk =
        new_object(kChunk, kChunkBytes + (words + (bits + 63) / 64) * std::uint64_t{8});
    put<std::uint32_t>(chunk + kChunkSize, words);
    put<std::uint32_t>(chunk + kChunkTop, top);
    return chunk;
  }
  Address frame_word(Address chunk, std::uint32_t word) const {
    return chunk + kChunkBytes + std::uint64_t{word} * 8;
  }
  void set_class(Address object, Address klass) {
    if (kind_.compact_headers)
      put<std::uint64_t>(
          object, (klass - layout.class_base) >> layout.class_shift << layout.mark_class_shift);
    else if (kind_.narrow_classes)
      put<std::uint32_t>(
          object + layout.header_class,
          static_cast<std::uint32_t>((klass - layout.class_base) >> layout.class_shift));
    else
      put<Address>(object + layout.header_class, klass);
  }
  // Leaves a mark that leads from an old copy to the one that counts.
  void forward(Address old_copy, Address copy) { put<std::uint64_t>(old_copy, copy | 3); }

  // -- references --

  std::uint32_t encode(Address object) const {
    return object == 0 ? 0
                       : static_cast<std::uint32_t>((object - layout.reference_base) >>
                                                    layout.reference_shift);
  }
  void put_reference(Address slot, Address referent) {
    if (kind_.narrow_references)
      put<std::uint32_t>(slot, encode(referent));
    else
      put<Address>(slot, referent);
  }
  // A reference at `offset`, known to the oracle.
  void link(Address from, std::uint32_t offset, Address to, RefLabel label) {
    put_reference(from + offset, to);
    note_edge(from, to, label);
  }
  void link_element(Address array, std::uint32_t i, Address to) {
    link(array, array_header() + i * step(), to, RefLabel::element(i));
  }
  void link_static(std::uint32_t type, std::uint32_t i, Address to, RefLabel label) {
    link(mirrors_[type], static_offset(i), to, label);
  }
  std::uint32_t static_offset(std::uint32_t i) const { return types_[kClass].bytes + i * step(); }
  void note_edge(Address from, Address to, RefLabel label) {
    edges_[from].emplace_back(to, label.bits);
  }
  const std::vector<FakeEdge>& edges(Address from) { return edges_[from]; }

  // -- pools --

  struct FakeConstant {
    std::uint8_t tag;
    Address value = 0;  // a resolved class' type, or the string
  };
  // Entry 0 is the pool's own; entry i + 1 is constants[i]. The last one must be a text: it is every class' name.
  void set_pool(std::uint32_t type, const std::vector<FakeConstant>& constants) {
    const auto length = static_cast<std::uint32_t>(constants.size() + 1);
    const Address pool = metadata(kPoolBytes + std::uint64_t{length} * 8);
    const Address tags = metadata(4 + length);
    put<std::uint32_t>(tags, length);
    put<Address>(pool + layout.pool_tags, tags);
    put<std::uint32_t>(pool + layout.pool_length, length);
    put<Address>(classes_[type] + layout.class_pool, pool);
    const Address table = metadata(8 + std::uint64_t{length} * 8);
    put<std::uint32_t>(table, length);
    const Address cache = kind_.pool_cached ? metadata(64) : pool;
    if (kind_.pool_cached) {
      put<Address>(pool + layout.pool_cache, cache);
      put<Address>(pool + layout.pool_classes, table);
    }
    std::vector<std::uint32_t> strings;
    for (std::uint32_t i = 1; i < length; ++i) {
      const FakeConstant& constant = constants[i - 1];
      put<std::uint8_t>(tags + layout.array_u1_data + i, constant.tag);
      if (constant.tag == 8) strings.push_back(i);
      if (constant.tag != 7) continue;
      const Address slot = pool + layout.pool_bytes + std::uint64_t{i} * 8;
      const Address resolved = classes_[constant.value];
      note_edge(mirrors_[type], mirrors_[constant.value], special(SpecialRef::kConstantPool));
      if (!kind_.pool_cached) {
        put<Address>(slot, resolved);
        continue;
      }
      // Resolved classes stand in the opposite order, so that places differ; the name is the last entry.
      put<std::uint32_t>(slot, (length - 1) << 16 | (length - 1 - i));
      put<Address>(table + layout.array_class_data + std::uint64_t{length - 1 - i} * 8, resolved);
    }
    if (!strings.empty()) set_strings(mirrors_[type], cache, strings, constants);
  }
  Address pool_of(std::uint32_t type) const {
    return load<Address>(classes_[type] + layout.class_pool);
  }

  // -- handles --

  Address handle(Address object) {
    const Address cell = metadata(8);
    put<Address>(cell, object);
    return cell;
  }

  struct Made {
    std::uint32_t type = 0;
    std::uint64_t bytes = 0;
  };
  const std::map<Address, Made>& objects() const { return objects_; }
  template <class T>
  static void put(Address where, T value) {
    std::memcpy(at(where), &value, sizeof value);
  }
  Address metadata(std::uint64_t bytes) {
    const Address start = next_metadata_;
    next_metadata_ += (bytes + 63) / 64 * 64;
    if (next_metadata_ > metadata_ + kMetadataBytes) std::abort();
    return start;
  }

 private:
  static constexpr std::uint64_t kMetadataBytes = std::uint64_t{1} << 20;
  static constexpr std::uint64_t kGuardBytes = 64 << 10;
  static constexpr std::uint32_t kKlassBytes = 64;
  static constexpr std::uint32_t kPoolBytes = 48;

  static void* at(Address address) { return reinterpret_cast<void*>(address); }
  static Address guarded(std::uint64_t bytes) {
    void* whole =
        ::mmap(nullptr, bytes + 2 * kGuardBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto* start = static_cast<std::byte*>(whole) + kGuardBytes;
    if (whole == MAP_FAILED || ::mprotect(start, bytes, PROT_READ | PROT_WRITE) != 0) std::abort();
    return reinterpret_cast<Address>(start);
  }
  static void release(Address start, std::uint64_t bytes) {
    ::munmap(at(start - kGuardBytes), bytes + 2 * kGuardBytes);
  }

  void describe_layout() {
    layout.heap_start = heap_;
    layout.heap_end = heap_end();
    layout.object_alignment = kind_.alignment;
    layout.forwarded_objects = kind_.forwarded;
    layout.narrow_references = kind_.narrow_references;
    layout.reference_base = heap_ - 4096;
    layout.reference_shift = 3;
    layout.compact_headers = kind_.compact_headers;
    layout.narrow_classes = kind_.narrow_classes || kind_.compact_headers;
    layout.class_base = metadata_;
    layout.class_shift = kind_.compact_headers ? 6 : 3;
    layout.mark_class_shift = 42;
    layout.header_class = 8;
    layout.array_length = kind_.compact_headers ? 8 : layout.narrow_classes ? 12 : 16;
    layout.layout_helper = 8;
    layout.vtable_length = 12;
    layout.class_mirror = 16;
    layout.mirror_by_handle = kind_.mirror_by_handle;
    layout.itable_length = 24;
    layout.reference_map_length = 28;
    layout.class_pool = 32;
    layout.instance_class_bytes = kKlassBytes;
    layout.mirror_class = 32;
    layout.mirror_words = 40;
    layout.mirror_static_count = 44;
    layout.static_field_offset = 16;
    layout.pool_cached = kind_.pool_cached;
    layout.pool_tags = 0;
    layout.pool_cache = 8;
    layout.pool_classes = 16;
    layout.pool_length = 24;
    layout.pool_bytes = kPoolBytes;
    layout.references = kind_.pool_cached ? 8 : 32;
    layout.reference_map = kind_.pool_cached ? 16 : 40;
    layout.array_u1_data = 4;
    layout.array_u2_data = 4;
    layout.array_class_data = 8;
  }

  std::int32_t array_helper(std::uint32_t kind, std::uint32_t shift) const {
    return static_cast<std::int32_t>(kind << 30 | array_header() << 16 | shift);
  }
  void add_known_types() {
    const std::uint32_t wide = step();
    add_type({.name = "java.lang.Object", .superclass = -1, .builtin = true});
    add_type({.name = "java.lang.Class",
              .bytes = 48,
              .fields = {{"classLoader", kFirstField}},
              .maps = {{kFirstField, 2}},
              .builtin = true});
    add_type({.name = "java.lang.ref.Reference",
              .bytes = 32,
              .fields = {{"referent", kFirstField}, {"next", kFirstField + wide}},
              .builtin = true});
    add_type({.name = "java.lang.ref.WeakReference",
              .superclass = kReference,
              .bytes = 32,
              .referent = Strength::kWeak,
              .builtin = true});
    add_type({.name = "java.lang.Object[]",
              .helper = array_helper(2, wide == 4 ? 2 : 3),
              .builtin = true});
    add_type({.name = "byte[]", .helper = array_helper(3, 0), .builtin = true});
    add_type({.name = "jdk.internal.vm.StackChunk",
              .bytes = kChunkBytes,
              .fields = {{"size", kChunkSize}, {"sp", kChunkTop}, {"parent", 24}},
              .maps = {{24, 1}},
              .builtin = true});
    add_type({.name = "java.security.ProtectionDomain", .builtin = true});
  }
  void make_mirror(std::uint32_t type) {
    const std::uint64_t bytes = types_[kClass].bytes + std::uint64_t{types_[type].statics} * step();
    const Address mirror = new_object(kClass, bytes);
    mirrors_[type] = mirror;
    put<Address>(mirror + layout.mirror_class, classes_[type]);
    put<std::uint32_t>(mirror + layout.mirror_words, static_cast<std::uint32_t>((bytes + 7) / 8));
    put<std::uint32_t>(mirror + layout.mirror_static_count, types_[type].statics);
    put<Address>(classes_[type] + layout.class_mirror,
                 kind_.mirror_by_handle ? handle(mirror) : mirror);
  }
  void set_strings(Address mirror, Address holder, const std::vector<std::uint32_t>& entries,
                   const std::vector<FakeConstant>& constants) {
    const auto count = static_cast<std::uint32_t>(entries.size());
    const Address array = new_array(kObjects, count + 1);  // and one of a call site
    const Address map = metadata(4 + count * 2);
    put<std::uint32_t>(map, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      put<std::uint16_t>(map + layout.array_u2_data + i * 2,
                         static_cast<std::uint16_t>(entries[i]));
      const Address text = constants[entries[i] - 1].value;
      if (text == 0) continue;  // not resolved yet
      link_element(array, i, text);
      note_edge(mirror, text, special(SpecialRef::kConstantPool));
    }
    put<Address>(holder + layout.references, handle(array));
    put<Address>(holder + layout.reference_map, map);
    note_edge(mirror, array, special(SpecialRef::kConstantPool));
    pool_array = array;
  }

 public:
  Address pool_array = 0;  // of the last set_pool()

 private:
  FakeHeapKind kind_;
  Address metadata_ = 0, heap_ = 0, next_metadata_ = 0, next_object_ = 0;
  std::vector<FakeType> types_;
  std::vector<Address> classes_, mirrors_;
  std::map<Address, Made> objects_;
  std::map<Address, std::vector<FakeEdge>> edges_;
};

}  // namespace holdfast::jvmti
