// How a figure came about, where it is pointed at, tapped or focused: one box for the whole stage. What it says is
// asked for when it opens; nothing is drawn for it before.

import { make } from "./elements.js";

const HOW_AFTER_MS = 120; // a pointer that only passes opens nothing
const HOW_GAP_PX = 6;
const HOW_EDGE_PX = 8;

export class HowBox {
  /** `tell(key, lane)`: {help: [sentences], facts: [[name, text]]} or null; `lane` null: of the whole race. */
  constructor(document, root, tell) {
    Object.assign(this, { document, root, tell, target: null, view: document.defaultView });
    this.box = make(document, "div", "tr-how", { role: "tooltip", id: "tr-how", popover: "manual" });
    root.append(this.box);
    this.#listen();
  }

  #listen() {
    const { root } = this;
    root.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.#soon(this.#figureOf(event));
    });
    root.addEventListener("pointerleave", () => this.close());
    root.addEventListener("click", (event) => this.#tapped(this.#figureOf(event)));
    root.addEventListener("focusin", (event) => this.open(this.#figureOf(event)));
    root.addEventListener("focusout", () => this.close());
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
    this.onScroll = () => {
      if (this.target && this.target.getBoundingClientRect().top !== this.top) this.close();
    };
    this.view?.addEventListener?.("scroll", this.onScroll, { capture: true, passive: true });
  }

  #figureOf(event) {
    return event.target.closest?.("[data-how]") ?? null;
  }

  #soon(figure) {
    this.view?.clearTimeout(this.waiting);
    if (figure === this.target) return;
    if (figure === null) this.close();
    else this.waiting = this.view?.setTimeout(() => this.open(figure), HOW_AFTER_MS);
  }

  #tapped(figure) {
    if (figure === null || figure === this.tapped) this.close();
    else this.open(figure);
    this.tapped = this.target;
  }

  /** Show what is to be said of this figure; null closes. */
  open(figure) {
    this.view?.clearTimeout(this.waiting);
    if (figure === null || !figure.isConnected) return this.close();
    this.target = figure;
    this.said = null;
    this.refresh();
    return undefined;
  }

  /** Say what is so now, if it is open and something has changed. */
  refresh() {
    if (!this.target) return;
    const { how, lane } = this.target.dataset;
    const told = this.tell(how, lane === undefined ? null : Number(lane));
    const said = JSON.stringify(told);
    if (said === this.said) return;
    this.said = said;
    if (!told) {
      this.close();
      return;
    }
    this.#write(told);
    this.box.showPopover?.();
    this.#place();
  }

  #write({ help, facts }) {
    const { document } = this;
    const rows = facts.flatMap(([name, text]) => [
      make(document, "dt", "", {}, name),
      make(document, "dd", "", { dir: "auto" }, text),
    ]);
    this.box.replaceChildren(
      ...help.map((sentence) => make(document, "p", "", { dir: "auto" }, sentence)),
      make(document, "dl", "", {}, ...rows),
    );
  }

  #place() {
    const at = this.target.getBoundingClientRect?.();
    if (!at) return;
    this.top = at.top;
    const zoom = this.box.currentCSSZoom ?? 1;
    const { offsetWidth, offsetHeight } = this.box;
    const [width, height] = [offsetWidth * zoom, offsetHeight * zoom];
    const { clientWidth, clientHeight } = this.document.documentElement;
    const left = Math.max(HOW_EDGE_PX, Math.min(at.left, clientWidth - width - HOW_EDGE_PX));
    const below = at.bottom + HOW_GAP_PX;
    const fits = below + height <= clientHeight - HOW_EDGE_PX;
    const top = fits ? below : Math.max(HOW_EDGE_PX, at.top - HOW_GAP_PX - height);
    this.box.style.setProperty("left", `${left / zoom}px`);
    this.box.style.setProperty("top", `${top / zoom}px`);
  }

  /** Let go of the page. */
  destroy() {
    this.close();
    this.view?.removeEventListener?.("scroll", this.onScroll, { capture: true });
  }

  close() {
    this.view?.clearTimeout(this.waiting);
    this.tapped = null;
    if (!this.target) return;
    this.target = null;
    this.box.hidePopover?.();
  }
}
