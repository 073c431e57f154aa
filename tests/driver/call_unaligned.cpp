// call_unaligned LIBRARY: calls JVM_OnLoad as a VM of 32 bits may that an old compiler made: with a stack of any alignment.
// Why: since gcc 4.5 code relies on 16 bytes and keeps SSE values there; VMs of Java 1.2 to 5 know of 4.
// The VM here has no JVMPI; what is asked of the agent is to say so and to live.
#include <dlfcn.h>
#include <jni.h>

#include <cstdio>

using OnLoad = jint(JNICALL*)(JavaVM*, char*, void*);

extern "C" jint call_with_skew(OnLoad entry, JavaVM* vm, char* options, unsigned skew);

// Four bytes, the three arguments, and the stack is where it was: aligned, were it not for the skew.
asm(R"(
.text
call_with_skew:
  push %ebp
  mov %esp, %ebp
  and $-16, %esp
  sub 20(%ebp), %esp
  push $0
  push $0
  push 16(%ebp)
  push 12(%ebp)
  call *8(%ebp)
  leave
  ret
)");

namespace {

jint JNICALL no_environment(JavaVM*, void**, jint) { return JNI_EVERSION; }

}  // namespace

int main(int count, char** words) {
  void* const library = count == 2 ? dlopen(words[1], RTLD_NOW) : nullptr;
  void* const entry = library != nullptr ? dlsym(library, "JVM_OnLoad") : nullptr;
  if (entry == nullptr) {
    std::fprintf(stderr, "call_unaligned: %s\n",
                 library != nullptr || count == 2 ? dlerror() : "which library?");
    return 2;
  }
  JNIInvokeInterface_ functions{};
  functions.GetEnv = &no_environment;
  JavaVM vm{&functions};
  char options[] = "dir=/tmp,log=error";
  for (unsigned skew = 0; skew < 16; skew += 4) {
    std::printf(
        "skew %u: %d\n", skew,
        static_cast<int>(call_with_skew(reinterpret_cast<OnLoad>(entry), &vm, options, skew)));
  }
  return 0;
}
