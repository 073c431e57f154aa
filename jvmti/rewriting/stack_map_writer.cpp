#include "jvmti/rewriting/stack_map_writer.h"

namespace holdfast::jvmti {
namespace {

constexpr unsigned kNearest =
    64;  // same frames that hold their distance themselves: fewer than these
constexpr unsigned kSameWithStackNear = 64;
constexpr unsigned kWriteSameWithStackFar = 247;
constexpr unsigned kWriteSameFar = 251;  // less: chop, more: append
constexpr unsigned kWriteFull = 255;
constexpr std::uint32_t kMostAppended = 3;
constexpr std::uint32_t kMostFrames = 65535;
constexpr std::string_view kThrowable = "java/lang/Throwable";

}  // namespace

LeftAlone StackMapWriter::write(Bytes table, Scratch& scratch) noexcept {
  const std::size_t count_at = writer_.at();
  writer_.u16(0);
  if (const LeftAlone reason = frames(table, scratch); reason != LeftAlone::kNo) return reason;
  std::uint32_t which = 0;
  if (layout_.inserted().handlers.before_init) handler(which++, true);
  if (layout_.inserted().handlers.after_init) handler(which++, false);
  if (additions_.reason() != LeftAlone::kNo) return additions_.reason();
  if (count_ > kMostFrames) return LeftAlone::kMalformedFrames;
  writer_.patch_u16(count_at, count_);
  return writer_.ok() ? LeftAlone::kNo : LeftAlone::kNoRoom;
}

LeftAlone StackMapWriter::frames(Bytes table, Scratch& scratch) noexcept {
  StackMapReader reader;
  if (const LeftAlone reason = reader.open(file_, member_, layout_.method(), table, scratch);
      reason != LeftAlone::kNo)
    return reason;
  while (reader.next() && writer_.ok()) {
    const Frame frame = reader.frame();
    const std::uint32_t position = layout_.position(frame.pc);
    if (const LeftAlone reason = stones_up_to(position, table, scratch); reason != LeftAlone::kNo)
      return reason;
    put(frame, position);
  }
  if (!writer_.ok()) return LeftAlone::kNoRoom;
  if (!reader.ok() || (!table.empty() && !reader.ended_well())) return LeftAlone::kMalformedFrames;
  return stones_up_to(kMaxCodeBytes, table, scratch);
}

LeftAlone StackMapWriter::stones_up_to(std::uint32_t position, Bytes table,
                                       Scratch& scratch) noexcept {
  while (next_stone_ < layout_.stones().size() && layout_.stone_position(next_stone_) < position) {
    const Scratch::Mark mark = scratch.mark();
    const LeftAlone reason = stone(next_stone_++, table, scratch);
    scratch.rewind(mark);
    if (reason != LeftAlone::kNo) return reason;
  }
  return LeftAlone::kNo;
}

// Its target's frame, in full.
LeftAlone StackMapWriter::stone(std::size_t i, Bytes table, Scratch& scratch) noexcept {
  StackMapReader reader;
  if (const LeftAlone reason = reader.open(file_, member_, layout_.method(), table, scratch);
      reason != LeftAlone::kNo)
    return reason;
  const std::uint32_t target = layout_.stones()[i].target;
  bool found = false;
  while (!found && reader.next()) found = reader.frame().pc == target;
  if (!found) return LeftAlone::kMalformedFrames;
  base_known_ = false;
  put(reader.frame(), layout_.stone_position(i));
  base_known_ = false;
  return LeftAlone::kNo;
}

// Nothing is known there but what the handler needs.
void StackMapWriter::handler(std::uint32_t which, bool before_init) noexcept {
  const std::uint32_t delta = delta_to(layout_.handler_position(which));
  writer_.u8(kWriteFull);
  writer_.u16(delta);
  writer_.u16(saved_.index + 1);
  if (before_init) writer_.u8(kTypeUninitializedThis);
  put_padding_and_saved(before_init ? 1 : 0);
  writer_.u16(1);
  writer_.u8(kTypeObject);
  writer_.u16(additions_.class_named(kThrowable));
}

std::uint32_t StackMapWriter::delta_to(std::uint32_t position) noexcept {
  const std::uint32_t delta = count_ == 0 ? position : position - last_position_ - 1;
  last_position_ = position;
  ++count_;
  return delta;
}

void StackMapWriter::put(Frame frame, std::uint32_t position) noexcept {
  const std::uint32_t delta = delta_to(position);
  const bool saved = saved_at(frame.pc);
  const bool same = frame.form == FrameForm::kSame || frame.form == FrameForm::kSameWithStack;
  const bool grown = frame.form == FrameForm::kSame || frame.form == FrameForm::kAppend;
  const std::uint32_t padding = saved ? saved_.index - frame.local_words : 0;
  const std::uint32_t appended = frame.changed + padding + 1;
  if (base_known_ && base_saved_ == saved && (same || (!saved && frame.form != FrameForm::kFull)))
    put_as_it_was(frame, delta);
  else if (base_known_ && !base_saved_ && saved && grown && appended <= kMostAppended)
    put_appended(frame, delta);
  else
    put_full(frame, delta, saved);
  base_known_ = true;
  base_saved_ = saved;
}

void StackMapWriter::put_head(unsigned near, unsigned far, std::uint32_t delta) noexcept {
  if (delta < kNearest) return writer_.u8(near + delta);
  writer_.u8(far);
  writer_.u16(delta);
}

void StackMapWriter::put_as_it_was(const Frame& frame, std::uint32_t delta) noexcept {
  switch (frame.form) {
    case FrameForm::kSame:
      return put_head(0, kWriteSameFar, delta);
    case FrameForm::kSameWithStack: {
      put_head(kSameWithStackNear, kWriteSameWithStackFar, delta);
      VerificationType type = frame.stack[0];
      return put_type(type);
    }
    case FrameForm::kChop:
      writer_.u8(kWriteSameFar - frame.changed);
      return writer_.u16(delta);
    default:
      writer_.u8(kWriteSameFar + frame.changed);
      writer_.u16(delta);
      for (VerificationType& type : frame.locals.last(frame.changed)) put_type(type);
  }
}

void StackMapWriter::put_appended(Frame frame, std::uint32_t delta) noexcept {
  const std::uint32_t padding = saved_.index - frame.local_words;
  writer_.u8(kWriteSameFar + frame.changed + padding + 1);
  writer_.u16(delta);
  for (VerificationType& type : frame.locals.last(frame.changed)) put_type(type);
  put_padding_and_saved(frame.local_words);
}

void StackMapWriter::put_full(Frame frame, std::uint32_t delta, bool saved) noexcept {
  const auto locals = static_cast<std::uint32_t>(frame.locals.size());
  writer_.u8(kWriteFull);
  writer_.u16(delta);
  writer_.u16(saved ? locals + (saved_.index - frame.local_words) + 1 : locals);
  for (VerificationType& type : frame.locals) put_type(type);
  if (saved) put_padding_and_saved(frame.local_words);
  writer_.u16(static_cast<unsigned>(frame.stack.size()));
  for (VerificationType type : frame.stack) put_type(type);
}

void StackMapWriter::put_padding_and_saved(std::uint32_t words) noexcept {
  for (; words < saved_.index && writer_.ok(); ++words) writer_.u8(kTypeTop);
  writer_.u8(kTypeLong);
}

// An argument's class entry is looked up once: from then on the frame knows its index.
void StackMapWriter::put_type(VerificationType& type) noexcept {
  if (type.tag == kTypeArgument)
    type = {kTypeObject,
            additions_.class_named(member_.descriptor.substr(type.value, type.name_bytes))};
  writer_.u8(type.tag);
  if (type.tag == kTypeObject) writer_.u16(type.value);
  if (type.tag == kTypeUninitialized) writer_.u16(layout_.instruction_position(type.value));
}

}  // namespace holdfast::jvmti
