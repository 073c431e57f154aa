// What the collector did: how often, for how long the application stood still, what was found and left.
#include "cli/report/text_sections.h"
#include "cli/text/number_text.h"
#include "common/time_units.h"

namespace holdfast::cli {
namespace {

std::string pauses_text(const CollectionFigures& now, std::uint64_t uptime_ms) {
  std::string text = human_duration(now.pause_ns) + " in all";
  // A runtime that was listened to for a while has told the pauses of that while.
  if (now.heard.since_utc_ms == 0 && uptime_ms != 0)
    text += " (" + percent(now.pause_ns, uptime_ms * kNsPerMs) + " of the time)";
  if (now.last_pause_ns != kUnknownCount) text += ", the last " + human_duration(now.last_pause_ns);
  return text;
}

std::string heard_text(const HeardCollections& heard) {
  std::string text =
      counted(heard.count, "collection") + " since " + utc_for_people(heard.since_utc_ms);
  if (heard.reclaimed_bytes != kUnknownCount)
    text += ": " + human_bytes(heard.reclaimed_bytes) + " reclaimed";
  if (heard.longest_pause_ns != kUnknownCount)
    text += ", longest pause " + human_duration(heard.longest_pause_ns);
  return text;
}

std::string since_text(const CollectionsView& told) {
  std::string text = collection_counts_text(told.since);
  if (told.since.pause_ns != kUnknownCount)
    text += ", " + human_duration(told.since.pause_ns) + " stood still";
  if (told.since.heard.reclaimed_bytes != kUnknownCount)
    text += ", " + human_bytes(told.since.heard.reclaimed_bytes) + " reclaimed";
  return text + " since the report of " + utc_for_people(told.last_report_utc_ms);
}

}  // namespace

void write_collections(const TextContext& context) {
  if (!context.view.collections) return;
  const CollectionsView& told = *context.view.collections;
  context.page.heading("COLLECTIONS", collection_counts_text(told.now));
  if (told.now.pause_ns != kUnknownCount)
    context.page.labelled("pauses", pauses_text(told.now, context.view.origin.vm_uptime_ms));
  if (const std::string last = last_collection_text(told.now.heard); !last.empty())
    context.page.labelled("last", last);
  if (told.now.heard.count != 0) context.page.labelled("heard", heard_text(told.now.heard));
  if (told.last_report_utc_ms != 0 && told.since.known())
    context.page.labelled("lately", since_text(told));
}

}  // namespace holdfast::cli
