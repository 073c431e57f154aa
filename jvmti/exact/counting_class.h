// The one class of ours on the Java heap: the bytecode that counts, and that keeps a thread's account in step with its stack.
// Why bytecode, and written here: what runs at every allocation must be inlined by the VM's compilers, and must fit the VM that it
//      is defined in (names of its Unsafe, sizes of its arrays, where rows keep what).
// Shape:  java.lang.HoldfastCounts, version 49 (no stack maps), all methods static:
//           constructed(Object), array(Object), arrays(Object), cloned(Object): one more of its class, in the row of the current thread
//           enter(int account) long, leave(long)
//           natives: attach(Thread) long, find(long lane, long state) long, place(Class) int,
//                    told(Object, Class, Thread, long state, int place, long bytes)
//         Where more is to be kept of an object than its class (CountingFacts::tells_each), constructed() and array() call told() for each.
//         It reads what core_additions adds to Thread and Class, and lanes and rows as count_rows.h describes them.
// Zone:   event (VM init).   Errors: kTooMany when it outgrows its buffer, which no VM can bring about.
// Source: Java Virtual Machine Specification, sections 4 and 6.5; HotSpot, classfile/classFileParser.cpp (annotations it obeys).
#pragma once

#include <cstdint>

#include "common/result.h"
#include "jvmti/exact/pool_writer.h"

namespace holdfast::jvmti {

inline constexpr std::string_view kCountingClass = "java/lang/HoldfastCounts";
// Of java.lang.Thread, long: the account it runs in, its lane, and, so that it need not be looked up for each object, the row of the state
// in which it counted last; of that state what is kept is ~state, and 0 is none.
inline constexpr std::string_view kStateField = "hf$state";
inline constexpr std::string_view kLaneField = "hf$lane";
inline constexpr std::string_view kCountedStateField = "hf$counted";
inline constexpr std::string_view kCountedRowField = "hf$row";
inline constexpr std::string_view kPlaceField = "hf$slot";  // of java.lang.Class, int

inline constexpr std::string_view kToldDescriptor =
    "(Ljava/lang/Object;Ljava/lang/Class;Ljava/lang/Thread;JIJ)V";

// What of the VM the bytecode has in it.
struct CountingFacts {
  bool before_9 = false;  // Unsafe and the annotations have other names
  std::uint32_t alignment_bytes = 8;
  std::uint32_t base_bytes[4] = {16, 16, 16, 16};  // where elements begin, by log2 of their size
  std::uint32_t reference_base_bytes = 16;
  std::uint32_t reference_shift = 2;
  bool tells_each = false;       // natives hear of each object,
  bool tells_objects = false;    // and get it; without, the compiler may do away with it as ever
  bool numbers_methods = false;  // what is entered is a method of an account (account_state.h)
};

using CountingClassBytes = ClassBytes<8192>;
Result<void> write_counting_class(const CountingFacts& facts, CountingClassBytes& out) noexcept;

// "Ljdk/internal/vm/annotation/ForceInline;" and its like, which the VM obeys in classes of the boot loader.
std::string_view force_inline_descriptor(bool before_9) noexcept;
std::string_view dont_inline_descriptor(bool before_9) noexcept;
// A field that changes once, from its default: compiled code takes what it finds then for a constant.
std::string_view stable_descriptor(bool before_9) noexcept;

}  // namespace holdfast::jvmti
