// What a freeze would know of a fake heap: catalog, handles, field ids, roots, and memory for the reader; and the graph it must find.
// Zone:   offline.   Errors: what is refused ends the process, but for the reader's own.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "jvmti/hotspot/fake_heap.h"

namespace holdfast::jvmti {

class FakePicture {
 public:
  static constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;

  explicit FakePicture(FakeHeap& heap, std::uint64_t memory_bytes = kMemory)
      : heap_(heap), ledger_(memory_bytes) {
    if (!reservation_.open(CaptureMemory::address_space_bytes(memory_bytes)) ||
        !memory.open(reservation_, ledger_) || !memory.begin_dump())
      std::abort();
    picture.layout = &heap.layout;
    picture.catalog.heap = &catalog;
    commit_roots();
    describe_classes();
    describe_relations();
  }
  FakePicture(const FakePicture&) = delete;
  FakePicture& operator=(const FakePicture&) = delete;
  ~FakePicture() { memory.end_dump(); }

  CaptureMemory memory;
  HeapCatalog catalog;
  FrozenPicture picture;
  Ledger& ledger() { return ledger_; }

  ClassId class_id(std::uint32_t type) const { return ids_[type]; }
  std::uint32_t slot(std::uint32_t type, std::uint32_t field) const {
    return catalog.catalog.classes[ids_[type].value].chain_offset + field;
  }
  void add_root(Address object, RootKind kind = RootKind::kJniGlobal, ThreadId thread = {}) {
    RawRoot root;
    root.kind = kind;
    root.thread = thread;
    if (!picture.roots.push(root) || !picture.addresses.push(object)) std::abort();
  }

  // -- the oracle --

  // All that one object holds, sorted.
  std::vector<FakeEdge> row_of(Address object) {
    std::vector<FakeEdge> row = heap_.edges(object);
    const std::uint32_t type = heap_.objects().at(object).type;
    if (!ids_[type].valid()) row.emplace_back(heap_.mirror(type), kind_bits(SpecialRef::kClass));
    if (type == FakeHeap::kClass) add_relatives(object, row);
    std::sort(row.begin(), row.end());
    return row;
  }
  // What the roots reach, by address: what the snapshot must be.
  std::map<Address, std::vector<FakeEdge>> reachable(std::vector<Address> pending) {
    std::map<Address, std::vector<FakeEdge>> found;
    while (!pending.empty()) {
      const Address object = pending.back();
      pending.pop_back();
      if (found.count(object) != 0) continue;
      const std::vector<FakeEdge>& row = found[object] = row_of(object);
      for (const FakeEdge& edge : row) pending.push_back(edge.first);
      pending.push_back(heap_.mirror(heap_.objects().at(object).type));
    }
    return found;
  }

 private:
  static std::uint16_t kind_bits(SpecialRef kind) { return special(kind).bits; }

  void add_relatives(Address mirror, std::vector<FakeEdge>& row) {
    for (std::uint32_t t = 0; t < heap_.type_count(); ++t) {
      if (heap_.mirror(t) != mirror || !ids_[t].valid()) continue;
      const FakeType& type = heap_.type(t);
      if (type.helper != 0) continue;  // arrays hold nothing but themselves
      if (type.superclass > 0 &&
          heap_.type(static_cast<std::uint32_t>(type.superclass)).superclass >= 0)
        row.emplace_back(heap_.mirror(static_cast<std::uint32_t>(type.superclass)),
                         kind_bits(SpecialRef::kSuperclass));
      for (const std::uint32_t interface : type.interfaces)
        row.emplace_back(heap_.mirror(interface), kind_bits(SpecialRef::kInterface));
    }
  }
  void commit_roots() {
    auto roots = memory.commit_column(kRootColumn);
    auto addresses = memory.commit_column(kRowOwnerColumn);
    if (!roots || !addresses) std::abort();
    picture.roots =
        Column<RawRoot>(reinterpret_cast<RawRoot*>(*roots),
                        memory.column_bytes(kRootColumn) / sizeof(RawRoot), memory.budget());
    picture.addresses =
        Column<Address>(reinterpret_cast<Address*>(*addresses),
                        memory.column_bytes(kRowOwnerColumn) / sizeof(Address), memory.budget());
  }
  void describe_classes() {
    auto strings = StringTable::make(memory.catalog_arena(), 1000, 32'000);
    if (!strings) std::abort();
    catalog.catalog.strings = *strings;
    for (std::uint32_t t = 0; t < heap_.type_count(); ++t) {
      const FakeType& type = heap_.type(t);
      ids_.push_back(type.listed ? ClassId{static_cast<std::uint32_t>(rows_.size())} : ClassId{});
      if (type.listed) add_row(type, heap_.mirror(t));
    }
    catalog.catalog.classes = rows_;
    catalog.catalog.fields = fields_;
    catalog.catalog.loaders = loaders_;
    catalog.referents = rules_;
    catalog.class_class = ids_[FakeHeap::kClass];
    catalog.reference_class = ids_[FakeHeap::kReference];
    catalog.protection_domain_class = ids_[FakeHeap::kDomain];
    catalog.object_array_class = ids_[FakeHeap::kObjects];
    catalog.stack_chunk_class = ids_[FakeHeap::kChunk];
    picture.catalog.classes = handles_;
    picture.catalog.field_ids = field_ids_;
    picture.catalog.loaders = loader_handles_;
  }
  void add_row(const FakeType& type, Address mirror) {
    ClassRow row;
    row.name = catalog.catalog.strings.intern(type.name);
    row.loader = LoaderId{type.builtin ? 0u : 1u};
    row.referent = type.referent;
    row.first_field = static_cast<std::uint32_t>(fields_.size());
    row.field_count = static_cast<std::uint32_t>(type.fields.size());
    if (type.superclass >= 0) {
      row.superclass = ids_[static_cast<std::uint32_t>(type.superclass)];
      const ClassRow& above = rows_[row.superclass.value];
      row.chain_offset = above.chain_offset + above.field_count;
    }
    for (const FakeField& field : type.fields) {
      fields_.push_back(catalog.catalog.strings.intern(field.name));
      field_ids_.push_back(field.is_static ? static_id(field.offset)
                                           : Address{field.offset} << 2 | 2);
    }
    java::ReferentRule rule;
    if (type.referent != Strength::kStrong)
      rule = java::ReferentRule{rows_[FakeHeap::kReference].chain_offset,
                                referent_label(type.referent)};
    rules_.push_back(rule);
    rows_.push_back(row);
    handles_.push_back(heap_.handle(mirror) | 1);  // handles have tags
  }
  Address static_id(std::uint32_t offset) {
    const Address id = heap_.metadata(32);
    FakeHeap::put<std::uint32_t>(id + heap_.layout.static_field_offset, offset);
    return id;
  }
  void describe_relations() {
    for (std::uint32_t t = 0; t < heap_.type_count(); ++t) {
      if (!heap_.type(t).listed) continue;
      first_interface_.push_back(static_cast<std::uint32_t>(interfaces_.size()));
      for (const std::uint32_t interface : heap_.type(t).interfaces)
        interfaces_.push_back(ids_[interface].value);
    }
    first_interface_.push_back(static_cast<std::uint32_t>(interfaces_.size()));
    catalog.memory.first_interface = first_interface_;
    catalog.memory.interfaces = interfaces_;
  }

  FakeHeap& heap_;
  Ledger ledger_;
  Reservation reservation_;
  std::vector<ClassId> ids_;
  std::vector<ClassRow> rows_;
  std::vector<LoaderRow> loaders_{LoaderRow{StringId{0}, ObjectId{}, true}, LoaderRow{}};
  std::vector<Address> loader_handles_{0, 0};
  std::vector<StringId> fields_;
  std::vector<Address> field_ids_, handles_;
  std::vector<java::ReferentRule> rules_;
  std::vector<std::uint32_t> first_interface_, interfaces_;
};

}  // namespace holdfast::jvmti
