// A list of entries that open: what is inside is made when it is opened first, or printed.
import { el } from "./element.js";
import { countText } from "./text.js";

export const FIRST_ENTRIES = 12;

function entry({ summary, inside, open }) {
  const made = el("details", { class: "entry" }, el("summary", {}, summary));
  const fill = () => {
    if (made.filled) return;
    made.filled = true;
    made.append(el("div", { class: "inside" }, inside()));
  };
  made.addEventListener("toggle", () => made.open && fill());
  made.fill = fill;
  if (open) {
    fill();
    made.open = true;
  }
  return made;
}

// entries: [{summary, inside() -> children, open}]
export function foldedList(entries) {
  const list = el("div", { class: "folded" });
  const more = el("button", { type: "button", class: "more" }, `Show all ${countText(entries.length)}`);
  const add = (part) => list.append(...part.map(entry));
  add(entries.slice(0, FIRST_ENTRIES));
  more.hidden = entries.length <= FIRST_ENTRIES;
  more.addEventListener("click", () => {
    add(entries.slice(FIRST_ENTRIES));
    more.hidden = true;
  });
  return el("div", {}, list, more);
}
