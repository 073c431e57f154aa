// The only place where elements are made. Everything shown is a text node: names of programs are data, never markup.

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

function setProperty(made, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key === "on") {
    for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
  } else if (key === "place") {
    for (const [property, amount] of Object.entries(value)) made.style.setProperty(property, amount);
  } else if (key.startsWith("on") || key === "style" || key === "href") {
    throw new Error(`${key} is not for data`);
  } else {
    made.setAttribute(key, value === true ? "" : value);
  }
}

/**
 * el("p", {class: "note", on: {click: f}, place: {"--share": 0.3}}, "text", child, [more])
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [properties]
 * @param {...any} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, properties, ...children) {
  return filled(document.createElement(tag), properties, children);
}

// The name of a language; nothing is fetched from there.
const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [properties]
 * @param {...any} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, properties, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

/**
 * @template {Element} Made
 * @param {Made} made
 * @param {Record<string, any>} [properties]
 * @param {any[]} children
 * @returns {Made}
 */
function filled(made, properties = {}, children = []) {
  for (const [key, value] of Object.entries(properties)) setProperty(made, key, value);
  append(made, children);
  return made;
}

// A link to a place on this page.
export function linkTo(id, ...children) {
  const made = el("a", {}, ...children);
  made.href = `#${id}`;
  return made;
}

export function replaceChildren(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}
