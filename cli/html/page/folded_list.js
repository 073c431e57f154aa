// A list of entries that open: what is inside is made when it is opened first, or printed.
import { el } from "./element.js";
import { PAPER_ROWS, onPaper, paperWords } from "./paper.js";
import { countText } from "./text.js";

export const FIRST_ENTRIES = 12;

function entry({ summary, inside, open }) {
  let filled = false;
  const fill = () => {
    if (filled) return;
    filled = true;
    made.append(el("div", { class: "inside" }, inside()));
  };
  const made = Object.assign(el("details", { class: "entry" }, el("summary", {}, summary)), { fill });
  made.addEventListener("toggle", () => made.open && fill());
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
  const paper = el("p", { class: "quiet paper" });
  let before = 0;
  const show = (most) => {
    while (list.children.length > most) list.lastChild?.remove();
    list.append(...entries.slice(list.children.length, most).map(entry));
    more.hidden = most >= entries.length;
    paper.textContent = paperWords(most, entries.length);
  };
  show(FIRST_ENTRIES);
  more.addEventListener("click", () => show(entries.length));
  onPaper(
    () => {
      before = list.children.length;
      show(Math.max(before, PAPER_ROWS));
    },
    () => show(before),
  );
  return el("div", {}, list, more, paper);
}
