// What every page has: a head, links to the sections, the sections, and how it prints.
import { el, linkTo } from "./element.js";
import { OPENED } from "./paper.js";
import { themeSwitch } from "./theme.js";
import { unpack } from "./unpack.js";

// sections: [{id, title, short, inside}]
export function pageShell({ head, first, sections, foot }) {
  const links = sections.map(({ id, title, short }) => linkTo(id, short ?? title));
  return [
    el("header", { class: "top" }, el("span", { class: "brand" }, "holdfast"), el("span", { class: "subject" }, head), themeSwitch()),
    el("main", {}, first, el("nav", { class: "sections", "aria-label": "Sections" }, links), sections.map(section)),
    el("footer", { class: "quiet" }, foot),
  ];
}

const section = ({ id, title, inside }) =>
  el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), inside);

// On paper nothing can be opened.
function openForPrint() {
  /** @type {HTMLDetailsElement[]} */
  const opened = [];
  addEventListener("beforeprint", () => {
    // What was folded may have something folded in it.
    /** @type {(HTMLDetailsElement & {fill?: () => void}) | null} */
    let folded;
    for (; (folded = document.querySelector("details:not([open])")); opened.push(folded)) {
      folded.fill?.();
      folded.open = true;
    }
    dispatchEvent(new Event(OPENED));
  });
  addEventListener("afterprint", () => {
    for (const folded of opened.splice(0).reverse()) folded.open = false;
  });
}

// make(document) -> the page's elements.
export async function startPage(make) {
  try {
    const packed = /** @type {HTMLElement} */ (document.getElementById("document"));
    const content = await unpack(packed.textContent);
    packed.remove();
    document.body.append(...make(content));
    openForPrint();
  } catch (error) {
    document.body.append(
      el("p", { class: "broken", role: "alert" }, `This page cannot be shown: ${error instanceof Error ? error.message : error}. It wants a browser of 2023 or later; the same command without --html prints it as text.`),
    );
    throw error;
  }
}
