// Where HotSpot keeps GC roots in memory: its threads with their stacks, blocks of JNI local references, the store of JNI globals.
// Why: the standard interface walks every frame and handle while the application is stopped. Where that takes longer than it may,
//      the walk ends early, and the child finds the rest here.
// Shape:  read_root_layout() takes offsets from the VM's tables. prove() then compares what is read with handles that JNI gave us:
//         our own thread, a local reference of it, a global reference. Nothing is believed before. A read outside of readable memory
//         answers zero. Up to JDK 9 globals stand in the same blocks as locals; later in an OopStorage, whose fields no table has:
//         each of its blocks names its owner and its place in the owner's array, so it is found and proved by itself.
// Zone:   read_root_layout(), prove(): capture. The reader: capture, child. StackCursor: stopped.
// Errors: a need that is absent or not proved switches its part off: `threads`, `globals`.
// Source: HotSpot, runtime/{vmStructs,threadSMR,jniHandles,javaCalls}.hpp, gc/shared/oopStorage.inline.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "jvmti/hotspot/heap_view.h"
#include "jvmti/hotspot/readable_pages.h"

namespace holdfast::jvmti {

struct RootLayout {
  bool threads = false;  // the list, stacks, local handles
  bool globals = false;
  bool complete() const noexcept { return threads && globals; }
  // threads
  Address list_cell = 0;     // static: ThreadsList*, or up to 9 the first JavaThread*
  bool linked = false;       // up to 9
  std::uint32_t next = 0;    // linked: JavaThread -> JavaThread
  std::uint32_t length = 0;  // ThreadsList -> number of threads
  std::uint32_t array = 0;   // ThreadsList -> JavaThread*[]
  std::uint32_t thread_object = 0;
  bool object_by_handle = false;
  std::uint32_t last_sp = 0;  // 0 where the thread runs no Java code
  std::uint32_t stack_base = 0;
  std::uint32_t stack_bytes = 0;
  std::uint32_t local_handles = 0;  // JavaThread -> JNIHandleBlock
  bool call_wrappers = false;       // JavaCallWrapper: its thread, then the caller's local handles
  // JNIHandleBlock
  std::uint32_t block_handles = 0;
  std::uint32_t block_top = 0;
  std::uint32_t block_next = 0;
  std::uint32_t block_size = 0;
  // JNI globals
  Address globals_cell = 0;  // static: OopStorage*, or JNIHandleBlock*
  bool globals_in_blocks = false;
  std::uint32_t storage_array = 0;  // OopStorage -> its array; found by prove()
};

// One that the VM lists. `top`: the lowest word that may hold a reference of Java code; 0: there is none.
struct VmThread {
  Address address = 0;
  Address object = 0;
  Address top = 0;
  Address base = 0;
  std::uint64_t stack_bytes() const noexcept { return top == 0 ? 0 : base - top; }
};

class RootReader {
 public:
  RootReader(const HeapView& view, const RootLayout& layout) noexcept
      : view_(view), layout_(layout) {}

  // visit(thread, index in the VM's order)
  template <class Visit>
  void for_each_thread(Visit visit) noexcept {
    Address next = read<Address>(layout_.list_cell);
    if (layout_.linked) {
      for (std::uint32_t i = 0; next != 0 && i < kMostThreads; ++i) {
        visit(thread_at(next), i);
        next = read<Address>(next + layout_.next);
      }
      return;
    }
    const std::uint32_t count = std::min(read<std::uint32_t>(next + layout_.length), kMostThreads);
    const Address array = read<Address>(next + layout_.array);
    for (std::uint32_t i = 0; i < count; ++i)
      visit(thread_at(read<Address>(array + std::uint64_t{i} * 8)), i);
  }

  // visit(object) for what stands in local handles: of the thread, and of the callers of Java code further up its stack.
  template <class Visit>
  void for_each_local(const VmThread& thread, Visit visit) noexcept {
    for_each_in_chain(read<Address>(thread.address + layout_.local_handles), visit);
    if (!layout_.call_wrappers || thread.top == 0) return;
    for (Address at = thread.top; at + 16 <= thread.base; at += 8)
      if (read<Address>(at) == thread.address) for_each_in_chain(read<Address>(at + 8), visit);
  }

  // visit(object). False: the store is not what it was proved to be.
  template <class Visit>
  bool for_each_global(Visit visit) noexcept {
    if (!layout_.globals) return false;
    const Address store = read<Address>(layout_.globals_cell);
    if (layout_.globals_in_blocks) return for_each_in_chain(store, visit), true;
    return for_each_in_storage(store, read<Address>(store + layout_.storage_array), visit);
  }
  template <class T>
  T read(Address address) noexcept {
    if (address < kLeastAddress || !pages_.has(address)) return T{};
    return load<T>(address);
  }

 private:
  friend void prove_roots(const HeapView& view, RootLayout& layout, Address own_local,
                          Address own_global) noexcept;
  static constexpr std::uint32_t kMostThreads = 1u << 20;
  static constexpr std::uint32_t kMostBlocks = 1u << 22;
  static constexpr Address kLeastAddress = 4096;

  // OopStorage::Block, in words behind its 64 references; ActiveArray.
  static constexpr std::uint32_t kBits = 64 * 8;
  static constexpr std::uint32_t kOwner = kBits + 8;
  static constexpr std::uint32_t kIndex = kBits + 24;
  static constexpr std::uint32_t kArrayCount = 8;
  static constexpr std::uint32_t kArrayBlocks = 24;

  VmThread thread_at(Address address) noexcept;
  bool storage_array_at(Address store, Address array) noexcept;
  bool local_is_known(const VmThread& thread, Address handle) noexcept;
  bool global_is_known(Address handle) noexcept;

  template <class Visit>
  void for_each_in_chain(Address block, Visit& visit) noexcept {
    // A frame that a native method pushed stands two words behind the next block.
    constexpr std::uint32_t kPushed = 16;
    for (std::uint32_t chains = 0; block != 0 && chains < kMostBlocks; ++chains) {
      const Address first = block;
      for (std::uint32_t n = 0; block != 0 && n < kMostBlocks; ++n) {
        const auto top = read<std::uint32_t>(block + layout_.block_top);
        if (top > layout_.block_size) return;
        for (std::uint32_t i = 0; i < top; ++i)
          visit(read<Address>(block + layout_.block_handles + std::uint64_t{i} * 8));
        if (top < layout_.block_size) break;  // the ones behind it wait to be used
        block = read<Address>(block + layout_.block_next);
      }
      block = read<Address>(first + layout_.block_next + kPushed);
    }
  }

  template <class Visit>
  bool for_each_in_storage(Address store, Address array, Visit& visit) noexcept {
    const auto count = read<std::uint64_t>(array + kArrayCount);
    if (count > kMostBlocks) return false;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Address block = read<Address>(array + kArrayBlocks + i * 8);
      if (read<Address>(block + kOwner) != store || read<std::uint64_t>(block + kIndex) != i)
        return false;
      for (auto bits = read<std::uint64_t>(block + kBits); bits != 0; bits &= bits - 1)
        visit(read<Address>(block + static_cast<std::uint64_t>(__builtin_ctzll(bits)) * 8));
    }
    return true;
  }

  const HeapView& view_;
  const RootLayout& layout_;
  ReadablePages pages_;
};

RootLayout read_root_layout(VmSymbol symbol) noexcept;
// On the thread that `own_local` belongs to, a JNI local reference to its own Thread object; `own_global` to anything. What does not
// fit is switched off in `layout`.
void prove_roots(const HeapView& view, RootLayout& layout, Address own_local,
                 Address own_global) noexcept;

// Threads in the VM's order, found again by their objects while the VM is stopped. Plain reads of what was proved.
class StackCursor {
 public:
  StackCursor() = default;
  explicit StackCursor(const RootLayout& layout) noexcept : layout_(&layout) {}
  // The bytes of stack of the thread whose object this is; 0 when it is not found. Moves on: it is asked in the VM's order.
  std::uint64_t stack_bytes_of(Address object) noexcept;
  std::uint32_t index() const noexcept { return index_; }

 private:
  const RootLayout* layout_ = nullptr;  // nullptr: not known
  std::uint32_t index_ = 0;             // of the thread that was found last, in the VM's order
  Address at_ = 0;                      // linked: that thread
  bool begun_ = false;
};

}  // namespace holdfast::jvmti
