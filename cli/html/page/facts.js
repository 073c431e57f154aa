// A list of terms and values, two columns where there is room.
import { el } from "./element.js";

// rows: [[term, value]]; those without a value are left out.
export function facts(rows) {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return el("dl", { class: "terms" }, shown.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))));
}
