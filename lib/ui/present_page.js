// The line over the stage (title, prompt, state of the show) and the presenter's keys. What a key does is decided on
// the server; only fullscreen and the list of keys are done here.

const mounted = new WeakMap();
const CLICKER = { PageDown: "n", PageUp: "p" };
const OURS = "sxrvmnpq";
const IN_TEXT = /^(INPUT|TEXTAREA|SELECT)$/;

class Line {
  constructor(parent) {
    this.parent = parent;
    this.document = parent.ownerDocument;
    this.presses = Date.now(); // so that a page that comes back does not repeat a number
    this.root = this.#make("section", "tp");
    for (const [name, tag] of [["title", "h1"], ["place", "div"], ["prompt", "p"], ["told", "p"], ["status", "div"]])
      this.root.append((this[name] = this.#make(tag, `tp-${name}`)));
    this.told.setAttribute("role", "status");
    this.keys = this.#make("div", "tp-keys");
    this.keys.hidden = true;
    parent.append(this.root, this.keys);
    this.onKey = (event) => this.#key(event);
    this.document.addEventListener("keydown", this.onKey, true);
  }

  #make(tag, name, text = "") {
    const element = this.document.createElement(tag);
    element.className = name;
    element.textContent = text;
    return element;
  }

  update({ data, setTriggerValue }) {
    this.trigger = setTriggerValue;
    for (const name of ["title", "place", "prompt", "told", "status"]) this[name].textContent = data[name];
    this.prompt.hidden = Boolean(data.told);
    this.told.hidden = !data.told;
    this.keys.setAttribute("aria-label", data.keysTitle);
    const list = this.document.createElement("dl");
    for (const [key, words] of data.keys) list.append(this.#make("dt", "", key), this.#make("dd", "", words));
    this.keys.replaceChildren(list);
  }

  #key(event) {
    const target = event.composedPath?.()[0] ?? event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (IN_TEXT.test(target?.tagName ?? "") || target?.isContentEditable) return;
    const key = CLICKER[event.key] ?? event.key.toLowerCase();
    if (event.key === "?") this.keys.hidden = !this.keys.hidden;
    else if (event.key === "Escape") this.keys.hidden = true;
    else if (key === "f") this.#fullscreen();
    else if (key.length === 1 && OURS.includes(key)) this.#press(key);
    else return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has keys of its own
  }

  #press(key) {
    this.keys.hidden = true;
    this.trigger("key", { key, n: (this.presses += 1) });
  }

  #fullscreen() {
    const { document } = this;
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {});
  }

  close() {
    this.document.removeEventListener("keydown", this.onKey, true);
    this.root.remove();
    this.keys.remove();
  }
}

export default function (component) {
  const { parentElement } = component;
  let line = mounted.get(parentElement);
  if (!line) mounted.set(parentElement, (line = new Line(parentElement)));
  line.update(component);
  return () => {
    setTimeout(() => {
      if (parentElement.isConnected || mounted.get(parentElement) !== line) return;
      line.close();
      mounted.delete(parentElement);
    });
  };
}
