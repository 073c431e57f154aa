#include "jvmti/rewriting/own_calls.h"

#include <bit>

#include "jvmti/rewriting/opcodes.h"

namespace holdfast::jvmti {
namespace {

constexpr unsigned kHashFactor = 31;

std::size_t first_slot(std::uint32_t name, std::uint32_t descriptor) noexcept {
  return std::size_t{name} * kHashFactor + descriptor;
}

}  // namespace

bool OwnCalls::open(const ClassFile& file, Scratch& scratch) noexcept {
  file_ = &file;
  final_class_ = (load_u16(file.middle(), 0) & kAccFinal) != 0;
  if (!scratch.make_zeroed(slots_, std::bit_ceil(std::size_t{file.method_count()} * 2 + 1)))
    return false;
  ByteReader reader(file.methods());
  for (std::uint32_t left = file.method_count(); left > 0; --left) add(file.read_member(reader));
  return true;
}

// Native and abstract methods enter nothing; constructors and initializers enter late, or are not called.
void OwnCalls::add(const Member& method) noexcept {
  if ((method.access & (kAccNative | kAccAbstract)) != 0 || method.name.starts_with('<')) return;
  const std::uint16_t name = load_u16(method.bytes, 2), descriptor = load_u16(method.bytes, 4);
  for (std::uint32_t probe = 0; probe < kMostProbes; ++probe) {
    Slot& slot = slots_[(first_slot(name, descriptor) + probe) & (slots_.size() - 1)];
    if (slot.name != 0) continue;
    slot = {name, descriptor, method.access};
    return;
  }
}

const OwnCalls::Slot* OwnCalls::find(NameAndType wanted) const noexcept {
  for (std::uint32_t probe = 0; probe < kMostProbes; ++probe) {
    const Slot& slot =
        slots_[(first_slot(wanted.name, wanted.descriptor) + probe) & (slots_.size() - 1)];
    if (slot.name == 0) return nullptr;
    if (slot.name == wanted.name && slot.descriptor == wanted.descriptor) return &slot;
  }
  return nullptr;
}

bool OwnCalls::stays_here(Bytes code, std::uint32_t pc) const noexcept {
  const unsigned op = load_u8(code, pc);
  if (op != kInvokestatic && op != kInvokespecial && op != kInvokevirtual) return false;
  const std::uint16_t index = load_u16(code, pc + 1);
  if (file_->pool().owner_index(index) != file_->this_index()) return false;
  const Slot* const callee = find(file_->pool().name_and_type(index));
  if (callee == nullptr) return false;
  if (op != kInvokevirtual) return true;
  return final_class_ || (callee->access & (kAccPrivate | kAccFinal)) != 0;
}

}  // namespace holdfast::jvmti
