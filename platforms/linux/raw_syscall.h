// System calls by their own instruction: no libc function, no errno, no thread-local, no lock.
// Why: a child made by raw clone has one thread, and whatever lock of libc another thread held then stays locked for ever in
//      it. And errno belongs to a thread of the VM while the VM is stopped inside a call of somebody else's.
// Shape:  raw_syscall(number, up to six integers or pointers); what the kernel answers, which is -errno when it refused.
//         clone_on_stack: the parent gets the child's number or -errno; the child begins in `entry` on the given stack and never
//         comes back. Why not libc's clone(): it sets errno, and versions before 2.25 write into the thread's own block.
// Zone:   any, stopped and child included.
// Errors: as answered: -errno.
// Source: syscall(2), clone(2); the kernel's calling conventions of these CPUs.
#pragma once

#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

namespace raw_detail {

template <class Argument>
long word(Argument argument) noexcept {
  if constexpr (sizeof(Argument) == sizeof(long))
    return (long)argument;  // an integer or a pointer
  else
    return static_cast<long>(argument);
}
inline long word(std::nullptr_t) noexcept { return 0; }

#if defined(__x86_64__)

inline long enter_kernel(long number, long a, long b, long c, long d, long e, long f) noexcept {
  long answer;
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  register long sixth asm("r9") = f;
  asm volatile("syscall"
               : "=a"(answer)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return answer;
}

inline long clone_on_stack(unsigned long flags, std::byte* top, void (*entry)(void*),
                           void* argument) noexcept {
  long answer;
  register long no_child_number asm("r10") = 0;
  register long no_thread_block asm("r8") = 0;
  register void (*child_entry)(void*) asm("r9") = entry;
  register void* child_argument asm("r12") = argument;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"  // the outermost frame, for debuggers and profilers
      "mov %[argument], %%rdi\n\t"
      "call *%[entry]\n\t"
      "ud2\n"
      "1:"
      : "=a"(answer)
      : "a"(SYS_clone), "D"(flags), "S"(top), "d"(0L), "r"(no_child_number),
        "r"(no_thread_block), [entry] "r"(child_entry), [argument] "r"(child_argument)
      : "rcx", "r11", "memory", "cc");
  return answer;
}

#elif defined(__aarch64__)

inline long enter_kernel(long number, long a, long b, long c, long d, long e, long f) noexcept {
  register long call asm("x8") = number;
  register long first asm("x0") = a;
  register long second asm("x1") = b;
  register long third asm("x2") = c;
  register long fourth asm("x3") = d;
  register long fifth asm("x4") = e;
  register long sixth asm("x5") = f;
  asm volatile("svc #0"
               : "+r"(first)
               : "r"(call), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
               : "memory");
  return first;
}

inline long clone_on_stack(unsigned long flags, std::byte* top, void (*entry)(void*),
                           void* argument) noexcept {
  register long call asm("x8") = SYS_clone;
  register unsigned long first asm("x0") = flags;
  register std::byte* second asm("x1") = top;
  register long no_parent_number asm("x2") = 0;
  register long no_thread_block asm("x3") = 0;
  register long no_child_number asm("x4") = 0;
  register void (*child_entry)(void*) asm("x5") = entry;
  register void* child_argument asm("x6") = argument;
  asm volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, #0\n\t"  // the outermost frame, for debuggers and profilers
      "mov x30, #0\n\t"
      "mov x0, %[argument]\n\t"
      "blr %[entry]\n\t"
      "brk #1\n"
      "1:"
      : "+r"(first)
      : "r"(call), "r"(second), "r"(no_parent_number), "r"(no_thread_block),
        "r"(no_child_number), [entry] "r"(child_entry), [argument] "r"(child_argument)
      : "memory", "cc");
  return static_cast<long>(first);
}

#elif defined(__i386__)

// Six arguments and the number are all registers that there are but the stack's own: the last one goes by way of the stack.
inline long enter_kernel(long number, long a, long b, long c, long d, long e, long f) noexcept {
  long answer;
  asm volatile(
      "pushl %[sixth]\n\t"
      "pushl %%ebp\n\t"
      "movl 4(%%esp), %%ebp\n\t"
      "int $0x80\n\t"
      "popl %%ebp\n\t"
      "addl $4, %%esp"
      : "=a"(answer)
      : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), [sixth] "g"(f)
      : "memory", "cc");
  return answer;
}

// The child finds its argument on its stack, as any function does.
inline long clone_on_stack(unsigned long flags, std::byte* top, void (*entry)(void*),
                           void* argument) noexcept {
  constexpr std::size_t kCallFrameBytes = 16;
  std::byte* const frame = top - kCallFrameBytes;
  *reinterpret_cast<void**>(frame) = argument;
  long answer;
  asm volatile(
      "int $0x80\n\t"
      "testl %%eax, %%eax\n\t"
      "jnz 1f\n\t"
      "xorl %%ebp, %%ebp\n\t"  // the outermost frame, for debuggers and profilers
      "call *%%esi\n\t"        // no thread block is asked for: the register is free
      "ud2\n"
      "1:"
      : "=a"(answer)
      : "a"(SYS_clone), "b"(flags), "c"(frame), "d"(0L), "S"(entry), "D"(0L)
      : "memory", "cc");
  return answer;
}

#else
#error "raw_syscall.h: this CPU's way into the kernel is missing"
#endif

}  // namespace raw_detail

// No system call has more than six arguments; those that are not given are 0.
template <class A = long, class B = long, class C = long, class D = long, class E = long,
          class F = long>
long raw_syscall(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0) noexcept {
  using raw_detail::word;
  return raw_detail::enter_kernel(number, word(a), word(b), word(c), word(d), word(e), word(f));
}

using raw_detail::clone_on_stack;

// For calls that answer an address: the upper half of them is negative where a word has 32 bits.
constexpr bool is_refusal(long answer) noexcept {
  constexpr long kLastErrno = 4095;
  return answer < 0 && answer >= -kLastErrno;
}

}  // namespace holdfast::platforms
