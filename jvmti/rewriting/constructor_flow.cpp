#include "jvmti/rewriting/constructor_flow.h"

#include "jvmti/rewriting/descriptor.h"
#include "jvmti/rewriting/instruction.h"

namespace holdfast::jvmti {
namespace {

constexpr std::uint8_t kKnown = kBeforeInit | kAfterInit;

// What the dup instructions do: `taken` words are put back from the bottom up as the order says (0 is the lowest of them).
struct Duplication {
  std::uint8_t taken;
  std::uint8_t put;
  std::uint8_t order[6];
};
constexpr Duplication kDuplications[] = {
    {1, 2, {0, 0}},              // dup
    {2, 3, {1, 0, 1}},           // dup_x1
    {3, 4, {2, 0, 1, 2}},        // dup_x2
    {2, 4, {0, 1, 0, 1}},        // dup2
    {3, 5, {1, 2, 0, 1, 2}},     // dup2_x1
    {4, 6, {2, 3, 0, 1, 2, 3}},  // dup2_x2
    {2, 2, {1, 0}},              // swap
};

constexpr unsigned kFirstStore = 0x3B;  // istore_0; four of each type
constexpr unsigned kFirstLoad = 0x15;   // iload

}  // namespace

bool ConstructorFlow::push(bool object) noexcept {
  if (words_.depth >= kMostWords) return false;
  const std::uint64_t bit = std::uint64_t{1} << words_.depth++;
  words_.object_bits = object ? words_.object_bits | bit : words_.object_bits & ~bit;
  return true;
}

bool ConstructorFlow::pop(std::uint32_t words) noexcept {
  if (words > words_.depth) return false;
  if (words == 0) return true;
  words_.depth -= words;
  words_.object_bits &= (std::uint64_t{1} << words_.depth) - 1;
  return true;
}

const ConstructorFlow::Pending* ConstructorFlow::pending_at(std::uint32_t pc) const noexcept {
  for (std::size_t i = 0; i < pending_count_; ++i)
    if (pending_[i].pc == pc) return &pending_[i];
  return nullptr;
}

bool ConstructorFlow::find() noexcept {
  for (std::size_t pc = 0; pc < method_.size(); ++pc)
    method_.marks[pc] = static_cast<std::uint8_t>(method_.marks[pc] & ~kKnown);
  if (!arrive(0, true)) return false;
  for (std::uint32_t round = 0; round < kMostPasses && changed_; ++round) {
    changed_ = false;
    if (!pass() || !enter_handlers()) return false;
  }
  return !changed_ && all_clear();
}

bool ConstructorFlow::pass() noexcept {
  bool reached = false;
  for (std::uint32_t pc = 0; pc < method_.size(); pc += instruction_bytes(method_.code, pc)) {
    const unsigned known = method_.marks[pc] & kKnown;
    if (reached) {
      if (!arrive(pc, false)) return false;
    } else if (known == 0) {
      continue;
    } else {
      after_ = known == kAfterInit;
      const Pending* pending = pending_at(pc);
      if (!after_ && pending == nullptr) return false;
      words_ = after_ ? Words{} : pending->words;
    }
    const unsigned op = load_u8(method_.code, pc);
    if (!step(pc, op)) return false;
    reached = falls_through(op);
  }
  return !reached;
}

// The present state comes to an instruction.
bool ConstructorFlow::arrive(std::uint32_t pc, bool jump) noexcept {
  const std::uint8_t state = after_ ? kAfterInit : kBeforeInit;
  const unsigned known = method_.marks[pc] & kKnown;
  if (known != 0 && known != state) return false;
  if (known == 0) {
    method_.marks[pc] = static_cast<std::uint8_t>(method_.marks[pc] | state);
    changed_ = true;
  }
  if (after_) return true;
  if (const Pending* pending = pending_at(pc)) return pending->words == words_;
  if (!jump) return true;
  if (pending_count_ == kMostPending) return false;
  pending_[pending_count_++] = {pc, words_};
  return true;
}

bool ConstructorFlow::step(std::uint32_t pc, unsigned op) noexcept {
  if (!after_ && !follow_before(pc, op)) return false;
  return for_each_target(method_.code, pc, [&](std::int64_t target) {
    return arrive(static_cast<std::uint32_t>(target), true);
  });
}

bool ConstructorFlow::follow_before(std::uint32_t pc, unsigned op) noexcept {
  const Bytes code = method_.code;
  if (op >= kDup && op <= kSwap) return duplicate(op);
  if (op >= kFirstLoad && op <= kAload) return local_access(op, load_u8(code, pc + 1));
  if (op >= kIstore && op <= kAstore) return local_access(op, load_u8(code, pc + 1));
  if (op == kWide) return local_access(load_u8(code, pc + 1), load_u16(code, pc + 2));
  if ((op >= kAload0 && op <= kAload3) || (op >= kFirstStore && op <= kAstore3))
    return implicit_local_access(op);
  if (op >= kGetstatic && op <= kPutfield) return field_access(pc, op);
  if (is_invoke(op)) return call(pc, op);
  if (op == kMultianewarray) return pop(load_u8(code, pc + 3)) && push(false);
  if (op == kAthrow) return pop(1);
  if (kPops[op] == kInOperands) return false;  // jsr, ret, returns
  if (!pop(static_cast<std::uint32_t>(kPops[op] - '0'))) return false;
  for (char left = kPushes[op]; left > '0'; --left)
    if (!push(false)) return false;
  return true;
}

bool ConstructorFlow::implicit_local_access(unsigned op) noexcept {
  if (op <= kAload3) return local_access(kAload, op - kAload0);
  return local_access(kIstore + (op - kFirstStore) / 4, (op - kFirstStore) % 4);
}

// A load or store with its operand, or what stands behind a wide.
bool ConstructorFlow::local_access(unsigned op, std::uint32_t index) noexcept {
  if (op == kIinc) return true;
  if (op == kRet) return false;
  if (op == kAload) return push(index == 0);
  if (op < kAload) {
    for (char left = kPushes[op]; left > '0'; --left)
      if (!push(false)) return false;
    return true;
  }
  // Nothing may take the place of the object, and the object may not go elsewhere.
  if (index == 0 || top_is_object()) return false;
  return pop(op == kAstore ? 1 : static_cast<std::uint32_t>(kPops[op] - '0'));
}

bool ConstructorFlow::duplicate(unsigned op) noexcept {
  const Duplication& what = kDuplications[op - kDup];
  if (words_.depth < what.taken) return false;
  const std::uint64_t taken = words_.object_bits >> (words_.depth - what.taken);
  if (!pop(what.taken)) return false;
  for (std::size_t i = 0; i < what.put; ++i)
    if (!push((taken >> what.order[i] & 1u) != 0)) return false;
  return true;
}

bool ConstructorFlow::field_access(std::uint32_t pc, unsigned op) noexcept {
  DescriptorReader reader(file_.pool().reference(load_u16(method_.code, pc + 1)).descriptor);
  const std::uint32_t words = reader.next_type().words();
  if (!reader.ok() || words == 0) return false;
  if (op == kPutstatic) return pop(words);
  if (op == kPutfield) return pop(words + 1);
  if (op == kGetfield && !pop(1)) return false;
  return push(false) && (words == 1 || push(false));
}

bool ConstructorFlow::call(std::uint32_t pc, unsigned op) noexcept {
  const MemberReference callee = file_.pool().reference(load_u16(method_.code, pc + 1));
  CallWords words;
  if (!call_words(callee.descriptor, words) || !pop(words.arguments)) return false;
  if (op == kInvokespecial && top_is_object()) {
    const bool own = callee.owner == file_.name() || callee.owner == file_.super_name();
    if (callee.name != "<init>" || !own) return false;
    method_.insertions[pc] = Insertion::kInitCall;
    after_ = true;
    words_ = {};
    return true;
  }
  if (op != kInvokestatic && op != kInvokedynamic && !pop(1)) return false;
  for (std::uint32_t i = 0; i < words.result; ++i)
    if (!push(false)) return false;
  return true;
}

bool ConstructorFlow::enter_handlers() noexcept {
  for (std::size_t i = 0; i < method_.handler_count(); ++i) {
    const ExceptionEntry entry = method_.handler(i);
    const unsigned known = method_.marks[entry.start] & kKnown;
    if (known == 0) continue;
    after_ = known == kAfterInit;
    words_ = {0, 1};
    if (!arrive(entry.handler, true)) return false;
  }
  return true;
}

// Every instruction has a state, and no handler covers both, nor a call from one to the other.
bool ConstructorFlow::all_clear() noexcept {
  constexpr std::uint32_t kOneAfter = 0x10000;
  std::uint32_t seen = 0;
  for (std::uint32_t pc = 0; pc < method_.size(); ++pc) {
    method_.positions[pc] = seen;
    if (!method_.starts(pc)) continue;
    if ((method_.marks[pc] & kKnown) == 0) return false;
    const bool call = method_.insertions[pc] == Insertion::kInitCall;
    if (method_.after_init(pc) || call) seen += kOneAfter;
    if (!method_.after_init(pc) || call) ++seen;
  }
  method_.positions[method_.size()] = seen;
  for (std::size_t i = 0; i < method_.handler_count(); ++i) {
    const ExceptionEntry entry = method_.handler(i);
    const std::uint32_t from = method_.positions[entry.start];
    const std::uint32_t to = method_.positions[entry.end];
    if (from >> 16u != to >> 16u && (from & 0xFFFFu) != (to & 0xFFFFu)) return false;
  }
  return true;
}

}  // namespace holdfast::jvmti
