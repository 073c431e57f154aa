#include "jvmti/hotspot/root_memory.h"

#include <initializer_list>

#include "jvmti/hotspot/vm_tables.h"

namespace holdfast::jvmti {

namespace {

struct Place {
  const char* type;
  const char* field;
};

class RootLayoutReader {
 public:
  explicit RootLayoutReader(const VmTables& tables) noexcept : tables_(tables) {}

  RootLayout read() noexcept {
    out_.threads = read_threads();
    read_globals();
    read_call_wrappers();
    return out_;
  }

 private:
  bool offset(std::uint32_t& into, std::initializer_list<Place> places) noexcept {
    constexpr std::uint64_t kMostOffsetInThread = 16384;
    for (const Place& place : places) {
      const auto field = tables_.field(place.type, place.field);
      if (!field || field->address != nullptr || field->offset >= kMostOffsetInThread) continue;
      into = static_cast<std::uint32_t>(field->offset);
      return true;
    }
    return false;
  }
  bool cell(Address& into, const char* type, const char* name) noexcept {
    const auto field = tables_.field(type, name);
    if (!field || field->address == nullptr) return false;
    into = reinterpret_cast<std::uintptr_t>(field->address);
    return true;
  }

  bool read_threads() noexcept {
    out_.linked = !cell(out_.list_cell, "ThreadsSMRSupport", "_java_thread_list");
    if (out_.linked && (!cell(out_.list_cell, "Threads", "_thread_list") ||
                        !offset(out_.next, {{"JavaThread", "_next"}})))
      return false;
    if (!out_.linked && (!offset(out_.length, {{"ThreadsList", "_length"}}) ||
                         !offset(out_.array, {{"ThreadsList", "_threads"}})))
      return false;
    std::uint32_t anchor = 0;
    std::uint32_t sp = 0;
    const auto object = tables_.field("JavaThread", "_threadObj");
    if (!object || (object->type != "OopHandle" && object->type != "oop")) return false;
    out_.object_by_handle = object->type == "OopHandle";
    if (!offset(out_.thread_object, {{"JavaThread", "_threadObj"}}) ||
        !offset(anchor, {{"JavaThread", "_anchor"}}) ||
        !offset(sp, {{"JavaFrameAnchor", "_last_Java_sp"}}) ||
        !offset(out_.stack_base, {{"JavaThread", "_stack_base"}, {"Thread", "_stack_base"}}) ||
        !offset(out_.stack_bytes, {{"JavaThread", "_stack_size"}, {"Thread", "_stack_size"}}))
      return false;
    out_.last_sp = anchor + sp;
    return read_blocks();
  }

  bool read_blocks() noexcept {
    const auto size = tables_.constant("JNIHandleBlock::block_size_in_oops");
    if (!size || *size <= 0 || *size > 1024) return false;
    out_.block_size = static_cast<std::uint32_t>(*size);
    return offset(out_.local_handles,
                  {{"JavaThread", "_active_handles"}, {"Thread", "_active_handles"}}) &&
           offset(out_.block_handles, {{"JNIHandleBlock", "_handles"}}) &&
           offset(out_.block_top, {{"JNIHandleBlock", "_top"}}) &&
           offset(out_.block_next, {{"JNIHandleBlock", "_next"}});
  }

  void read_globals() noexcept {
    const auto field = tables_.field("JNIHandles", "_global_handles");
    if (!field || !cell(out_.globals_cell, "JNIHandles", "_global_handles")) return;
    out_.globals_in_blocks = field->type == "JNIHandleBlock*";
    out_.globals = out_.globals_in_blocks ? out_.threads : field->type == "OopStorage*";
  }

  // _thread, _handles, _callee_method, _receiver, _anchor: only the last one's place is told.
  void read_call_wrappers() noexcept {
    std::uint32_t anchor = 0;
    out_.call_wrappers = offset(anchor, {{"JavaCallWrapper", "_anchor"}}) && anchor == 32;
  }

  const VmTables& tables_;
  RootLayout out_;
};

}  // namespace

RootLayout read_root_layout(VmSymbol symbol) noexcept {
  VmTables tables;
  if (!tables.open(symbol)) return {};
  return RootLayoutReader(tables).read();
}

VmThread RootReader::thread_at(Address address) noexcept {
  VmThread thread;
  thread.address = address;
  thread.object = read<Address>(address + layout_.thread_object);
  if (layout_.object_by_handle) thread.object = read<Address>(thread.object);
  thread.object = view_.current(thread.object);
  thread.base = read<Address>(address + layout_.stack_base);
  const auto bytes = read<std::uint64_t>(address + layout_.stack_bytes);
  const auto top = read<Address>(address + layout_.last_sp);
  if (top % 8 == 0 && top < thread.base && thread.base - top < bytes) thread.top = top;
  return thread;
}

// -- proof --

// Whether this is the array of the storage's blocks: its first block says so.
bool RootReader::storage_array_at(Address store, Address array) noexcept {
  const auto size = read<std::uint64_t>(array);
  const auto count = read<std::uint64_t>(array + kArrayCount);
  if (count == 0 || count > size || size > kMostBlocks) return false;
  const Address block = read<Address>(array + kArrayBlocks);
  return block != 0 && read<Address>(block + kOwner) == store &&
         read<std::uint64_t>(block + kIndex) == 0;
}

bool RootReader::local_is_known(const VmThread& thread, Address handle) noexcept {
  const Address object = read<Address>(handle);
  bool found = false;
  const auto look = [&](Address held) { found = found || held == object; };
  for_each_in_chain(read<Address>(thread.address + layout_.local_handles), look);
  return found && object != 0 && view_.current(object) == thread.object;
}

bool RootReader::global_is_known(Address handle) noexcept {
  const Address object = read<Address>(handle);
  bool found = false;
  return for_each_global([&](Address held) { found = found || held == object; }) && found;
}

void prove_roots(const HeapView& view, RootLayout& layout, Address own_local,
                 Address own_global) noexcept {
  constexpr int kTries = 5;  // the application runs: objects move, arrays are replaced
  constexpr Address kTagBits = 7;
  constexpr std::uint32_t kStorageWords = 16;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  bool threads = false;
  bool globals = false;
  for (int i = 0; i < kTries && !(threads && globals); ++i) {
    RootReader reader(view, layout);
    if (layout.threads && !threads)
      reader.for_each_thread([&](const VmThread& thread, std::uint32_t) {
        const auto bytes = reader.read<std::uint64_t>(thread.address + layout.stack_bytes);
        const bool own = here < thread.base && thread.base - here < bytes;
        threads = threads || (own && reader.local_is_known(thread, own_local & ~kTagBits));
      });
    if (!layout.globals || globals) continue;
    const Address store = reader.read<Address>(layout.globals_cell);
    for (std::uint32_t w = 0; w < kStorageWords && !layout.globals_in_blocks; ++w)
      if (reader.storage_array_at(store, reader.read<Address>(store + w * 8))) {
        layout.storage_array = w * 8;
        break;
      }
    globals = reader.global_is_known(own_global & ~kTagBits);
  }
  layout.threads = threads;
  layout.globals = globals;
}

}  // namespace holdfast::jvmti
