// Light or dark: as the system says, until somebody presses the button. Not kept: a file of somebody else's leaves no traces.
import { el } from "./element.js";

const system = matchMedia("(prefers-color-scheme: dark)");

export function themeSwitch() {
  const root = document.documentElement;
  let chosen = null;
  const button = el("button", { type: "button", class: "theme" });
  const current = () => chosen ?? (system.matches ? "dark" : "light");
  const other = () => (current() === "dark" ? "light" : "dark");
  const show = () => {
    root.dataset.theme = current();
    button.textContent = other() === "dark" ? "Dark" : "Light";
    button.setAttribute("aria-label", `Switch to ${other()} colours`);
  };
  button.addEventListener("click", () => {
    chosen = other();
    show();
  });
  system.addEventListener("change", show);
  show();
  return button;
}
