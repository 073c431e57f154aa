// A VM of JVMPI for tests: a heap that the test builds, the interface's functions over it, and faults on demand.
// Why: an old VM cannot be installed, and what a VM does wrong cannot be asked of a real one.
// Shape:  one lives at a time: JVMPI's functions take no context. It has version 1.0 of the interface, until tell_ids(). Ids are addresses of
//         the fake's own making, never dereferenced, and references of a fake Java are ids. Texts and
//         buffers are overwritten when an event is over, so whoever keeps a pointer reads rubbish. broken_rules counts what
//         the interface forbids: ids while collections run, requests inside an object dump.
// Zone:   tests.   Errors: those that the test asked for.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "jvmpi/abi/jvmpi.h"
#include "jvmpi/records/fake_dump.h"

namespace holdfast::jvmpi {

struct FakeField {
  std::string name;
  std::string signature;
  std::uint64_t value = 0;  // of a static one
};

struct FakeClass {
  VmId id = 0;
  std::string name;
  VmId super = 0;
  VmId loader = 0;
  VmId signers = 0;
  VmId domain = 0;
  VmId name_string = 0;
  std::vector<VmId> interfaces;
  std::vector<VmId> constants;
  std::vector<FakeField> statics;
  std::vector<FakeField> instances;
  std::vector<std::string> methods;  // method m of it has the handle method_of(m)
  std::uint32_t bytes = 96;          // of the class object
  jmethodID method_of(std::size_t m) const {
    return reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(id + 1 + m));
  }
};

struct FakeObject {
  VmId id = 0;
  RecordTag tag = RecordTag::kInstance;
  VmId class_id = 0;  // of an array of references: as told, see array_class()
  ValueType element = ValueType::kUnknown;
  std::uint32_t length = 0;
  std::vector<std::uint64_t> values;  // of fields, own class first; of elements
  std::uint32_t bytes = 16;
};

struct FakeRoot {
  RecordTag tag = RecordTag::kUnknownRoot;
  VmId object = 0;
  VmId thread = 0;
  std::uint32_t depth = HeapRecord::kNoDepth;
};

struct FakeThread {
  VmId env = 0;
  VmId object = 0;
  std::string name;
  std::vector<jmethodID> frames;
};

class FakeVm {
 public:
  FakeVm();
  ~FakeVm();
  FakeVm(const FakeVm&) = delete;
  FakeVm& operator=(const FakeVm&) = delete;

  JVMPI_Interface interface {};

  // -- the heap --
  FakeClass& add_class(const std::string& name, VmId super);
  FakeObject& add_instance(VmId class_id, std::vector<std::uint64_t> values);
  FakeObject& add_object_array(VmId told_class, std::vector<std::uint64_t> elements);
  FakeObject& add_primitive_array(ValueType element, std::uint32_t length);
  FakeClass& class_named(const std::string& name);
  // From now on it has version 1.1, where a reference tells its id; as CVM, it does not say so itself.
  void tell_ids();
  // As CVM has them: shown as classes, and not to be asked for as such.
  std::set<VmId> primitive_classes;
  // From now on arrays of the first class are told with the second, as JRockit has it.
  void tell_arrays_with_own_class(const std::map<VmId, VmId>& own);
  std::vector<VmId> all_ids() const;
  std::vector<FakeRoot> roots;
  std::vector<FakeThread> threads;

  // -- faults --
  std::set<int> refused_levels;
  std::set<int> silent_levels;   // go well, and no event comes
  std::set<VmId> refused_loads;  // CLASS_LOAD
  std::set<VmId> refused_dumps;  // OBJECT_DUMP
  std::set<VmId> refused_sizes;  // OBJECT_ALLOC
  std::set<VmId> unlisted;       // in no heap dump
  std::set<VmId> hidden_fields;  // CLASS_LOAD of these classes has not the last of them
  std::set<VmId> garbage_dumps;  // OBJECT_DUMP shows rubbish
  bool tails_unwritten = false;  // and rubbish for the last value of what it shows
  bool twice = false;
  int length_lie = 0;                     // data_len of an object dump; 0: the truth
  std::size_t cut_bytes = 0;              // from the end of a heap dump
  std::size_t unknown_tag_at = SIZE_MAX;  // record number
  bool lists_twice = false;
  std::function<void()> while_listing;   // inside each HEAP_DUMP of level 0
  std::vector<std::byte> forged_dump;    // not empty: what heap dumps of levels 1 and 2 are
  std::vector<std::byte> forged_object;  // likewise object dumps

  // -- what was asked --
  std::map<jint, int> asked;  // by event
  int broken_rules = 0;
  int strangers = 0;        // ids that this VM never told
  int calls_when_gone = 0;  // after shut_down() has come back
  int gc_off = 0;
  int collections = 0;
  // The calling thread runs the code under test, with GC off.
  static inline thread_local bool ours = false;
  // It is one that this VM has made.
  static inline thread_local bool made_by_vm = false;

  // -- what it does by itself --
  bool refuses_threads = false;
  std::set<jint> enabled;
  std::set<jint> refused_events;
  void tell(EventType event);
  void shut_down();
  void join_threads();

 private:
  static FakeVm* current;
  static jint request(jint type, void* argument);
  jint answer(jint type, void* argument);
  jint tell_class(VmId id);
  jint tell_object(VmId id);
  jint tell_size(VmId id);
  jint tell_thread(VmId id);
  jint tell_heap(jint level);
  void note_call();
  void deliver(JVMPI_Event& event);
  void write(FakeDump& out, const FakeClass& of, bool all);
  void write(FakeDump& out, const FakeObject& of, bool all);
  void value(FakeDump& out, char letter, std::uint64_t value, bool all);
  std::vector<const FakeField*> fields_of(VmId class_id) const;
  const FakeClass* find_class(VmId id) const;
  const FakeObject* find_object(VmId id) const;
  VmId next_id();

  std::deque<FakeClass> classes_;  // references stay good
  std::deque<FakeObject> objects_;
  std::unordered_map<VmId, FakeClass*> class_of_id_;
  std::unordered_map<VmId, FakeObject*> object_of_id_;
  FakeObject& keep(FakeObject made);
  VmId next_ = 0x10000;
  int inside_object_dump_ = 0;
  std::vector<std::thread> made_;
  bool gone_ = false;
};

}  // namespace holdfast::jvmpi
