#include "jvmti/hotspot/root_memory.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

template <class T>
Address at(const T& thing) {
  return reinterpret_cast<std::uintptr_t>(&thing);
}

// As HotSpot has them, with every field in a word of its own.
struct Block {
  std::array<Address, 4> handles{};
  std::uint64_t top = 0;
  Block* next = nullptr;
  std::uint64_t last = 0;
  Block* pushed = nullptr;
};
struct Thread {
  Address* object = nullptr;
  Address top = 0, base = 0;
  std::uint64_t bytes = 0;
  Block* locals = nullptr;
};
struct List {
  std::uint64_t length = 0;
  Thread** threads = nullptr;
};
struct Cells {
  std::array<Address, 64> values{};
  std::uint64_t used = 0;
  const void* owner = nullptr;
  std::uint64_t memory = 0, index = 0;
};
struct CellArray {
  std::uint64_t size = 2, count = 2, uses = 1;
  std::array<Cells*, 2> cells{};
};
struct Storage {
  std::uint64_t name = 0;
  CellArray* array = nullptr;
};

struct Vm {
  alignas(64) std::array<Address, 512> heap{};
  std::array<Address, 64> stack{};
  std::array<Address, 2> thread_cells{};
  Block entered, pushed, first, second;
  std::array<Thread, 2> threads{};
  std::array<Thread*, 2> order{&threads[0], &threads[1]};
  List list{2, order.data()};
  List* list_cell = &list;
  std::array<Cells, 2> cells{};
  CellArray array;
  Storage storage;
  Storage* storage_cell = &storage;
  HeapLayout heap_layout;
  RootLayout layout;

  Vm() {
    heap_layout.heap_start = at(heap);
    heap_layout.heap_end = at(heap) + sizeof heap;
    for (std::size_t i = 0; i < 2; ++i) {
      thread_cells[i] = object(i);
      threads[i].object = &thread_cells[i];
      cells[i].owner = &storage;
      cells[i].index = i;
      array.cells[i] = &cells[i];
    }
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    threads[0] = {&thread_cells[0], at(stack[8]), at(stack) + sizeof stack, sizeof stack, &first};
    threads[1] = {&thread_cells[1], 0, here + (1 << 16), 1 << 20, &second};
    second.handles[0] = object(1);
    second.top = 1;
    storage.array = &array;
    cells[1].values[7] = object(5);
    cells[1].used = 1u << 7;
    layout.threads = layout.globals = true;
    layout.list_cell = at(list_cell);
    layout.length = offsetof(List, length);
    layout.array = offsetof(List, threads);
    layout.thread_object = offsetof(Thread, object);
    layout.object_by_handle = true;
    layout.last_sp = offsetof(Thread, top);
    layout.stack_base = offsetof(Thread, base);
    layout.stack_bytes = offsetof(Thread, bytes);
    layout.local_handles = offsetof(Thread, locals);
    layout.block_handles = offsetof(Block, handles);
    layout.block_top = offsetof(Block, top);
    layout.block_next = offsetof(Block, next);
    layout.block_size = 4;
    layout.call_wrappers = true;
    layout.globals_cell = at(storage_cell);
  }
  Address object(std::size_t i) const { return at(heap[i * 2]); }
  void prove() {
    prove_roots(HeapView(heap_layout), layout, at(second.handles[0]), at(cells[1].values[7]) | 2);
  }
  std::vector<Address> locals(std::size_t thread) {
    const HeapView view(heap_layout);
    RootReader reader(view, layout);
    std::vector<Address> found;
    reader.for_each_thread([&](const VmThread& one, std::uint32_t index) {
      if (index == thread) reader.for_each_local(one, [&](Address o) { found.push_back(o); });
    });
    return found;
  }
};

}  // namespace

TEST_CASE(
    "what the tables say of threads and globals is believed once known references are found") {
  Vm vm;
  vm.prove();
  CHECK(vm.layout.complete());
  CHECK(vm.layout.storage_array == offsetof(Storage, array));
  const HeapView view(vm.heap_layout);
  RootReader reader(view, vm.layout);
  std::vector<Address> globals;
  CHECK(reader.for_each_global([&](Address o) { globals.push_back(o); }));
  CHECK(globals == std::vector<Address>{vm.object(5)});
  vm.cells[1].index = 3;  // not what was proved
  CHECK_FALSE(reader.for_each_global([](Address) {}));
}

TEST_CASE("a layout that is wrong in one place is not believed") {
  Vm wrong_thread;
  wrong_thread.layout.local_handles = offsetof(Thread, bytes);
  wrong_thread.prove();
  CHECK_FALSE(wrong_thread.layout.threads);
  CHECK(wrong_thread.layout.globals);
  Vm wrong_owner;
  wrong_owner.cells[0].owner = nullptr;
  wrong_owner.prove();
  CHECK(wrong_owner.layout.threads);
  CHECK_FALSE(wrong_owner.layout.globals);
  Vm nowhere;
  nowhere.layout.list_cell = 8;
  nowhere.layout.globals_cell = 16;
  nowhere.prove();
  CHECK_FALSE(nowhere.layout.threads);
  CHECK_FALSE(nowhere.layout.globals);
}

TEST_CASE(
    "local references: full blocks, pushed frames, and those of callers further up the stack") {
  Vm vm;
  vm.first.handles = {vm.object(1), vm.object(2), vm.object(3), vm.object(4)};
  vm.first.top = 4;
  Block more;
  more.handles[0] = vm.object(5);
  more.top = 1;
  vm.first.next = &more;
  vm.pushed.handles[0] = vm.object(6);
  vm.pushed.top = 1;
  vm.first.pushed = &vm.pushed;
  vm.entered.handles[0] = vm.object(7);
  vm.entered.top = 1;
  vm.stack[20] = at(vm.threads[0]);  // a JavaCallWrapper: its thread, its handles
  vm.stack[21] = at(vm.entered);
  vm.stack[4] = at(vm.threads[0]);  // below the top: not in use
  vm.stack[5] = at(vm.second);
  std::vector<Address> wanted;
  for (std::size_t i = 1; i <= 7; ++i) wanted.push_back(vm.object(i));
  CHECK(vm.locals(0) == wanted);
}

TEST_CASE("a cursor finds stacks by their threads, in the VM's order") {
  Vm vm;
  StackCursor cursor(vm.layout);
  CHECK(cursor.stack_bytes_of(vm.object(0)) == sizeof vm.stack - 64);
  CHECK(cursor.index() == 0);
  CHECK(cursor.stack_bytes_of(vm.object(9)) == 0);
  CHECK(cursor.stack_bytes_of(vm.object(1)) == 0);  // runs no Java code
  CHECK(cursor.index() == 1);
  CHECK(StackCursor().stack_bytes_of(vm.object(0)) == 0);
}
