#include "jvmti/rewriting/class_rewriter.h"

#include <cstring>

#include "jvmti/rewriting/method_rewriter.h"

namespace holdfast::jvmti {
namespace {

// Everything but the new constants, where it would lie without them.
LeftAlone write_methods(const ClassFile& file, MethodRewriter& rewriter, ByteWriter& writer,
                        RewriteResult& result) noexcept {
  writer.u16(file.method_count());
  ByteReader reader(file.methods());
  for (std::uint32_t left = file.method_count(); left > 0; --left) {
    const MethodOutcome outcome = rewriter.write(file.read_member(reader), writer);
    if (concerns_class(outcome.reason)) return outcome.reason;
    if (!writer.ok()) return LeftAlone::kNoRoom;
    ++result.methods_left_alone[static_cast<std::size_t>(outcome.reason)];
    result.methods_rewritten += outcome.changed ? 1 : 0;
    result.methods_bracketed += outcome.changed && outcome.bracketed ? 1 : 0;
    result.sites += outcome.changed ? outcome.sites : 0;
    result.code_bytes_before += outcome.code_bytes_before;
    result.code_bytes_after +=
        outcome.changed ? outcome.code_bytes_after : outcome.code_bytes_before;
  }
  return LeftAlone::kNo;
}

// Moves what stands behind the constant pool, and puts the new constants between.
LeftAlone insert_constants(const PoolAdditions& additions, std::size_t pool_end,
                           std::span<std::byte> out, ByteWriter& writer,
                           std::size_t count_at) noexcept {
  const Bytes added = additions.bytes();
  if (added.size() > out.size() - writer.at()) return LeftAlone::kNoRoom;
  std::memmove(out.data() + pool_end + added.size(), out.data() + pool_end, writer.at() - pool_end);
  ByteWriter(out, pool_end).put(added);
  writer.patch_u16(count_at, additions.count());
  return LeftAlone::kNo;
}

LeftAlone rewrite(Bytes in, const RewritePlan& plan, Scratch& scratch, std::span<std::byte> out,
                  RewriteResult& result) noexcept {
  ClassFile file;
  if (const LeftAlone reason = file.read(in, scratch); reason != LeftAlone::kNo) return reason;
  result.methods = file.method_count();
  MethodRewriter rewriter(file, plan, scratch);
  if (!rewriter.open()) return LeftAlone::kNoScratch;

  ByteWriter writer(out);
  writer.put(file.head());
  const std::size_t count_at = writer.at();
  writer.u16(file.pool().count());
  writer.put(file.pool_bytes());
  const std::size_t pool_end = writer.at();
  writer.put(file.middle());
  writer.u16(file.field_count());
  writer.put(file.fields());
  if (const LeftAlone reason = write_methods(file, rewriter, writer, result);
      reason != LeftAlone::kNo)
    return reason;
  writer.put(file.tail());
  if (!writer.ok()) return LeftAlone::kNoRoom;
  if (result.methods_rewritten == 0) return LeftAlone::kNo;
  const PoolAdditions& additions = rewriter.additions();
  result.bytes = writer.at() + additions.bytes().size();
  return insert_constants(additions, pool_end, out, writer, count_at);
}

}  // namespace

RewriteResult rewrite_class(std::span<const std::byte> in, const RewritePlan& plan,
                            Scratch& scratch, std::span<std::byte> out) noexcept {
  RewriteResult result;
  const Scratch::Mark mark = scratch.mark();
  const LeftAlone reason = rewrite(in, plan, scratch, out, result);
  result.scratch_peak_bytes = scratch.peak_bytes();
  scratch.rewind(mark);
  if (reason != LeftAlone::kNo) {
    RewriteResult alone;
    alone.outcome = RewriteOutcome::kLeftAlone;
    alone.reason = reason;
    alone.methods = result.methods;
    alone.scratch_peak_bytes = result.scratch_peak_bytes;
    return alone;
  }
  if (result.methods_rewritten > 0) result.outcome = RewriteOutcome::kRewritten;
  return result;
}

}  // namespace holdfast::jvmti
