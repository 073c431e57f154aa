// What the collector did until the dump, and since the report before.
import { facts } from "./facts.js";
import { bytesText, countText, counted, durationText, utcText } from "./text.js";

const known = (value, text) => (value === null || value === undefined ? null : text(value));

// "41 young, 2 full"
export function countsText({ young, full, concurrent }) {
  const parts = [
    known(young, (count) => `${countText(count)} young`),
    known(full, (count) => `${countText(count)} full`),
    concurrent > 0 ? `${countText(concurrent)} beside the application` : null,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

function heardFacts(heard) {
  if (!heard) return [];
  const { last_before_bytes: before, last_after_bytes: after } = heard;
  return [
    ["Longest pause", known(heard.longest_pause_ms, durationText)],
    ["Last: used before", known(before, bytesText)],
    ["Last: used after", known(after, bytesText)],
    ["Reclaimed", known(heard.reclaimed_bytes, (bytes) => `${bytesText(bytes)} in ${counted(heard.collections, "collection")} since ${utcText(heard.since_utc)}`)],
  ];
}

function sinceFacts(since) {
  if (!since) return [];
  return [
    ["Since the report before", countsText(since)],
    ["Pauses since then", known(since.pause_ms, durationText)],
    ["Reclaimed since then", known(since.reclaimed_bytes, bytesText)],
  ];
}

// Null: the VM told none, or the report is older.
export function collectionsView({ collections }) {
  if (!collections) return null;
  return [
    facts([
      ["Collections", countsText(collections)],
      ["Pauses in all", known(collections.pause_ms, durationText)],
      ["Last pause", known(collections.last_pause_ms, durationText)],
      ...heardFacts(collections.heard),
      ...sinceFacts(collections.since_report),
    ]),
  ];
}
