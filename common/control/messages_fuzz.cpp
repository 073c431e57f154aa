// Any bytes are refused or become a message whose every view lies inside them; what was read can be written again.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "common/control/messages.h"
#include "common/control/messages_fixture.h"

using namespace holdfast;
using namespace holdfast::control;

namespace {

std::uint64_t sum_of(std::string_view text) {
  std::uint64_t sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  return sum;
}

// Reads every byte that the answer points to, for the sanitizer to see.
std::uint64_t sum_of(const Answer& a) {
  const Status& s = a.status;
  std::uint64_t sum = sum_of(a.refusal.text) + sum_of(a.pong.tool_version) + sum_of(a.text);
  for (const std::string_view text :
       {s.tool_version, s.vm_name, s.vm_version, s.vm_vendor, s.main_name, s.collector, s.host,
        s.container, s.dir, s.frozen_refusal, s.build_description})
    sum += sum_of(text);
  for (const NamedBytes& row : s.memory) sum += sum_of(row.name);
  for (const NamedText& row : s.options) sum += sum_of(row.name) + sum_of(row.text);
  for (const TriggerState& row : s.triggers)
    sum += sum_of(row.name) + sum_of(row.setting) + sum_of(row.state);
  for (const DumpProgress& dump : s.dumps) sum += sum_of(dump.report_path) + sum_of(dump.note.text);
  for (const HistogramRow& row : a.histogram.rows) sum += sum_of(row.name);
  return sum + sum_of(a.progress.report_path) + sum_of(a.progress.note.text) +
         sum_of(a.progress.missing.text);
}

void read_request(std::span<const std::byte> message, const MessageBuffer& again) {
  const auto request = decode_request(message);
  if (!request) return;
  if (sum_of(request->file) + sum_of(request->options) > 255 * message.size()) std::abort();
  const auto written = encode_request(*request, again.all());
  if (written && !decode_request(*written)) std::abort();
}

void read_answer(std::span<const std::byte> message, const MessageBuffer& again) {
  static AnswerRoom room, room_again;
  const auto answer = decode_answer(message, room);
  if (!answer) return;
  static std::atomic<std::uint64_t> seen;  // so that the sum is really made
  seen = sum_of(*answer);
  const auto written = encode_answer(*answer, again.all());
  if (written && !decode_answer(*written, room_again)) std::abort();
}

}  // namespace

// Also with the size and the identifier put right: else hardly any change gets past them.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size != 0) std::memcpy(bytes.data(), data, size);
  static const MessageBuffer kAgain;
  read_request(bytes, kAgain);
  read_answer(bytes, kAgain);
  if (size < 12) return 0;
  const std::uint32_t length = static_cast<std::uint32_t>(size - kSizeBytes);
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + 8, "HFCQ", 4);
  read_request(bytes, kAgain);
  std::memcpy(bytes.data() + 8, "HFCA", 4);
  read_answer(bytes, kAgain);
  return 0;
}

extern "C" std::size_t hf_fuzz_seed(std::uint8_t* out, std::size_t capacity) {
  alignas(8) static std::byte room[std::size_t{64} << 10];
  const auto message = encode_answer(AnswerSamples(0).of(AnswerKind::kStatus), room);
  if (!message || message->size() > capacity) return 0;
  std::memcpy(out, message->data(), message->size());
  return message->size();
}
