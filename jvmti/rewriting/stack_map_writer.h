// Writes a method's stack map frames anew: moved, with the local that was added, and with those of stepping stones and handlers.
// Why not only moved: a frame that does not name a local takes it away, and the handlers at the end need it.
// Shape:  the added local has the type long and lies behind all others: locals, Top up to it, long. The shortest form that says it:
//         same forms stay where the local is there before and after, else append where at most three are added, else full.
//         O(frames), O(locals) for a full one; a stepping stone costs one more pass over the frames up to its target's.
// Zone:   event, offline.
// Errors: kMalformedFrames, also where a stepping stone's target has none; kPoolFull, kNoScratch, kNoRoom.
// Source: The Java Virtual Machine Specification, sections 4.7.4 and 4.10.1.
#pragma once

#include "jvmti/rewriting/code_layout.h"
#include "jvmti/rewriting/pool_additions.h"
#include "jvmti/rewriting/stack_map_reader.h"

namespace holdfast::jvmti {

// Where the local that was added holds its value.
struct SavedLocal {
  std::uint32_t index = 0;  // the method's max_locals of before
  bool before_init = false;
  bool after_init = false;
};

class StackMapWriter {
 public:
  StackMapWriter(const ClassFile& file, const Member& member, const CodeLayout& layout,
                 const SavedLocal& saved, PoolAdditions& additions, ByteWriter& writer) noexcept
      : file_(file),
        member_(member),
        layout_(layout),
        saved_(saved),
        additions_(additions),
        writer_(writer) {}

  // The content of the attribute, from that of the old one (empty: there was none).
  LeftAlone write(Bytes table, Scratch& scratch) noexcept;

 private:
  LeftAlone frames(Bytes table, Scratch& scratch) noexcept;
  LeftAlone stones_up_to(std::uint32_t position, Bytes table, Scratch& scratch) noexcept;
  LeftAlone stone(std::size_t i, Bytes table, Scratch& scratch) noexcept;
  void handler(std::uint32_t which, bool before_init) noexcept;

  bool saved_at(std::uint32_t pc) const noexcept {
    return layout_.method().after_init(pc) ? saved_.after_init : saved_.before_init;
  }
  void put(Frame frame, std::uint32_t position) noexcept;
  void put_as_it_was(const Frame& frame, std::uint32_t delta) noexcept;
  void put_appended(Frame frame, std::uint32_t delta) noexcept;
  void put_full(Frame frame, std::uint32_t delta, bool saved) noexcept;
  void put_padding_and_saved(std::uint32_t words) noexcept;
  void put_type(VerificationType& type) noexcept;
  void put_head(unsigned near, unsigned far, std::uint32_t delta) noexcept;
  std::uint32_t delta_to(std::uint32_t position) noexcept;

  const ClassFile& file_;
  const Member& member_;
  const CodeLayout& layout_;
  const SavedLocal& saved_;
  PoolAdditions& additions_;
  ByteWriter& writer_;
  std::uint32_t count_ = 0;
  std::size_t next_stone_ = 0;
  std::uint32_t last_position_ = 0;
  bool base_known_ = true;   // the frame before is the one that the class file has there
  bool base_saved_ = false;  // with the local that was added
};

}  // namespace holdfast::jvmti
