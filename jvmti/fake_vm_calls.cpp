// The functions behind the fake VM's tables: what a real VM would answer, as far as the adapter asks.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "jvmti/fake_vm_tables.h"

namespace holdfast::jvmti {

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

enum FakeId : std::uintptr_t {
  kGetRuntime = 1,
  kTotal,
  kFree,
  kMax,
  kLoaderName,
  kThreadId,
  kDomain,
  kFirstField
};

}  // namespace

// The functions behind the tables; a friend of FakeVm.
struct FakeCalls {
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
    if (self(env).vm->sampling_owner == env) self(env).vm->sampling_owner = nullptr;
    self(env).tags.clear();
    self(env).enabled.clear();
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL potential_capabilities(jvmtiEnv* env, jvmtiCapabilities* out) {
    HF_FAKE(env, "GetPotentialCapabilities");
    *out = {};
    out->can_tag_objects = 1;
    out->can_generate_sampled_object_alloc_events = vm.sampling_owner == nullptr ? 1 : 0;
    out->can_generate_object_free_events = vm.tells_deaths ? 1 : 0;
    out->can_generate_garbage_collection_events = 1;
    out->can_generate_resource_exhaustion_heap_events = vm.grants_exhaustion ? 1 : 0;
    out->can_generate_resource_exhaustion_threads_events = vm.grants_exhaustion ? 1 : 0;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL add_capabilities(jvmtiEnv* env, const jvmtiCapabilities* wanted) {
    HF_FAKE(env, "AddCapabilities");
    if (wanted->can_generate_sampled_object_alloc_events != 0) {
      if (vm.sampling_owner != nullptr) return JVMTI_ERROR_NOT_AVAILABLE;
      vm.sampling_owner = env;
    }
    if (wanted->can_tag_objects != 0) self(env).can_tag = true;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL relinquish_capabilities(jvmtiEnv* env, const jvmtiCapabilities* what) {
    HF_FAKE(env, "RelinquishCapabilities");
    if (what->can_generate_sampled_object_alloc_events != 0 && vm.sampling_owner == env)
      vm.sampling_owner = nullptr;
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
    if (mode == JVMTI_ENABLE)
      self(env).enabled.insert(event);
    else
      self(env).enabled.erase(event);
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
  static jvmtiError JNICALL method_is_native(jvmtiEnv* env, jmethodID method, jboolean* native) {
    HF_FAKE(env, "IsMethodNative");
    *native =
        vm.methods[reinterpret_cast<std::uintptr_t>(method) - 1].native ? JNI_TRUE : JNI_FALSE;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL method_class(jvmtiEnv* env, jmethodID method, jclass* out) {
    HF_FAKE(env, "GetMethodDeclaringClass");
    *out = static_cast<jclass>(local(
        vm, vm.classes[vm.methods[reinterpret_cast<std::uintptr_t>(method) - 1].type].mirror));
    return JVMTI_ERROR_NONE;
  }

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
    if (text == "getProtectionDomain0")
      return vm.native_domains ? reinterpret_cast<jmethodID>(std::uintptr_t{kDomain}) : nullptr;
    const FakeId id = text == "totalMemory" ? kTotal : text == "freeMemory" ? kFree : kMax;
    return reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(id));
  }
  static jmethodID JNICALL get_static_method(JNIEnv* jni, jclass, const char*, const char*) {
    HF_FAKE_JNI(jni, "GetStaticMethodID", nullptr);
    return reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(kGetRuntime));
  }
  static jfieldID JNICALL get_field(JNIEnv* jni, jclass type, const char* name, const char*) {
    HF_FAKE_JNI(jni, "GetFieldID", nullptr);
    const FakeClass& c = vm.classes[static_cast<std::size_t>(class_of_mirror(vm, type))];
    if (c.signature == "Ljava/lang/ClassLoader;") return field_id(kLoaderName);
    if (c.signature == "Ljava/lang/Thread;") return field_id(kThreadId);
    if (std::find(c.fields.begin(), c.fields.end(), name) == c.fields.end()) return nullptr;
    vm.field_names_.emplace_back(name);
    return field_id(kFirstField + vm.field_names_.size() - 1);
  }
  static jfieldID field_id(std::uintptr_t id) { return reinterpret_cast<jfieldID>(id); }
  static jobject held(FakeVm& vm, jobject object, const std::string& field) {
    const auto found = vm.object_fields.find({object_of(object), field});
    return found == vm.object_fields.end() ? nullptr : local(vm, found->second);
  }
  static jobject JNICALL call_object(JNIEnv* jni, jobject object, jmethodID, va_list) {
    FakeVm& vm = *self(jni).vm;
    if (vm.on_java_call) vm.on_java_call(jni);
    const Lock lock(vm.mutex_);
    if (jint error = 0; vm.fails("CallObjectMethod", error)) return nullptr;
    return held(vm, object, "getProtectionDomain0");
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
  static jobject JNICALL get_object_field(JNIEnv* jni, jobject object, jfieldID field) {
    HF_FAKE_JNI(jni, "GetObjectField", nullptr);
    if (const auto id = reinterpret_cast<std::uintptr_t>(field); id >= kFirstField)
      return held(vm, object, vm.field_names_[id - kFirstField]);
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
    if ((version & 0x30000000) == 0) return new_jni(vm, out);
    if (version > vm.newest_tool_version) return JNI_EVERSION;
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
    return new_jni(vm, out);
  }
  static jint new_jni(FakeVm& vm, void** out) {
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
    t.RelinquishCapabilities = &relinquish_capabilities;
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
    t.IsMethodNative = &method_is_native;
    add_walk_calls(t);
    add_allocation_calls(t);
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
    t.CallObjectMethodV = &call_object;
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
