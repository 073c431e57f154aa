// Messages of a newer peer, built field by field: values, fields, tables and rows that this version does not know, and of an older
// one, which has not written what came later. Field numbers are the places in control.fbs.
#include <doctest/doctest.h>
#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/control/messages.h"

using namespace holdfast;
using namespace holdfast::control;

namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Table = flatbuffers::Offset<flatbuffers::Table>;
using Bytes = std::vector<std::byte>;

constexpr unsigned kUnknown = 17;
constexpr std::uint16_t kNewerMinor = kMinor + 1;

// -- fields by number --
constexpr unsigned kMajorField = 0, kMinorField = 1;                            // of both
constexpr unsigned kRequestCommand = 2, kRequestKind = 3, kRequestCapture = 4;  // Request
constexpr unsigned kAnswerKind = 2, kAnswerLast = 3, kAnswerRefusal = 4, kAnswerStatus = 6;
constexpr unsigned kAnswerProgress = 7, kAnswerHistogram = 9, kBehindAnswer = 40;  // Answer
constexpr unsigned kStatusMainName = 4, kStatusOptions = 27, kStatusDumps = 29, kBehindStatus = 60;
constexpr unsigned kDumpNumber = 0, kDumpTrigger = 1, kDumpStage = 2, kDumpRung = 3, kDumpPath = 12;
constexpr unsigned kDumpError = 13, kDumpNote = 16, kBehindDump = 30;  // Dump
constexpr unsigned kHistogramRows = 9, kRowName = 3;

flatbuffers::voffset_t place(unsigned field) {
  return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(field));
}

template <class Number>
void add(Builder& b, unsigned field, Number value) {
  b.AddElement<Number>(place(field), value, Number(255));  // written whatever its default is
}
template <class T>
void add_table(Builder& b, unsigned field, flatbuffers::Offset<T> at) {
  b.AddOffset(place(field), at);
}

template <class Write>
Table table(Builder& b, Write write) {
  const auto start = b.StartTable();
  write();
  return {b.EndTable(start)};
}

Bytes finished(Builder& b, Table root, const char* identifier) {
  b.FinishSizePrefixed(root, identifier);
  const auto* const bytes = reinterpret_cast<const std::byte*>(b.GetBufferPointer());
  return {bytes, bytes + b.GetSize()};
}

template <class Write>
Bytes answer_of(Builder& b, unsigned kind, Write write) {
  const Table root = table(b, [&] {
    add<std::uint16_t>(b, kMajorField, kMajor);
    add<std::uint16_t>(b, kMinorField, kNewerMinor);
    add<std::uint8_t>(b, kAnswerKind, static_cast<std::uint8_t>(kind));
    write();
  });
  return finished(b, root, "HFCA");
}

Bytes request_of(std::uint16_t minor, unsigned command, unsigned kind, unsigned capture) {
  Builder b;
  const Table root = table(b, [&] {
    add<std::uint16_t>(b, kMajorField, kMajor);
    add<std::uint16_t>(b, kMinorField, minor);
    add<std::uint8_t>(b, kRequestCommand, static_cast<std::uint8_t>(command));
    add<std::uint8_t>(b, kRequestKind, static_cast<std::uint8_t>(kind));
    add<std::uint8_t>(b, kRequestCapture, static_cast<std::uint8_t>(capture));
  });
  return finished(b, root, "HFCQ");
}

// A dump with a value of each enum that is not known here, and a field that came later.
Table unknown_dump(Builder& b, const std::string& note = "n") {
  const auto text = b.CreateString(note);
  const Table later = table(b, [&] { add<std::uint32_t>(b, 0, 5); });
  return table(b, [&] {
    add<std::uint32_t>(b, kDumpNumber, 3);
    add<std::uint8_t>(b, kDumpTrigger, kUnknown);
    add<std::uint8_t>(b, kDumpStage, kUnknown);
    add<std::uint8_t>(b, kDumpRung, kUnknown);
    add<std::uint16_t>(b, kDumpError, 1000);
    add_table(b, kDumpNote, text);
    add_table(b, kBehindDump, later);
  });
}

void check_unknown(const DumpProgress& dump) {
  CHECK(dump.number == 3);
  CHECK(static_cast<unsigned>(dump.trigger) == kUnknown);
  CHECK(static_cast<unsigned>(dump.stage) == kUnknown);
  CHECK(static_cast<unsigned>(dump.rung) == kUnknown);
  CHECK(static_cast<unsigned>(dump.error.code) == 1000);
  CHECK_FALSE(ended(dump));
}

}  // namespace

TEST_CASE("newer: a status with unknown values, fields and tables is read") {
  Builder b;
  const auto name = b.CreateString("shop");
  const std::vector<Table> dumps{unknown_dump(b), unknown_dump(b)};
  const auto list = b.CreateVector(dumps);
  const Table later = table(b, [&] { add_table(b, 3, list); });
  const Table status = table(b, [&] {
    add_table(b, kStatusMainName, name);
    add_table(b, kStatusDumps, list);
    add_table(b, kBehindStatus, later);
  });
  const Bytes message = answer_of(b, static_cast<unsigned>(AnswerKind::kStatus), [&] {
    add_table(b, kAnswerStatus, status);
    add_table(b, kBehindAnswer, later);
  });
  const auto room = std::make_unique<AnswerRoom>();
  const auto answer = decode_answer(message, *room);
  REQUIRE(answer.ok());
  CHECK(answer->status.main_name == "shop");
  CHECK(answer->left_out == 0);
  REQUIRE(answer->status.dumps.size() == 2);
  for (const DumpProgress& dump : answer->status.dumps) check_unknown(dump);
}

TEST_CASE("older: a status that lacks all that came later is read") {
  Builder b;
  const Table status = table(b, [] {});
  const Bytes message = answer_of(b, static_cast<unsigned>(AnswerKind::kStatus),
                                  [&] { add_table(b, kAnswerStatus, status); });
  const auto room = std::make_unique<AnswerRoom>();
  const auto answer = decode_answer(message, *room);
  REQUIRE(answer.ok());
  CHECK(answer->last);
  CHECK(answer->status.dumps.empty());
  CHECK(answer->status.last_extended == nullptr);
  CHECK(answer->status.collections.young == kUnknownCount);
}

TEST_CASE("older: a dump of an agent that does not say how long it takes") {
  Builder b;
  const Table dump = table(b, [&] {
    add<std::uint32_t>(b, kDumpNumber, 3);
    add<std::uint8_t>(b, kDumpStage, static_cast<std::uint8_t>(DumpStage::kAnalysing));
  });
  const Bytes message = answer_of(b, static_cast<unsigned>(AnswerKind::kProgress),
                                  [&] { add_table(b, kAnswerProgress, dump); });
  const auto room = std::make_unique<AnswerRoom>();
  const auto answer = decode_answer(message, *room);
  REQUIRE(answer.ok());
  CHECK(answer->progress.stage == DumpStage::kAnalysing);
  CHECK(answer->progress.objects == 0);
  CHECK(answer->progress.expected.all_ns == 0);
}

TEST_CASE("newer: longer lists lose their end, and it is counted") {
  Builder b;
  std::vector<Table> dumps, options;
  const auto text = b.CreateString("later=on");
  for (std::size_t i = 0; i < DumpHistory::kMaxRememberedDumps + 3; ++i)
    dumps.push_back(unknown_dump(b));
  for (std::size_t i = 0; i < kMaxListed + 4; ++i)
    options.push_back(table(b, [&] { add_table(b, 0, text); }));
  const auto dump_list = b.CreateVector(dumps);
  const auto option_list = b.CreateVector(options);
  const Table status = table(b, [&] {
    add_table(b, kStatusDumps, dump_list);
    add_table(b, kStatusOptions, option_list);
  });
  const Bytes message = answer_of(b, static_cast<unsigned>(AnswerKind::kStatus),
                                  [&] { add_table(b, kAnswerStatus, status); });
  const auto room = std::make_unique<AnswerRoom>();
  const auto answer = decode_answer(message, *room);
  REQUIRE(answer.ok());
  CHECK(answer->status.dumps.size() == DumpHistory::kMaxRememberedDumps);
  CHECK(answer->status.options.size() == kMaxListed);
  CHECK(answer->left_out == 7);
}

TEST_CASE("newer: a histogram of more and longer names") {
  Builder b;
  const std::string longer = std::string(2 * sizeof(HistogramRow::name), 'c');
  std::string accents;  // a cut would fall into a code point
  while (accents.size() < 2 * sizeof(HistogramRow::name)) accents += "\xC3\xA9";
  const auto name = b.CreateString(longer), accented = b.CreateString(accents);
  std::vector<Table> rows;
  for (std::uint32_t i = 0; i < kMaxWatchedClasses + 5; ++i)
    rows.push_back(table(b, [&] { add_table(b, kRowName, i == 0 ? accented : name); }));
  const auto list = b.CreateVector(rows);
  const Table histogram = table(b, [&] { add_table(b, kHistogramRows, list); });
  const Bytes message = answer_of(b, static_cast<unsigned>(AnswerKind::kHistogram),
                                  [&] { add_table(b, kAnswerHistogram, histogram); });
  const auto room = std::make_unique<AnswerRoom>();
  const auto answer = decode_answer(message, *room);
  REQUIRE(answer.ok());
  CHECK(answer->left_out == 5);
  REQUIRE(answer->histogram.rows.size() == kMaxWatchedClasses);
  const std::string first = answer->histogram.rows[0].name, second = answer->histogram.rows[1].name;
  CHECK(first == accents.substr(0, first.size()));
  CHECK(first.size() % 2 == 0);
  CHECK(first.size() >= sizeof(HistogramRow::name) - 2);
  CHECK(second == longer.substr(0, sizeof(HistogramRow::name) - 1));
}

TEST_CASE("newer: the progress of a dump; a note may be cut, a path may not") {
  const auto room = std::make_unique<AnswerRoom>();
  Builder b;
  const Table dump = unknown_dump(b, std::string(2 * Note::kMaxNoteBytes, 'n'));
  const Bytes message = answer_of(b, static_cast<unsigned>(AnswerKind::kProgress), [&] {
    add<std::uint8_t>(b, kAnswerLast, 0);
    add_table(b, kAnswerProgress, dump);
  });
  const auto answer = decode_answer(message, *room);
  REQUIRE(answer.ok());
  check_unknown(answer->progress);
  CHECK(std::strlen(answer->progress.note.text) == sizeof answer->progress.note.text - 1);

  Builder other;
  const auto path = other.CreateString(std::string(kMaxReportPath, 'p'));
  const Table with_path = table(other, [&] { add_table(other, kDumpPath, path); });
  const Bytes refused = answer_of(other, static_cast<unsigned>(AnswerKind::kProgress),
                                  [&] { add_table(other, kAnswerProgress, with_path); });
  CHECK(decode_answer(refused, *room).error().code == ErrorCode::kDamaged);
}

TEST_CASE("newer: an answer and a refusal of unknown kinds arrive as they are") {
  const auto room = std::make_unique<AnswerRoom>();
  Builder b;
  const auto answer = decode_answer(answer_of(b, kUnknown, [] {}), *room);
  REQUIRE(answer.ok());
  CHECK(static_cast<unsigned>(answer->kind) == kUnknown);
  Builder other;
  const auto text = other.CreateString("because");
  const Table refusal = table(other, [&] {
    add<std::uint8_t>(other, 0, kUnknown);
    add_table(other, 1, text);
  });
  const Bytes message = answer_of(other, static_cast<unsigned>(AnswerKind::kRefused),
                                  [&] { add_table(other, kAnswerRefusal, refusal); });
  const auto refused = decode_answer(message, *room);
  REQUIRE(refused.ok());
  CHECK(refused->refusal.text == "because");
  CHECK(static_cast<unsigned>(refused->refusal.kind) == kUnknown);
}

TEST_CASE("newer: a request that this agent does not know is refused as such, not as damage") {
  const auto code = [](std::uint16_t minor, unsigned command, unsigned kind, unsigned capture) {
    const auto request = decode_request(request_of(minor, command, kind, capture));
    return request.ok() ? ErrorCode::kBadOption : request.error().code;
  };
  const auto dump = static_cast<unsigned>(Command::kDump);
  CHECK(code(kNewerMinor, kUnknown, 0, 0) == ErrorCode::kUnsupported);
  CHECK(code(kNewerMinor, dump, kUnknown, 0) == ErrorCode::kUnsupported);
  CHECK(code(kNewerMinor, dump, 0, kUnknown) == ErrorCode::kUnsupported);
  CHECK(code(kNewerMinor, dump, 0, 0) == ErrorCode::kBadOption);  // read
  for (const unsigned command : {kUnknown, dump})
    CHECK(code(kMinor, command, kUnknown, 0) == ErrorCode::kDamaged);
}
