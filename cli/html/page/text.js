// Numbers and names as people read them. Sizes are in units of 1,024 bytes, as in the text report.

const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

export function bytesText(bytes) {
  let value = bytes;
  let unit = 0;
  while (value >= 1023.95 && unit + 1 < UNITS.length) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

export const countText = (count) => Math.round(count).toLocaleString("en-US");

// "1 report", "2 reports"
export const counted = (count, one, several = `${one}s`) => `${countText(count)} ${count === 1 ? one : several}`;

export function shareText(part, whole) {
  if (!(whole > 0)) return "–";
  const percent = (100 * part) / whole;
  if (part > 0 && percent < 0.1) return "< 0.1 %";
  return `${percent >= 9.95 ? Math.round(percent) : percent.toFixed(1)} %`;
}

export function durationText(milliseconds) {
  if (milliseconds < 1) return `${Math.round(milliseconds * 1000)} µs`;
  if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${(seconds / 3600).toFixed(1)} h` : `${Math.round(seconds / 86_400)} days`;
}

export const utcText = (iso) => iso.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");

// Control characters, line ends, bidirectional controls and invisible characters as \u001b, like the text report.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export const printable = (text) =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

// The middle goes: packages are in front and often alike, the telling part is at the end.
export function shortened(text, most) {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const front = Math.floor((most - 1) / 3);
  const end = most - 1 - front;
  return `${characters.slice(0, front).join("")}…${characters.slice(-end).join("")}`;
}

export const shortWords = (text, most) => text.split(" ").map((word) => shortened(word, most)).join(" ");

export const packageOf = (className) => {
  const plain = className.replace(/(\[\])+$/, "");
  const at = plain.lastIndexOf(".");
  if (at > 0) return plain.slice(0, at);
  return plain === className || /[A-Z]/.test(plain[0] ?? "") ? "(no package)" : "(primitive arrays)";
};

// A filter: words that must all occur, or a pattern with *.
export function matcher(filter) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const tests = words.map((word) => {
    if (!word.includes("*")) return (text) => text.includes(word);
    const pattern = new RegExp(`^${word.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`);
    return (text) => pattern.test(text);
  });
  return (text) => {
    const lower = text.toLowerCase();
    return tests.every((test) => test(lower));
  };
}
