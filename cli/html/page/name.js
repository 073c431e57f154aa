// A name of the program that was dumped: printable, isolated from the text around it, shortened in the middle, whole in its title.
import { el } from "./element.js";
import { printable, shortWords, shortened } from "./text.js";

export const NAME_COLUMNS = 64;
const MOST_TITLE = 2000;
const MOST_WORD = 90;
const MOST_HEADLINE = 600;

// Lines may break behind the parts of a name.
const parts = (text) => text.split(/(?<=[.$/])(?=.)/u).flatMap((part, index) => (index === 0 ? [part] : [el("wbr"), part]));

export function name(text, most = NAME_COLUMNS) {
  if (text === null || text === undefined || text === "") return el("span", { class: "unknown" }, "unknown");
  const whole = printable(text);
  const shown = shortened(whole, most);
  return el("bdi", { class: "name", title: shown === whole ? null : shortened(whole, MOST_TITLE) }, parts(shown));
}

// Sentences of the report hold names too.
export const sentence = (text) => el("bdi", { class: "sentence" }, shortened(printable(text), MOST_TITLE).replaceAll(" -> ", " → "));

// The sentence above all: the names in it are shortened, so that it stays one.
export const headlineText = (text) => shortened(shortWords(printable(text), MOST_WORD), MOST_HEADLINE);
export const headline = (text) => el("bdi", { class: "sentence" }, headlineText(text));

// Class objects are shown as what they stand for; an object that later dumps know again has a number.
const plainName = (object, most) =>
  object.class_object_of ? ["class ", name(object.class_object_of, most)] : name(object.class, most);
export const objectName = (object, most) =>
  object.identity ? [plainName(object, most), ` #${object.identity}`] : plainName(object, most);
