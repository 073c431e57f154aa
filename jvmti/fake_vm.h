// A Java VM of a few hundred lines, for tests: a real jvmtiEnv, JNIEnv and JavaVM function table over a scripted heap.
// Why: the adapter's own code runs whole, under sanitizers that cannot live inside a real VM, with heaps and faults made to order.
// Shape:  objects, classes, threads, loaders and methods by index; a handle is index + 1. Walks report as HotSpot does: roots,
//         then each visited object's references contiguously, its class first. Unused entries of the tables abort.
//         What real VMs count is counted: local references, memory to deallocate, environments.
// Zone:   offline; one lock, so that the engine's threads may call while a test fires events.
// Errors: fail() makes a call answer an error, from its n-th use on.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::jvmti {

struct FakeReference {
  jvmtiHeapReferenceKind kind;
  jint index;
  std::uint32_t target;
};

struct FakeObject {
  std::uint32_t type = 0;
  jlong bytes = 16;
  std::vector<FakeReference> references;
  int mirror_of = -1;  // class objects: which class
};

struct FakeClass {
  std::string signature;
  int superclass = -1;
  std::vector<std::uint32_t> interfaces;
  std::vector<std::string> fields;
  std::uint32_t mirror = 0;
  int loader = -1;  // an object, -1: boot
  bool interface = false;
  bool prepared = true;
  bool listed = true;  // false: loaded after GetLoadedClasses
};

struct FakeRoot {
  jvmtiHeapReferenceKind kind;
  std::uint32_t object;
  int thread = -1;  // an object
  jint depth = 0;
  int method = -1;
  jint slot = 0;
  jlocation location = 0;
};

struct FakeThread {
  std::uint32_t object;
  std::string name;
  jlong id;
  bool daemon;
};

struct FakeMethod {
  std::uint32_t type;
  std::string name;
  bool native = false;
};

enum class FakeLie : std::uint8_t { kSize, kOutside, kMisaligned, kReferrer };

struct FakeEnvironment;
struct FakeJni;
struct FakeVmTable;

class FakeVm {
 public:
  FakeVm();
  ~FakeVm();
  FakeVm(const FakeVm&) = delete;
  FakeVm& operator=(const FakeVm&) = delete;

  // -- making a heap --
  std::uint32_t add_class(std::string signature, int superclass = 0,
                          std::vector<std::string> fields = {},
                          std::vector<std::uint32_t> interfaces = {}, int loader = -1);
  std::uint32_t add_object(std::uint32_t type, jlong bytes = 16);
  std::uint32_t add_loader(std::uint32_t type, std::string name = "");
  std::uint32_t add_thread(std::string name, jlong id, bool daemon = false);
  std::uint32_t add_method(std::uint32_t type, std::string name);
  void refer(std::uint32_t from, jvmtiHeapReferenceKind kind, jint index, std::uint32_t to);
  // The field `name` that class `declaring` declares, by JVMTI's index rule as the specification words it (slowly).
  void set_field(std::uint32_t object, std::uint32_t declaring, std::string_view name,
                 std::uint32_t to);
  void set_static(std::uint32_t type, std::string_view name, std::uint32_t to);
  void add_root(FakeRoot root) { roots.push_back(root); }
  std::uint32_t class_named(std::string_view signature) const;
  // Objects lie one behind the other, from kHeapStart on.
  static constexpr std::uint64_t kHeapStart = 0x7'0000'0000;
  std::vector<std::uint64_t> addresses() const;  // [objects + 1], the last is the heap's end
  jint field_index(std::uint32_t type, std::uint32_t declaring, std::string_view name) const;

  // -- faults --
  void fail(std::string call, jint error, int from_use = 0);
  void forgive();

  // -- the VM's own acts --
  JavaVM& vm();
  void init();  // phase live, VMInit
  void data_dump_request();
  void resource_exhausted(jint flags, JNIEnv* jni = nullptr);
  int garbage_collection_finish();  // how many listened
  void death();                     // VMDeath, phase dead
  // `thread` has allocated `object`, with `stack` below it, and the VM takes it for a sample. How many listened.
  int sample(JNIEnv& jni, std::uint32_t thread, std::uint32_t object);
  void collect(std::uint32_t object);  // the object dies

  std::vector<FakeObject> objects;
  std::vector<FakeClass> classes;
  std::vector<FakeRoot> roots;
  std::vector<FakeThread> threads;
  std::vector<FakeMethod> methods;
  std::map<std::string, std::string> properties;
  std::map<std::uint32_t, std::string> strings;         // java.lang.String objects
  std::map<std::uint32_t, std::uint32_t> loader_names;  // loader -> string
  jlong heap_used = 1 << 20;
  jvmtiPhase phase = JVMTI_PHASE_ONLOAD;
  bool grants_exhaustion = true;
  // Sampling belongs to one environment at a time, of this VM or, by a test's hand, to somebody else.
  const void* sampling_owner = nullptr;
  jint sampling_interval = -1;
  bool tells_deaths = true;
  jint newest_tool_version = JVMTI_VERSION_11;
  std::vector<std::uint32_t> stack;  // methods, the top first
  int stack_calls = 0;
  // What fields of objects hold, by name; "getProtectionDomain0" is what the method of that name answers.
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> object_fields;
  bool native_domains = true;                     // the class has that method
  std::function<void(JNIEnv* jni)> on_java_call;  // inside it
  std::function<void()> on_stop;  // while "the VM is stopped", before the first callback
  // What stands in front of a tag: an object's address and size, as in HotSpot, or something else.
  bool shows_addresses = false;
  // In the n-th callback of a walk, from 0 on: the agent may have to notice.
  std::map<int, FakeLie> lies;

  // -- what must be zero when nothing runs --
  int local_references = 0;
  int global_references = 0;
  int memory_blocks = 0;
  int environments() const;
  int local_references_at_stop = -1;  // at the last walk
  int walks = 0;
  int tagged_while_stopped = 0;  // objects, in the last walk
  int callbacks = 0;             // in the last walk along references

  // Well-known classes.
  std::uint32_t object_class, class_class, loader_class, thread_class, string_class,
      reference_class, soft_class, weak_class, final_class, phantom_class, runtime_class;
  std::uint32_t runtime_object;

 private:
  friend struct FakeCalls;
  friend struct FakeWalks;
  friend struct FakeAllocations;
  bool fails(const char* call, jint& error);
  std::vector<FakeEnvironment*> listeners(jvmtiEvent event) const;
  int field_total_of_interfaces(std::uint32_t type) const;

  struct Fault {
    jint error;
    int from_use;
    int uses;
  };
  std::map<std::string, Fault> faults_;
  std::vector<std::unique_ptr<FakeEnvironment>> environments_;
  std::vector<std::unique_ptr<FakeJni>> jnis_;
  std::unique_ptr<FakeVmTable> table_;
  std::vector<int> frames_;
  std::vector<std::string> field_names_;  // by their ids
  mutable std::recursive_mutex mutex_;
};

// Set by the fake while a heap callback runs; stopped_allocations_test.cpp counts allocations made meanwhile.
extern thread_local bool in_stopped_zone;

}  // namespace holdfast::jvmti
