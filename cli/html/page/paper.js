// On paper nothing can be pressed: lists show more there than on the screen, and say where they end.
import { countText } from "./text.js";

export const PAPER_ROWS = 500;

// When everything is open, before it is printed. Nobody waits for observers then: what needs its width measures it now.
export const OPENED = "holdfast-opened";

export function onPaper(before, after) {
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
}

// Empty: all of them are there.
export const paperWords = (shown, all) => (shown < all ? `${countText(shown)} rows of ${countText(all)} are on this paper.` : "");
