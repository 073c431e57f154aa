// Why a list of the report is empty: its analysis was not asked for, or there was no memory or time for it.
import { el } from "./element.js";
import { printable } from "./text.js";

// `what`: the beginning of the sentence, "The suspects were". Null: the pass ran.
export function leftOutWords({ passes }, name, what) {
  const pass = passes.find((row) => row.pass === name);
  if (!pass) return `${what} not asked for (analyses=).`;
  return pass.left_out ? `${what} left out: ${printable(pass.left_out)}.` : null;
}

// The same for what older reports do not have: only the reason why it was left out, as an element.
export function leftOutReason({ passes }, name, what) {
  const pass = passes.find((row) => row.pass === name);
  return pass?.left_out ? el("p", { class: "missing" }, `${what} left out: ${printable(pass.left_out)}.`) : null;
}
