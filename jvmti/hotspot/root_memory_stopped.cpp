#include "jvmti/hotspot/root_memory.h"

namespace holdfast::jvmti {

std::uint64_t StackCursor::stack_bytes_of(Address object) noexcept {
  if (layout_ == nullptr) return 0;
  const RootLayout& layout = *layout_;
  const auto object_of = [&layout](Address thread) {
    const auto held = load<Address>(thread + layout.thread_object);
    return layout.object_by_handle && held != 0 ? load<Address>(held) : held;
  };
  const auto bytes_of = [&layout](Address thread) -> std::uint64_t {
    const auto base = load<Address>(thread + layout.stack_base);
    const auto top = load<Address>(thread + layout.last_sp);
    const auto most = load<std::uint64_t>(thread + layout.stack_bytes);
    return top != 0 && top < base && base - top < most ? base - top : 0;
  };
  std::uint32_t index = begun_ ? index_ + 1 : 0;
  const auto list = load<Address>(layout.list_cell);
  if (layout.linked) {
    Address thread = begun_ ? load<Address>(at_ + layout.next) : list;
    for (; thread != 0; thread = load<Address>(thread + layout.next), ++index) {
      if (object_of(thread) != object) continue;
      at_ = thread;
      index_ = index;
      begun_ = true;
      return bytes_of(thread);
    }
    return 0;
  }
  const auto count = load<std::uint32_t>(list + layout.length);
  const auto array = load<Address>(list + layout.array);
  for (; index < count; ++index) {
    const auto thread = load<Address>(array + std::uint64_t{index} * 8);
    if (object_of(thread) != object) continue;
    index_ = index;
    begun_ = true;
    return bytes_of(thread);
  }
  return 0;
}

}  // namespace holdfast::jvmti
