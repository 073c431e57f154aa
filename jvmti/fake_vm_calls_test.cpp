// The functions behind the fake VM's tables: what a real VM would answer, as far as the adapter asks.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "jvmti/fake_vm_tables.h"

namespace holdfast::jvmti {

thread_local bool in_stopped_zone = false;

namespace {

void unexpected_call() {
  std::fprintf(stderr, "fake VM: a function was called that it does not have\n");
  std::abort();
}

template <class Table>
void fill_with_traps(Table& table) {
  void (*trap)() = &unexpected_call;
  for (std::size_t at = 0; at + sizeof trap <= sizeof table; at += sizeof trap)
    std::memcpy(reinterpret_cast<char*>(&table) + at, &trap, sizeof trap);
}

FakeEnvironment& self(jvmtiEnv* env) { return *static_cast<FakeEnvironment*>(env); }
FakeJni& self(JNIEnv* jni) { return *static_cast<FakeJni*>(jni); }

jobject handle_of(std::uint32_t object) {
  return reinterpret_cast<jobject>((std::uintptr_t{object} + 1) << 4);
}
std::uint32_t object_of(jobject handle) {
  return static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(handle) >> 4) - 1);
}

enum FakeId : std::uintptr_t { kGetRuntime = 1, kTotal, kFree, kMax, kLoaderName, kThreadId };

}  // namespace

// The functions behind the tables; a friend of FakeVm.
struct FakeCalls {
  using Lock = std::lock_guard<std::recursive_mutex>;

#define HF_FAKE(env, name)    \
  FakeVm& vm = *self(env).vm; \
  const Lock lock(vm.mutex_); \
  if (jint error = 0; vm.fails(name, error)) return static_cast<jvmtiError>(error)

  static jobject local(FakeVm& vm, std::uint32_t object) {
    return ++vm.local_references, handle_of(object);
  }

  template <class T>
  static T* memory(FakeVm& vm, std::size_t count) {
    ++vm.memory_blocks;
    return static_cast<T*>(std::malloc(std::max<std::size_t>(count * sizeof(T), 1)));
  }
  static char* text(FakeVm& vm, const std::string& from) {
    char* out = memory<char>(vm, from.size() + 1);
    std::memcpy(out, from.c_str(), from.size() + 1);
    return out;
  }
  static int class_of_mirror(FakeVm& vm, jobject mirror) {
    const int type = vm.objects.at(object_of(mirror)).mirror_of;
    if (type < 0) std::abort();
    return type;
  }

  // -- jvmtiEnv --
  static jvmtiError JNICALL deallocate(jvmtiEnv* env, unsigned char* block) {
    const Lock lock(self(env).vm->mutex_);
    if (block == nullptr) return JVMTI_ERROR_NONE;
    --self(env).vm->memory_blocks;
    std::free(block);
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL dispose(jvmtiEnv* env) {
    const Lock lock(self(env).vm->mutex_);
    if (self(env).disposed) std::abort();
    self(env).disposed = true;
    self(env).tags.clear();
    self(env).enabled.clear();
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL potential_capabilities(jvmtiEnv* env, jvmtiCapabilities* out) {
    HF_FAKE(env, "GetPotentialCapabilities");
    *out = {};
    out->can_tag_objects = 1;
    out->can_generate_resource_exhaustion_heap_events = vm.grants_exhaustion ? 1 : 0;
    out->can_generate_resource_exhaustion_threads_events = vm.grants_exhaustion ? 1 : 0;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL add_capabilities(jvmtiEnv* env, const jvmtiCapabilities* wanted) {
    HF_FAKE(env, "AddCapabilities");
    if (wanted->can_tag_objects != 0) self(env).can_tag = true;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL set_storage(jvmtiEnv* env, const void* data) {
    HF_FAKE(env, "SetEnvironmentLocalStorage");
    self(env).storage = const_cast<void*>(data);
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL get_storage(jvmtiEnv* env, void** data) {
    HF_FAKE(env, "GetEnvironmentLocalStorage");
    if (self(env).disposed) return JVMTI_ERROR_INVALID_ENVIRONMENT;
    *data = self(env).storage;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL set_callbacks(jvmtiEnv* env, const jvmtiEventCallbacks* callbacks,
                                          jint bytes) {
    HF_FAKE(env, "SetEventCallbacks");
    std::memcpy(&self(env).callbacks, callbacks, static_cast<std::size_t>(bytes));
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError set_notification(jvmtiEnv* env, jvmtiEventMode mode, jvmtiEvent event, jthread,
                                     ...) {
    HF_FAKE(env, "SetEventNotificationMode");
    if (mode == JVMTI_ENABLE) self(env).enabled.insert(event);
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL get_phase(jvmtiEnv* env, jvmtiPhase* out) {
    HF_FAKE(env, "GetPhase");
    *out = vm.phase;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL get_property(jvmtiEnv* env, const char* key, char** out) {
    HF_FAKE(env, "GetSystemProperty");
    const auto found = vm.properties.find(key);
    if (found == vm.properties.end()) return JVMTI_ERROR_NOT_AVAILABLE;
    *out = text(vm, found->second);
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL loaded_classes(jvmtiEnv* env, jint* count, jclass** out) {
    HF_FAKE(env, "GetLoadedClasses");
    std::vector<std::uint32_t> mirrors;
    for (const FakeClass& c : vm.classes)
      if (c.listed) mirrors.push_back(c.mirror);
    *count = static_cast<jint>(mirrors.size());
    *out = memory<jclass>(vm, mirrors.size());
    for (std::size_t i = 0; i < mirrors.size(); ++i)
      (*out)[i] = static_cast<jclass>(local(vm, mirrors[i]));
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL class_signature(jvmtiEnv* env, jclass type, char** signature, char**) {
    HF_FAKE(env, "GetClassSignature");
    *signature =
        text(vm, vm.classes[static_cast<std::size_t>(class_of_mirror(vm, type))].signature);
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL is_interface(jvmtiEnv* env, jclass type, jboolean* out) {
    HF_FAKE(env, "IsInterface");
    *out = vm.classes[static_cast<std::size_t>(class_of_mirror(vm, type))].interface ? JNI_TRUE
                                                                                     : JNI_FALSE;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL class_loader(jvmtiEnv* env, jclass type, jobject* out) {
    HF_FAKE(env, "GetClassLoader");
    const FakeClass& c = vm.classes[static_cast<std::size_t>(class_of_mirror(vm, type))];
    *out = c.loader < 0 ? nullptr : local(vm, static_cast<std::uint32_t>(c.loader));
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL class_fields(jvmtiEnv* env, jclass type, jint* count, jfieldID** out) {
    HF_FAKE(env, "GetClassFields");
    const int index = class_of_mirror(vm, type);
    const FakeClass& c = vm.classes[static_cast<std::size_t>(index)];
    if (!c.prepared) return JVMTI_ERROR_CLASS_NOT_PREPARED;
    *count = static_cast<jint>(c.fields.size());
    *out = memory<jfieldID>(vm, c.fields.size());
    for (std::size_t f = 0; f < c.fields.size(); ++f)
      (*out)[f] = reinterpret_cast<jfieldID>((static_cast<std::uintptr_t>(index) << 16) | (f + 1));
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL field_name(jvmtiEnv* env, jclass, jfieldID field, char** name, char**,
                                       char**) {
    HF_FAKE(env, "GetFieldName");
    const auto id = reinterpret_cast<std::uintptr_t>(field);
    *name = text(vm, vm.classes[id >> 16].fields[(id & 0xFFFF) - 1]);
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL interfaces(jvmtiEnv* env, jclass type, jint* count, jclass** out) {
    HF_FAKE(env, "GetImplementedInterfaces");
    const FakeClass& c = vm.classes[static_cast<std::size_t>(class_of_mirror(vm, type))];
    if (!c.prepared) return JVMTI_ERROR_CLASS_NOT_PREPARED;
    *count = static_cast<jint>(c.interfaces.size());
    *out = memory<jclass>(vm, c.interfaces.size());
    for (std::size_t i = 0; i < c.interfaces.size(); ++i)
      (*out)[i] = static_cast<jclass>(local(vm, vm.classes[c.interfaces[i]].mirror));
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL all_threads(jvmtiEnv* env, jint* count, jthread** out) {
    HF_FAKE(env, "GetAllThreads");
    *count = static_cast<jint>(vm.threads.size());
    *out = memory<jthread>(vm, vm.threads.size());
    for (std::size_t t = 0; t < vm.threads.size(); ++t) (*out)[t] = local(vm, vm.threads[t].object);
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL thread_info(jvmtiEnv* env, jthread thread, jvmtiThreadInfo* out) {
    HF_FAKE(env, "GetThreadInfo");
    *out = {};
    for (const FakeThread& t : vm.threads) {
      if (t.object != object_of(thread)) continue;
      out->name = text(vm, t.name);
      out->is_daemon = t.daemon ? JNI_TRUE : JNI_FALSE;
      out->thread_group = local(vm, t.object);
      return JVMTI_ERROR_NONE;
    }
    return JVMTI_ERROR_INVALID_THREAD;
  }
  static jvmtiError JNICALL get_tag(jvmtiEnv* env, jobject object, jlong* tag) {
    HF_FAKE(env, "GetTag");
    const auto found = self(env).tags.find(object_of(object));
    *tag = found == self(env).tags.end() ? 0 : found->second;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL set_tag(jvmtiEnv* env, jobject object, jlong tag) {
    HF_FAKE(env, "SetTag");
    if (!self(env).can_tag) return JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
    self(env).tags[object_of(object)] = tag;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL method_name(jvmtiEnv* env, jmethodID method, char** name, char**,
                                        char**) {
    HF_FAKE(env, "GetMethodName");
    *name = text(vm, vm.methods[reinterpret_cast<std::uintptr_t>(method) - 1].name);
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL method_class(jvmtiEnv* env, jmethodID method, jclass* out) {
    HF_FAKE(env, "GetMethodDeclaringClass");
    *out = static_cast<jclass>(local(
        vm, vm.classes[vm.methods[reinterpret_cast<std::uintptr_t>(method) - 1].type].mirror));
    return JVMTI_ERROR_NONE;
  }

  // -- walks --
  static jlong tag_at(const FakeEnvironment& env, std::uint32_t object) {
    const auto found = env.tags.find(object);
    return found == env.tags.end() ? 0 : found->second;
  }
  static jlong class_tag(FakeVm& vm, const FakeEnvironment& env, std::uint32_t object) {
    return tag_at(env, vm.classes[vm.objects[object].type].mirror);
  }
  static void stop(FakeVm& vm) {
    ++vm.walks;
    vm.tagged_while_stopped = vm.callbacks = 0;
    vm.local_references_at_stop = vm.local_references;
    if (vm.on_stop) vm.on_stop();
  }

  // A tag as HotSpot's callback wrapper keeps it, on the stack of the thread that walks.
  struct TagCell {
    std::uint64_t address = 0x5A5A5A5A5A5A5A5A;
    jlong bytes = 0x5A5A5A5A5A5A5A5A;
    jlong tag = 0;
  };
  // The referrer's: only its address stands in front.
  struct ReferrerCell {
    std::uint64_t address = 0x5A5A5A5A5A5A5A5A;
    jlong tag = 0;
  };

  struct Walker {
    FakeVm& vm;
    FakeEnvironment& env;
    jvmtiHeapReferenceCallback callback;
    const void* data;
    std::vector<std::uint32_t> pending;
    std::vector<bool> visited;
    std::vector<std::uint64_t> addresses;

    void show(std::uint32_t object, int referrer, TagCell& cell, ReferrerCell& from) {
      const auto lie = vm.lies.find(vm.callbacks++);
      if (!vm.shows_addresses) return;
      cell.address = addresses[object];
      cell.bytes = vm.objects[object].bytes;
      if (referrer >= 0) from.address = addresses[static_cast<std::size_t>(referrer)];
      if (lie == vm.lies.end()) return;
      if (lie->second == FakeLie::kSize) cell.bytes += 8;
      if (lie->second == FakeLie::kOutside) cell.address = addresses.back();
      if (lie->second == FakeLie::kMisaligned) cell.address += 4;
      if (lie->second == FakeLie::kReferrer) from.address = addresses.back() - 8;
    }
    // False: the agent aborts.
    bool report(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo& info,
                std::uint32_t object, int referrer) {
      TagCell cell;
      ReferrerCell from;
      cell.tag = tag_at(env, object);
      from.tag = referrer < 0 ? 0 : tag_at(env, static_cast<std::uint32_t>(referrer));
      show(object, referrer, cell, from);
      const bool untagged = cell.tag == 0;
      const bool same = referrer == static_cast<int>(object);
      in_stopped_zone = true;
      const jint answer =
          callback(kind, &info, class_tag(vm, env, object),
                   referrer < 0 ? 0 : class_tag(vm, env, static_cast<std::uint32_t>(referrer)),
                   vm.objects[object].bytes, &cell.tag,
                   referrer < 0 ? nullptr
                   : same       ? &cell.tag
                                : &from.tag,
                   -1, const_cast<void*>(data));
      in_stopped_zone = false;
      if (cell.tag != 0) env.tags[object] = cell.tag;
      if (untagged && cell.tag != 0) ++vm.tagged_while_stopped;
      if ((answer & JVMTI_VISIT_ABORT) != 0) return false;
      if ((answer & JVMTI_VISIT_OBJECTS) != 0 && !visited[object]) pending.push_back(object);
      return true;
    }
    bool report_root(const FakeRoot& root) {
      jvmtiHeapReferenceInfo info{};
      const jlong thread_tag =
          root.thread < 0 ? 0 : tag_at(env, static_cast<std::uint32_t>(root.thread));
      auto* method = reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(root.method + 1));
      if (root.kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL)
        info.stack_local = {thread_tag, 0, root.depth, method, root.location, root.slot};
      if (root.kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL)
        info.jni_local = {thread_tag, 0, root.depth, method};
      return report(root.kind, info, root.object, -1);
    }
    bool is_mirror(std::uint32_t object) const { return vm.objects[object].type == vm.class_class; }
    bool visit(std::uint32_t object) {
      visited[object] = true;
      jvmtiHeapReferenceInfo info{};
      if (!is_mirror(object) &&
          !report(JVMTI_HEAP_REFERENCE_CLASS, info, vm.classes[vm.objects[object].type].mirror,
                  static_cast<int>(object)))
        return false;
      for (const FakeReference& reference : vm.objects[object].references) {
        info.field.index =
            reference.index;  // shares its place with array.index and constant_pool.index
        if (!report(reference.kind, info, reference.target, static_cast<int>(object))) return false;
      }
      return true;
    }
    void run() {
      for (const FakeRoot& root : vm.roots)
        if (!report_root(root)) return;
      while (!pending.empty()) {
        const std::uint32_t object = pending.back();
        pending.pop_back();
        if (!visited[object] && !visit(object)) return;
      }
    }
  };
  static jvmtiError JNICALL follow(jvmtiEnv* env, jint, jclass, jobject,
                                   const jvmtiHeapCallbacks* callbacks, const void* data) {
    HF_FAKE(env, "FollowReferences");
    stop(vm);
    Walker walker{vm,
                  self(env),
                  callbacks->heap_reference_callback,
                  data,
                  {},
                  std::vector<bool>(vm.objects.size(), false),
                  vm.addresses()};
    walker.run();
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL iterate(jvmtiEnv* env, jint, jclass,
                                    const jvmtiHeapCallbacks* callbacks, const void* data) {
    HF_FAKE(env, "IterateThroughHeap");
    stop(vm);
    for (std::uint32_t object = 0; object < vm.objects.size(); ++object) {
      jlong tag = tag_at(self(env), object);
      in_stopped_zone = true;
      callbacks->heap_iteration_callback(class_tag(vm, self(env), object), vm.objects[object].bytes,
                                         &tag, -1, const_cast<void*>(data));
      in_stopped_zone = false;
    }
    return JVMTI_ERROR_NONE;
  }
#undef HF_FAKE

  // -- JNIEnv; faults make references null, as an exception does --
#define HF_FAKE_JNI(env, name, failed) \
  FakeVm& vm = *self(env).vm;          \
  const Lock lock(vm.mutex_);          \
  if (jint error = 0; vm.fails(name, error)) return failed

  static jclass JNICALL find_class(JNIEnv* jni, const char* name) {
    HF_FAKE_JNI(jni, "FindClass", nullptr);
    const std::string signature = "L" + std::string(name) + ";";
    for (const FakeClass& c : vm.classes)
      if (c.signature == signature) return static_cast<jclass>(local(vm, c.mirror));
    return nullptr;
  }
  static jmethodID JNICALL get_method(JNIEnv* jni, jclass, const char* name, const char*) {
    HF_FAKE_JNI(jni, "GetMethodID", nullptr);
    const std::string_view text = name;
    const FakeId id = text == "totalMemory" ? kTotal : text == "freeMemory" ? kFree : kMax;
    return reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(id));
  }
  static jmethodID JNICALL get_static_method(JNIEnv* jni, jclass, const char*, const char*) {
    HF_FAKE_JNI(jni, "GetStaticMethodID", nullptr);
    return reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(kGetRuntime));
  }
  static jfieldID JNICALL get_field(JNIEnv* jni, jclass, const char* name, const char*) {
    HF_FAKE_JNI(jni, "GetFieldID", nullptr);
    const FakeId id = std::string_view(name) == "name" ? kLoaderName : kThreadId;
    return reinterpret_cast<jfieldID>(static_cast<std::uintptr_t>(id));
  }
  static jobject JNICALL call_static_object(JNIEnv* jni, jclass, jmethodID, va_list) {
    HF_FAKE_JNI(jni, "CallStaticObjectMethod", nullptr);
    return local(vm, vm.runtime_object);
  }
  static jlong JNICALL call_long(JNIEnv* jni, jobject, jmethodID method, va_list) {
    HF_FAKE_JNI(jni, "CallLongMethod", -1);
    switch (reinterpret_cast<std::uintptr_t>(method)) {
      case kTotal:
        return vm.heap_used * 2;
      case kFree:
        return vm.heap_used;
      default:
        return vm.heap_used * 4;
    }
  }
  static jobject JNICALL get_object_field(JNIEnv* jni, jobject object, jfieldID) {
    HF_FAKE_JNI(jni, "GetObjectField", nullptr);
    const auto found = vm.loader_names.find(object_of(object));
    return found == vm.loader_names.end() ? nullptr : local(vm, found->second);
  }
  static jlong JNICALL get_long_field(JNIEnv* jni, jobject object, jfieldID) {
    HF_FAKE_JNI(jni, "GetLongField", 0);
    for (const FakeThread& t : vm.threads)
      if (t.object == object_of(object)) return t.id;
    return 0;
  }
  static jsize JNICALL string_length(JNIEnv* jni, jstring text) {
    HF_FAKE_JNI(jni, "GetStringLength", 0);
    return static_cast<jsize>(vm.strings[object_of(text)].size());
  }
  static void JNICALL string_region(JNIEnv* jni, jstring text, jsize start, jsize length,
                                    char* out) {
    FakeVm& vm = *self(jni).vm;
    const Lock lock(vm.mutex_);
    const std::string part = vm.strings[object_of(text)].substr(static_cast<std::size_t>(start),
                                                                static_cast<std::size_t>(length));
    std::memcpy(out, part.c_str(), part.size() + 1);
  }
  static jclass JNICALL superclass(JNIEnv* jni, jclass type) {
    HF_FAKE_JNI(jni, "GetSuperclass", nullptr);
    const FakeClass& c = vm.classes[static_cast<std::size_t>(class_of_mirror(vm, type))];
    if (c.superclass < 0 || c.interface) return nullptr;
    return static_cast<jclass>(
        local(vm, vm.classes[static_cast<std::size_t>(c.superclass)].mirror));
  }
  static jclass JNICALL object_class(JNIEnv* jni, jobject object) {
    FakeVm& vm = *self(jni).vm;
    const Lock lock(vm.mutex_);
    return static_cast<jclass>(local(vm, vm.classes[vm.objects[object_of(object)].type].mirror));
  }
  static jobject JNICALL new_global(JNIEnv* jni, jobject object) {
    HF_FAKE_JNI(jni, "NewGlobalRef", nullptr);
    ++vm.global_references;
    return object;
  }
  static void JNICALL delete_global(JNIEnv* jni, jobject) {
    const Lock lock(self(jni).vm->mutex_);
    --self(jni).vm->global_references;
  }
  static void JNICALL delete_local(JNIEnv* jni, jobject object) {
    const Lock lock(self(jni).vm->mutex_);
    if (object != nullptr) --self(jni).vm->local_references;
  }
  static jint JNICALL push_frame(JNIEnv* jni, jint) {
    HF_FAKE_JNI(jni, "PushLocalFrame", JNI_ERR);
    vm.frames_.push_back(vm.local_references);
    return JNI_OK;
  }
  static jobject JNICALL pop_frame(JNIEnv* jni, jobject) {
    FakeVm& vm = *self(jni).vm;
    const Lock lock(vm.mutex_);
    if (vm.frames_.empty() || vm.local_references < vm.frames_.back()) std::abort();
    vm.local_references = vm.frames_.back();
    vm.frames_.pop_back();
    return nullptr;
  }
  static jboolean JNICALL exception_check(JNIEnv* jni) {
    HF_FAKE_JNI(jni, "ExceptionCheck", JNI_TRUE);
    return JNI_FALSE;
  }
  static void JNICALL exception_clear(JNIEnv*) {}
#undef HF_FAKE_JNI

  // -- JavaVM --
  static jint JNICALL get_env(JavaVM* java, void** out, jint version) {
    FakeVm& vm = *static_cast<FakeVmTable*>(java)->vm;
    const Lock lock(vm.mutex_);
    if (jint error = 0; vm.fails("GetEnv", error)) return error;
    if ((version & 0x30000000) == 0) return JNI_EVERSION;
    auto env = std::make_unique<FakeEnvironment>();
    env->functions = &jvmti_table();
    env->vm = &vm;
    *out = static_cast<jvmtiEnv*>(env.get());
    vm.environments_.push_back(std::move(env));
    return JNI_OK;
  }
  static jint JNICALL attach(JavaVM* java, void** out, void*) {
    FakeVm& vm = *static_cast<FakeVmTable*>(java)->vm;
    const Lock lock(vm.mutex_);
    if (jint error = 0; vm.fails("AttachCurrentThreadAsDaemon", error)) return error;
    auto jni = std::make_unique<FakeJni>();
    jni->functions = &jni_table();
    jni->vm = &vm;
    *out = static_cast<JNIEnv*>(jni.get());
    vm.jnis_.push_back(std::move(jni));
    return JNI_OK;
  }
  static jint JNICALL detach(JavaVM*) { return JNI_OK; }

  static const jvmtiInterface_1_& jvmti_table() {
    static const jvmtiInterface_1_ kTable = make_jvmti_table();
    return kTable;
  }
  static const JNINativeInterface_& jni_table() {
    static const JNINativeInterface_ kTable = make_jni_table();
    return kTable;
  }
  static const JNIInvokeInterface_& vm_table() {
    static const JNIInvokeInterface_ kTable = make_vm_table();
    return kTable;
  }
  static jvmtiInterface_1_ make_jvmti_table() {
    jvmtiInterface_1_ t;
    fill_with_traps(t);
    t.Deallocate = &deallocate;
    t.DisposeEnvironment = &dispose;
    t.GetPotentialCapabilities = &potential_capabilities;
    t.AddCapabilities = &add_capabilities;
    t.SetEnvironmentLocalStorage = &set_storage;
    t.GetEnvironmentLocalStorage = &get_storage;
    t.SetEventCallbacks = &set_callbacks;
    t.SetEventNotificationMode = &set_notification;
    t.GetPhase = &get_phase;
    t.GetSystemProperty = &get_property;
    t.GetLoadedClasses = &loaded_classes;
    t.GetClassSignature = &class_signature;
    t.IsInterface = &is_interface;
    t.GetClassLoader = &class_loader;
    t.GetClassFields = &class_fields;
    t.GetFieldName = &field_name;
    t.GetImplementedInterfaces = &interfaces;
    t.GetAllThreads = &all_threads;
    t.GetThreadInfo = &thread_info;
    t.GetTag = &get_tag;
    t.SetTag = &set_tag;
    t.GetMethodName = &method_name;
    t.GetMethodDeclaringClass = &method_class;
    t.FollowReferences = &follow;
    t.IterateThroughHeap = &iterate;
    return t;
  }
  static JNINativeInterface_ make_jni_table() {
    JNINativeInterface_ t;
    fill_with_traps(t);
    t.FindClass = &find_class;
    t.GetMethodID = &get_method;
    t.GetStaticMethodID = &get_static_method;
    t.GetFieldID = &get_field;
    t.CallStaticObjectMethodV = &call_static_object;
    t.CallLongMethodV = &call_long;
    t.GetObjectField = &get_object_field;
    t.GetLongField = &get_long_field;
    t.GetStringLength = &string_length;
    t.GetStringUTFRegion = &string_region;
    t.GetSuperclass = &superclass;
    t.GetObjectClass = &object_class;
    t.NewGlobalRef = &new_global;
    t.DeleteGlobalRef = &delete_global;
    t.DeleteLocalRef = &delete_local;
    t.PushLocalFrame = &push_frame;
    t.PopLocalFrame = &pop_frame;
    t.ExceptionCheck = &exception_check;
    t.ExceptionClear = &exception_clear;
    return t;
  }
  static JNIInvokeInterface_ make_vm_table() {
    JNIInvokeInterface_ t;
    fill_with_traps(t);
    t.GetEnv = &get_env;
    t.AttachCurrentThreadAsDaemon = &attach;
    t.DetachCurrentThread = &detach;
    return t;
  }
};

const JNIInvokeInterface_& fake_vm_table() { return FakeCalls::vm_table(); }

}  // namespace holdfast::jvmti
