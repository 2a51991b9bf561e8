// What a failed lane says: title, sentence, advice, the server's own message, and Retry where that can help.

import { button, make, setAttribute, setText } from "./elements.js";
import { say, told } from "./words.js";

export class FailureBox {
  constructor(document, name, retry) {
    const part = (key) => make(document, "p", `tr-failure-${key}`);
    this.parts = {
      title: part("title"),
      sentence: part("sentence"),
      advice: part("advice"),
      message: part("message"),
    };
    this.again = button(document, "tr-again", say("retry"), say("retry_help", { name }), retry);
    const { title, sentence, advice, message } = this.parts;
    const head = make(document, "div", "tr-failure-head", {}, title, this.again);
    this.root = make(document, "div", "tr-failure", { role: "status" }, head, sentence, advice, message);
    this.root.hidden = true;
  }

  /** Show this failure; null or undefined hides the box. */
  show(failure) {
    if (this.root.hidden !== !failure) this.root.hidden = !failure;
    if (!failure) return;
    for (const [key, element] of Object.entries(this.parts)) setText(element, told(failure[key] ?? ""));
    setAttribute(this.parts.message, "title", failure.message || null);
    this.again.hidden = failure.retry_helps === false;
  }
}
