// A figure of the first screen, with what it is of above it and more about it below.
import { el } from "./element.js";

/** @type {(title: string, words: any[]) => HTMLElement} */
export const fact = (title, [figure, more]) =>
  el("div", { class: "fact" }, el("dt", {}, title), el("dd", {}, el("b", {}, figure), el("span", {}, more)));
