#include "jvmti/fake_vm.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

#include "jvmti/fake_vm_tables.h"

namespace holdfast::jvmti {

FakeVm::FakeVm() : table_(std::make_unique<FakeVmTable>()) {
  table_->functions = &fake_vm_table();
  table_->vm = this;
  object_class = 0;
  class_class = 1;
  add_class("Ljava/lang/Object;", -1);
  add_class("Ljava/lang/Class;", 0, {"name", "module"});
  loader_class = add_class("Ljava/lang/ClassLoader;", 0, {"parent", "name", "classes"});
  thread_class = add_class("Ljava/lang/Thread;", 0, {"name", "tid"});
  string_class = add_class("Ljava/lang/String;", 0, {"value"});
  reference_class = add_class("Ljava/lang/ref/Reference;", 0, {"queue", "referent", "next"});
  const int reference = static_cast<int>(reference_class);
  soft_class = add_class("Ljava/lang/ref/SoftReference;", reference, {"clock"});
  weak_class = add_class("Ljava/lang/ref/WeakReference;", reference);
  final_class = add_class("Ljava/lang/ref/FinalReference;", reference);
  phantom_class = add_class("Ljava/lang/ref/PhantomReference;", reference);
  runtime_class = add_class("Ljava/lang/Runtime;", 0);
  runtime_object = add_object(runtime_class);
  properties = {{"java.vm.name", "Fake VM"},
                {"java.vm.version", "1"},
                {"java.vm.vendor", "Tests"},
                {"sun.java.command", "shop.Main --port 80"}};
}

FakeVm::~FakeVm() = default;

std::uint32_t FakeVm::add_class(std::string signature, int superclass,
                                std::vector<std::string> fields,
                                std::vector<std::uint32_t> interfaces, int loader) {
  FakeClass c;
  c.signature = std::move(signature);
  c.superclass = superclass;
  c.fields = std::move(fields);
  c.interfaces = std::move(interfaces);
  c.loader = loader;
  c.mirror = add_object(class_class, 96);
  objects[c.mirror].mirror_of = static_cast<int>(classes.size());
  classes.push_back(std::move(c));
  return static_cast<std::uint32_t>(classes.size() - 1);
}
std::uint32_t FakeVm::add_object(std::uint32_t type, jlong bytes) {
  objects.push_back(FakeObject{type, bytes, {}, -1});
  return static_cast<std::uint32_t>(objects.size() - 1);
}
std::uint32_t FakeVm::add_loader(std::uint32_t type, std::string name) {
  const std::uint32_t loader = add_object(type, 80);
  if (name.empty()) return loader;
  const std::uint32_t text = add_object(string_class, 24);
  strings[text] = std::move(name);
  loader_names[loader] = text;
  return loader;
}
std::uint32_t FakeVm::add_thread(std::string name, jlong id, bool daemon) {
  const std::uint32_t object = add_object(thread_class, 120);
  threads.push_back(FakeThread{object, std::move(name), id, daemon});
  return object;
}
std::uint32_t FakeVm::add_method(std::uint32_t type, std::string name) {
  methods.push_back(FakeMethod{type, std::move(name)});
  return static_cast<std::uint32_t>(methods.size() - 1);
}
void FakeVm::refer(std::uint32_t from, jvmtiHeapReferenceKind kind, jint index, std::uint32_t to) {
  objects[from].references.push_back(FakeReference{kind, index, to});
}
void FakeVm::set_field(std::uint32_t object, std::uint32_t declaring, std::string_view name,
                       std::uint32_t to) {
  refer(object, JVMTI_HEAP_REFERENCE_FIELD, field_index(objects[object].type, declaring, name), to);
}
void FakeVm::set_static(std::uint32_t type, std::string_view name, std::uint32_t to) {
  refer(classes[type].mirror, JVMTI_HEAP_REFERENCE_STATIC_FIELD, field_index(type, type, name), to);
}
std::uint32_t FakeVm::class_named(std::string_view signature) const {
  for (std::uint32_t c = 0; c < classes.size(); ++c)
    if (classes[c].signature == signature) return c;
  std::abort();
}

std::vector<std::uint64_t> FakeVm::addresses() const {
  std::vector<std::uint64_t> all{kHeapStart};
  for (const FakeObject& object : objects)
    all.push_back(all.back() + (static_cast<std::uint64_t>(object.bytes) + 7) / 8 * 8);
  return all;
}

// The specification's words: all superinterfaces of the class and of its superclasses, each once; then the chain from the top.
int FakeVm::field_total_of_interfaces(std::uint32_t type) const {
  std::set<std::uint32_t> all;
  std::function<void(std::uint32_t)> collect = [&](std::uint32_t c) {
    for (const std::uint32_t i : classes[c].interfaces)
      if (all.insert(i).second) collect(i);
  };
  for (int c = static_cast<int>(type); c >= 0; c = classes[static_cast<std::size_t>(c)].superclass)
    collect(static_cast<std::uint32_t>(c));
  int total = 0;
  for (const std::uint32_t i : all) total += static_cast<int>(classes[i].fields.size());
  return total;
}
jint FakeVm::field_index(std::uint32_t type, std::uint32_t declaring, std::string_view name) const {
  int index = field_total_of_interfaces(type);
  std::vector<std::uint32_t> chain;
  for (int c = static_cast<int>(type); c >= 0; c = classes[static_cast<std::size_t>(c)].superclass)
    chain.insert(chain.begin(), static_cast<std::uint32_t>(c));
  for (const std::uint32_t c : chain) {
    for (const std::string& field : classes[c].fields) {
      if (c == declaring && field == name) return index;
      ++index;
    }
  }
  std::abort();
}

void FakeVm::fail(std::string call, jint error, int from_use) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  faults_[std::move(call)] = Fault{error, from_use, 0};
}
void FakeVm::forgive() {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  faults_.clear();
}
bool FakeVm::fails(const char* call, jint& error) {
  if (faults_.empty()) return false;
  const auto found = faults_.find(call);
  if (found == faults_.end() || found->second.uses++ < found->second.from_use) return false;
  error = found->second.error;
  return true;
}
int FakeVm::environments() const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  return static_cast<int>(std::count_if(environments_.begin(), environments_.end(),
                                        [](const auto& env) { return !env->disposed; }));
}

// Those who listen, copied, so that callbacks run without the lock.
std::vector<FakeEnvironment*> FakeVm::listeners(jvmtiEvent event) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  std::vector<FakeEnvironment*> out;
  for (const auto& env : environments_)
    if (!env->disposed && env->enabled.count(event) != 0) out.push_back(env.get());
  return out;
}

JavaVM& FakeVm::vm() { return *table_; }
void FakeVm::init() {
  phase = JVMTI_PHASE_LIVE;
  for (FakeEnvironment* env : listeners(JVMTI_EVENT_VM_INIT))
    env->callbacks.VMInit(env, nullptr, nullptr);
}
void FakeVm::data_dump_request() {
  for (FakeEnvironment* env : listeners(JVMTI_EVENT_DATA_DUMP_REQUEST))
    env->callbacks.DataDumpRequest(env);
}
void FakeVm::resource_exhausted(jint flags, JNIEnv* jni) {
  for (FakeEnvironment* env : listeners(JVMTI_EVENT_RESOURCE_EXHAUSTED))
    env->callbacks.ResourceExhausted(env, jni, flags, nullptr, "fake exhaustion");
}
int FakeVm::garbage_collection_finish() {
  const std::vector<FakeEnvironment*> all = listeners(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
  for (FakeEnvironment* env : all) env->callbacks.GarbageCollectionFinish(env);
  return static_cast<int>(all.size());
}
void FakeVm::death() {
  for (FakeEnvironment* env : listeners(JVMTI_EVENT_VM_DEATH)) env->callbacks.VMDeath(env, nullptr);
  phase = JVMTI_PHASE_DEAD;
}

}  // namespace holdfast::jvmti
