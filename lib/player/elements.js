// Small DOM words shared by the views: make an element, set a text only when it changed. No HTML strings
// anywhere.

/** An element of `tag` with a class, attributes and children (strings become text nodes). */
export function make(document, tag, className = "", attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Set the text of an element, touching the DOM only when it differs from what was set before. */
export function setText(element, text) {
  if (element.shownText === text) return;
  element.shownText = text;
  element.textContent = text;
}

/** Set an attribute (null removes it), touching the DOM only when it differs from what was set before. */
export function setAttribute(element, name, value) {
  const shown = (element.shownAttributes ??= {});
  if (shown[name] === value) return;
  shown[name] = value;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** A quiet text button. */
export function button(document, className, text, label, onClick) {
  const element = make(
    document,
    "button",
    `tr-button ${className}`,
    { type: "button", "aria-label": label, title: label },
    text,
  );
  element.addEventListener("click", onClick);
  return element;
}
