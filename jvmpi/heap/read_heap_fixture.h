// A fake VM, requests to it, memory for a dump, and what a reading of its heap came to, as lines that can be compared.
// Shape:  lines_of(): sorted "class NAME LOADER COUNT BYTES", "ref CLASS.FIELD CLASS", "root KIND CLASS THREAD DEPTH METHOD".   Zone: tests.   Errors: what does not work fails the test.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "jvmpi/fake_vm.h"
#include "jvmpi/heap/heap_count.h"
#include "jvmpi/heap/heap_reading.h"

namespace holdfast::jvmpi {

struct ReadHeap {
  static constexpr std::uint64_t kMemory = std::uint64_t{16} << 20;

  FakeVm vm;
  VmRequests requests;
  Ledger ledger;
  Reservation reservation;
  CaptureMemory memory;

  explicit ReadHeap(std::uint64_t memory_bytes = kMemory) : ledger(memory_bytes) {
    REQUIRE(reservation.open(CaptureMemory::address_space_bytes(memory_bytes)).ok());
    REQUIRE(memory.open(reservation, ledger).ok());
    heard = &requests;
    vm.interface.NotifyEvent = [](JVMPI_Event* event) { heard->deliver(*event); };
    requests.open(vm.interface);
  }
  ~ReadHeap() { memory.end_dump(); }

  static inline VmRequests* heard = nullptr;
};

inline std::string field_text(const Snapshot& s, ObjectId from, RefLabel label) {
  const ClassId of = s.class_of[from.value];
  if (label.is_element()) return "[" + std::to_string(label.index()) + "]";
  if (label.is_special()) return "special " + std::to_string(label.index());
  if (label.is_instance_field()) return std::string(s.catalog.field_name(of, label.index()));
  for (std::uint32_t c = 0; c < s.catalog.class_count(); ++c)
    if (s.catalog.classes[c].mirror == from)
      return "static " + std::string(s.catalog.class_name(ClassId{c})) + "." +
             std::string(s.catalog.field_name(ClassId{c}, label.index()));
  return "static ?";
}

inline std::string class_text(const Snapshot& s, ObjectId v) {
  const ClassId of = s.class_of[v.value];
  return of.valid() ? std::string(s.catalog.class_name(of)) : "?";
}

inline std::vector<std::string> lines_of(const Snapshot& s) {
  std::vector<std::string> lines;
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> counts;
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    auto& count = counts[s.class_of[v].value];
    ++count.first;
    count.second += s.shallow_bytes(ObjectId{v});
    for (std::uint32_t i = s.first_ref[v]; i < s.first_ref[v + 1]; ++i)
      lines.push_back("ref " + class_text(s, ObjectId{v}) + "." +
                      field_text(s, ObjectId{v}, s.label[i]) + " " + class_text(s, s.target[i]));
  }
  for (const auto& [number, count] : counts) {
    const bool known = number < s.catalog.class_count();
    const std::string name = known ? std::string(s.catalog.class_name(ClassId{number})) : "?";
    const std::string loader =
        known ? std::string(s.catalog.strings.view(
                    s.catalog.loaders[s.catalog.classes[number].loader.value].name))
              : "?";
    lines.push_back("class " + name + " " + loader + " " + std::to_string(count.first) + " " +
                    std::to_string(count.second));
  }
  for (const RootRecord& root : s.roots) {
    std::string line =
        "root " + std::string(root_kind_name(root.kind)) + " " + class_text(s, root.object);
    if (root.thread.valid())
      line += " " + std::string(s.catalog.strings.view(s.catalog.threads[root.thread.value].name)) +
              " " + std::to_string(root.depth);
    if (root.method.valid()) {
      const MethodRow& method = s.catalog.methods[root.method.value];
      line += " " + std::string(s.catalog.strings.view(method.class_name)) + "." +
              std::string(s.catalog.strings.view(method.name));
    }
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// `objects` of a few classes that refer to each other at random.
inline void fill_at_random(FakeVm& vm, std::uint32_t objects) {
  const VmId object = vm.add_class("java.lang.Object", 0).id;
  vm.add_class("java.lang.Class", object);
  std::vector<VmId> classes;
  for (int c = 0; c < 200; ++c) {
    FakeClass& made = vm.add_class("shop.Class" + std::to_string(c), object);
    for (int f = 0; f < c % 5; ++f)
      made.instances.push_back(
          {"field" + std::to_string(f), f % 2 == 0 ? "Ljava/lang/Object;" : "I"});
    classes.push_back(made.id);
  }
  std::mt19937 random(42);
  std::vector<VmId> ids;
  for (std::uint32_t i = 0; i < objects; ++i) {
    std::vector<std::uint64_t> values(5);
    for (std::uint64_t& value : values) value = ids.empty() ? 0 : ids[random() % ids.size()];
    ids.push_back(i % 7 == 0 ? vm.add_object_array(classes[i % 200], values).id
                             : vm.add_instance(classes[i % 200], values).id);
  }
  for (std::uint32_t i = 0; i < objects; i += 100)
    vm.roots.push_back({RecordTag::kJniGlobal, ids[i]});
}

}  // namespace holdfast::jvmpi
