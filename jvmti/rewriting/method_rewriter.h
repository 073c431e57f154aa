// One method with code: what is put into it, and its new bytes.
// Why a method at a time: where one cannot be rewritten, it stays as it was, and the others are rewritten all the same.
// Shape:  counted sites get dup; invokestatic. In a class with an account a method that allocates or calls is entered and left:
//           S: account; enter; lstore saved; body with (lload saved; leave) before each return; handler: lload saved; leave; athrow.
//         A method that does neither needs none, nor does one that only calls what own_calls.h says. A constructor is entered behind this() or super(); where its arguments work, too,
//         it is entered at the start and left for the time of the call, so that what is above pays for itself.
//         saved = max_locals, two words; the stack is deeper by two at most, and by one for what is counted.
// Zone:   event, offline.   Errors: any LeftAlone; what was written of the method is taken back.
// Source: Bouché, von Löwis, Tröger: Aggregated Accounting of Memory Usage in Java, section 5.
#pragma once

#include <cstdint>

#include "jvmti/rewriting/allocation_sites.h"
#include "jvmti/rewriting/code_tables.h"
#include "jvmti/rewriting/inserted_code.h"
#include "jvmti/rewriting/own_calls.h"
#include "jvmti/rewriting/pool_additions.h"
#include "jvmti/rewriting/stack_map_writer.h"

namespace holdfast::jvmti {

struct MethodOutcome {
  LeftAlone reason = LeftAlone::kNo;
  bool changed = false;
  bool bracketed = false;
  std::uint32_t sites = 0;
  std::uint32_t code_bytes_before = 0;
  std::uint32_t code_bytes_after = 0;
};

class MethodRewriter {
 public:
  MethodRewriter(const ClassFile& file, const RewritePlan& plan, Scratch& scratch) noexcept
      : file_(file), plan_(plan), scratch_(scratch) {}
  bool open() noexcept;

  // Writes the method, rewritten or as it was.
  MethodOutcome write(const Member& member, ByteWriter& writer) noexcept;

  const PoolAdditions& additions() const noexcept { return additions_; }

 private:
  // What is to be done to the method at hand.
  struct Task {
    MethodCode code;
    InsertedCode inserted;
    SavedLocal saved;
    bool bracketed = false;
  };

  LeftAlone rewrite(const Member& member, const Attribute& code, ByteWriter& writer,
                    MethodOutcome& outcome) noexcept;
  LeftAlone prepare(const Member& member, Task& task) noexcept;
  LeftAlone prepare_constructor(Task& task) noexcept;
  bool works_itself(const MethodCode& code, std::uint32_t pc) noexcept;
  bool works_itself(const MethodCode& code) noexcept;
  LeftAlone write_member(const Member& member, const Attribute& code, const CodeLayout& layout,
                         const SavedLocal& saved, ByteWriter& writer) noexcept;
  LeftAlone write_code_attribute(const Member& member, const CodeLayout& layout,
                                 const SavedLocal& saved, ByteWriter& writer) noexcept;
  LeftAlone write_attributes(const Member& member, const CodeLayout& layout,
                             const SavedLocal& saved, ByteWriter& writer) noexcept;
  LeftAlone write_table(CodeTable table, const Attribute& attribute, const Member& member,
                        const CodeLayout& layout, const SavedLocal& saved,
                        ByteWriter& writer) noexcept;

  void count_after(Task& task, Insertion kind, Callee callee) noexcept;
  Snippet enter(std::uint32_t saved) noexcept;
  Snippet leave(std::uint32_t saved) noexcept;
  void call(Snippet& snippet, Callee callee) noexcept;
  void push_number(Snippet& snippet) noexcept;

  const ClassFile& file_;
  const RewritePlan& plan_;
  Scratch& scratch_;
  AllocationSites sites_;
  OwnCalls own_calls_;
  PoolAdditions additions_;
  std::array<std::uint16_t, kCallees> callees_{};  // 0: not added yet
  std::int32_t number_ = 0;                        // that the method at hand enters
  std::int32_t constant_ = 0;                      // whose index is
  std::uint16_t constant_index_ = 0;
  std::uint16_t frames_name_index_ = 0;
};

}  // namespace holdfast::jvmti
