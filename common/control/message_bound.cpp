#include "common/control/message_bound.h"

namespace holdfast::control {

namespace {

constexpr std::size_t kRequestFields = 13, kRefusalFields = 2, kPongFields = 2, kStatusFields = 33;
constexpr std::size_t kNamedBytesFields = 3, kNamedTextFields = 2, kTriggerFields = 5;
constexpr std::size_t kDumpFields = 23, kGateFields = 4;

std::size_t dump_bound(const DumpProgress& dump) noexcept {
  return table_bound(kDumpFields) + text_bound(dump.report_path) + text_bound(dump.note.text) +
         text_bound(dump.missing.text);
}

std::size_t lists_bound(const Status& status) noexcept {
  std::size_t bytes = 4 * kTextBytes;  // a list costs what a text does
  for (const NamedBytes& row : status.memory)
    bytes += kOffsetBytes + table_bound(kNamedBytesFields) + text_bound(row.name);
  for (const NamedText& row : status.options)
    bytes +=
        kOffsetBytes + table_bound(kNamedTextFields) + text_bound(row.name) + text_bound(row.text);
  for (const TriggerState& row : status.triggers)
    bytes += kOffsetBytes + table_bound(kTriggerFields) + text_bound(row.name) +
             text_bound(row.setting) + text_bound(row.state);
  for (const DumpProgress& dump : status.dumps) bytes += kOffsetBytes + dump_bound(dump);
  return bytes;
}

std::size_t status_bound(const Status& status) noexcept {
  std::size_t bytes = table_bound(kStatusFields) + table_bound(kHeapFields) +
                      table_bound(kCollectionFields) + table_bound(kGateFields);
  for (const std::string_view text :
       {status.tool_version, status.vm_name, status.vm_version, status.vm_vendor, status.main_name,
        status.collector, status.host, status.container, status.dir, status.frozen_refusal,
        status.build_description})
    bytes += text_bound(text);
  if (status.last_extended != nullptr) bytes += dump_bound(*status.last_extended);
  return bytes + lists_bound(status);
}

std::size_t accounts_bound(const WatchedAccounts& accounts) noexcept {
  std::size_t bytes = table_bound(kAccountsFields) + kTextBytes;
  for (const WatchedAccount& row : accounts.rows)
    bytes += kOffsetBytes + table_bound(kAccountTotalFields) + text_bound(row.name);
  return bytes;
}

std::size_t histogram_bound(const ClassHistogram& histogram) noexcept {
  std::size_t bytes = table_bound(kHistogramFields) + table_bound(kHeapFields) + kTextBytes;
  for (const HistogramRow& row : histogram.rows)
    bytes += kOffsetBytes + table_bound(kRowFields) + text_bound(row.name);
  return bytes + table_bound(kCollectionFields) + accounts_bound(histogram.accounts);
}

std::size_t ages_bound(const AgeVerdict& verdict) noexcept {
  std::size_t bytes = table_bound(kAgesFields) + kTextBytes;
  for (std::size_t i = 0; i < verdict.count && i < kMostAgeSuspects; ++i)
    bytes += kOffsetBytes + table_bound(kAgeSuspectFields) + text_bound(verdict.suspects[i].name);
  return bytes;
}

std::size_t body_bound(const Answer& answer) noexcept {
  switch (answer.kind) {
    case AnswerKind::kRefused:
      return table_bound(kRefusalFields) + text_bound(answer.refusal.text);
    case AnswerKind::kPong:
      return table_bound(kPongFields) + text_bound(answer.pong.tool_version);
    case AnswerKind::kStatus:
      return status_bound(answer.status);
    case AnswerKind::kProgress:
      return dump_bound(answer.progress);
    case AnswerKind::kDone:
      return text_bound(answer.text);
    case AnswerKind::kHistogram:
      return histogram_bound(answer.histogram) + ages_bound(answer.ages);
  }
  return 0;
}

}  // namespace

std::size_t request_bound(const Request& request) noexcept {
  return kFrameBytes + table_bound(kRequestFields) + text_bound(request.file) +
         text_bound(request.options) + text_bound(request.analyses);
}

std::size_t answer_bound(const Answer& answer) noexcept {
  return kFrameBytes + table_bound(kAnswerFields) + body_bound(answer);
}

}  // namespace holdfast::control
