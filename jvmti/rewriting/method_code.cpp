#include "jvmti/rewriting/method_code.h"

#include "jvmti/rewriting/instruction.h"

namespace holdfast::jvmti {
namespace {

bool read_parts(Bytes content, const ClassFile& file, MethodCode& out) noexcept {
  ByteReader reader(content);
  out.max_stack = reader.u16();
  out.max_locals = reader.u16();
  const std::uint32_t bytes = reader.u32();
  if (bytes == 0 || bytes > kMaxCodeBytes) return false;
  out.code = reader.take(bytes);
  out.handlers = reader.take(reader.u16() * ExceptionEntry::kBytes);
  out.attribute_count = reader.u16();
  const std::size_t attributes_at = reader.at();
  for (std::uint32_t left = out.attribute_count; left > 0 && reader.ok(); --left)
    file.read_attribute(reader);
  if (!reader.ok() || !reader.at_end()) return false;
  out.attributes = content.subspan(attributes_at);
  return true;
}

Insertion insertion_for(unsigned op, Callee told) noexcept {
  switch (told) {
    case Callee::kArray:
      return Insertion::kArray;
    case Callee::kArrays:
      return Insertion::kArrays;
    case Callee::kCloned:
      return Insertion::kCloned;
    default:
      return is_return(op) ? Insertion::kReturn : Insertion::kNone;
  }
}

// A constant that is not there would be one of those that are added.
bool constant_is_there(Bytes code, std::uint32_t pc, const ConstantPool& pool) noexcept {
  const unsigned op = load_u8(code, pc);
  if (!names_constant(op)) return true;
  return pool.tag(op == kLdc ? load_u8(code, pc + 1) : load_u16(code, pc + 1)) != kPoolNothing;
}

}  // namespace

bool does_work(Bytes code, std::uint32_t pc, const ConstantPool& pool) noexcept {
  const unsigned op = load_u8(code, pc);
  if (is_invoke(op) || is_allocation(op)) return true;
  // A dynamic constant is made by a call.
  if (op == kLdc) return pool.tag(load_u8(code, pc + 1)) == kPoolDynamic;
  return (op == kLdcW || op == kLdc2W) && pool.tag(load_u16(code, pc + 1)) == kPoolDynamic;
}

LeftAlone read_code(Bytes content, const ClassFile& file, AllocationSites* sites, Scratch& scratch,
                    MethodCode& out) noexcept {
  if (!read_parts(content, file, out)) return LeftAlone::kMalformedCode;
  if (!scratch.make_zeroed(out.marks, out.size()) ||
      !scratch.make_zeroed(out.insertions, out.size()))
    return LeftAlone::kNoScratch;
  std::uint32_t last = 0;
  for (std::uint32_t pc = 0; pc < out.size();) {
    const std::uint32_t bytes = instruction_bytes(out.code, pc);
    if (bytes == 0 || !constant_is_there(out.code, pc, file.pool()))
      return LeftAlone::kMalformedCode;
    out.marks[pc] = kStart;
    const Callee told = sites != nullptr ? sites->told_of(out.code, pc) : Callee::kCount;
    out.insertions[pc] = insertion_for(load_u8(out.code, pc), told);
    out.sites += told != Callee::kCount ? 1 : 0;
    out.works |= does_work(out.code, pc, file.pool());
    last = pc;
    pc += bytes;
  }
  // What would run on behind the end would run into what is put there.
  return falls_through(load_u8(out.code, last)) ? LeftAlone::kMalformedCode : LeftAlone::kNo;
}

LeftAlone check_targets(MethodCode& method, const ConstantPool& pool) noexcept {
  const auto lands = [&](std::int64_t target) {
    return method.branches = true, method.starts(target);
  };
  for (std::uint32_t pc = 0; pc < method.size(); pc += instruction_bytes(method.code, pc))
    if (!for_each_target(method.code, pc, lands)) return LeftAlone::kMalformedCode;
  for (std::size_t i = 0; i < method.handler_count(); ++i) {
    const ExceptionEntry entry = method.handler(i);
    const bool end = entry.end == method.size() || method.starts(entry.end);
    if (!method.starts(entry.start) || !end || !method.starts(entry.handler) ||
        entry.start >= entry.end || (entry.type != 0 && pool.tag(entry.type) != kPoolClass))
      return LeftAlone::kMalformedCode;
  }
  return LeftAlone::kNo;
}

}  // namespace holdfast::jvmti
