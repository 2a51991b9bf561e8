// The few DOM words the stage uses, in memory: enough to compare what two ways of playing a race leave
// behind.

class FakeText {
  constructor(data) {
    this.data = data;
  }
  appendData(text) {
    this.data += text;
  }
  get textContent() {
    return this.data;
  }
  print() {
    return JSON.stringify(this.data);
  }
}

class FakeElement {
  constructor(document, tag) {
    Object.assign(this, {
      ownerDocument: document,
      tag,
      children_: [],
      attributes: {},
      dataset: {},
      hidden: false,
      className: "",
      style: {
        setProperty: (name, value) => {
          this.attributes[name] = String(value);
        },
      },
      dir: "",
      listeners: {},
      clientWidth: 0,
      isConnected: true,
    });
    this.classList = {
      toggle: (name, on) => this.#toggle(name, on),
      add: (name) => this.#toggle(name, true),
      contains: (name) => this.#classes().includes(name),
    };
  }
  #classes() {
    return this.className.split(" ").filter(Boolean);
  }
  #toggle(name, on) {
    const others = this.#classes().filter((other) => other !== name);
    this.className = (on ? [...others, name] : others).join(" ");
  }
  append(...items) {
    for (const item of items) this.children_.push(typeof item === "string" ? new FakeText(item) : item);
  }
  replaceChildren(...items) {
    this.children_ = [];
    this.append(...items);
  }
  set textContent(text) {
    this.children_ = text ? [new FakeText(text)] : [];
  }
  get textContent() {
    return this.children_.map((child) => child.textContent).join("");
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  removeAttribute(name) {
    delete this.attributes[name];
  }
  addEventListener(name, listener) {
    this.listeners[name] = listener;
  }
  click() {
    this.listeners.click({ target: this });
  }
  find(name) {
    return this.findAll(name)[0];
  }
  findAll(name) {
    return [
      ...(this.#classes().includes(name) ? [this] : []),
      ...this.children_.flatMap((child) => child.findAll?.(name) ?? []),
    ];
  }
  print(depth = 0) {
    const facts = {
      ...this.attributes,
      ...this.dataset,
      ...(this.hidden ? { hidden: true } : {}),
      class: this.#classes().sort().join(" "),
    };
    return `${"  ".repeat(depth)}${this.tag} ${JSON.stringify(facts)}\n${this.children_.map((child) => child.print(depth + 1)).join("\n")}`;
  }
}

export class FakeDocument {
  constructor() {
    this.defaultView = null;
  }
  createElement(tag) {
    return new FakeElement(this, tag);
  }
  createTextNode(data) {
    return new FakeText(data);
  }
  createRange() {
    return { setStart() {}, setEnd() {} };
  }
  addEventListener() {}
  removeEventListener() {}
}
