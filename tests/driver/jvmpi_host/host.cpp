// A VM of JVMPI, made of one that has none: an agent that offers JVMPI's table to a library and answers from the live heap.
// Why: VMs of Java 1.2 to 5 run on few machines of today; what is written for them must be tried on a heap that lives.
// Shape:  java -agentpath:/.../libjvmpi_host.so=LIBRARY[:OPTIONS] ...   is   -XrunLIBRARY:OPTIONS
//         LIBRARY is a path; HF_JVMPI_HOST has the knobs (knobs.h). What JVMPI forbids ends the VM (rules.h).
//           interface_table -> rules        each call, checked
//                           -> events       what comes by itself
//                           -> *_requests   what is asked for -> heap_view -> heap_picture, class_catalog, object_table -> object_records
//         All ids end when GC goes on again (gc_switch); nothing of a notification outlives it (momentary).
// Zone:   tests.   Errors: what the library's JVM_OnLoad answers; a library that cannot be loaded ends the VM.
// Source: the Java Virtual Machine Profiler Interface as JDK 1.2 to 5 had it.
#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "tests/driver/jvmpi_host/events.h"
#include "tests/driver/jvmpi_host/knobs.h"
#include "tests/driver/jvmpi_host/proxy_vm.h"
#include "tests/driver/jvmpi_host/rules.h"
#include "tests/driver/jvmpi_host/vm.h"

namespace holdfast::jvmpi_host {

namespace {

using OnLoad = jint(JNICALL*)(JavaVM* vm, char* options, void* reserved);

OnLoad load(const std::string& library) {
  void* const loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = loaded != nullptr ? ::dlsym(loaded, "JVM_OnLoad") : nullptr;
  if (entry == nullptr) std::fprintf(stderr, "jvmpi_host: %s\n", ::dlerror());
  return reinterpret_cast<OnLoad>(entry);
}

jint start(JavaVM* java, const std::string& text) {
  knobs();  // a wrong one ends the VM now
  const std::size_t colon = text.find(':');
  // VMs keep it; so does this one.
  auto& options = *new std::string(colon != std::string::npos ? text.substr(colon + 1) : "");
  if (!open_vm(java) || !hear_vm()) return JNI_ERR;
  const OnLoad entry = load(text.substr(0, colon));
  if (entry == nullptr) return JNI_ERR;
  const jint answer =
      entry(proxy_vm(), colon != std::string::npos ? options.data() : nullptr, nullptr);
  Stage loading = Stage::kLoading;
  stage().compare_exchange_strong(loading, Stage::kStarting);
  return answer;
}

}  // namespace

}  // namespace holdfast::jvmpi_host

extern "C" [[gnu::visibility("default")]] jint JNICALL Agent_OnLoad(JavaVM* java, char* options,
                                                                    void*) {
  return holdfast::jvmpi_host::start(java, options != nullptr ? options : "");
}
