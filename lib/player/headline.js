// The sentence above the lanes: what is going on while they run, the verdict when all have ended. Draws; what is
// said is decided elsewhere.

import { make, setAttribute, setText } from "./elements.js";
import { clock, count, quantity } from "./format.js";
import { say } from "./words.js";

export class Headline {
  constructor(document) {
    this.document = document;
    this.root = make(document, "p", "tr-headline", { role: "status" });
    this.notice = make(document, "p", "tr-notice", { role: "note" });
    this.notice.hidden = true;
  }

  /** Before the first race. */
  idle(lanes) {
    this.#offer(false);
    setText(this.root, say("headline_ready", { lanes }));
  }

  /** Draw again whatever is said next. */
  forget() {
    this.shown = undefined;
  }

  /** `verdict` null: the race at `t`, with its reader and whether the connection is lost. */
  show(race, t, verdict, reader) {
    this.notice.hidden = !race.run?.merged;
    setText(this.notice, race.run?.merged ? say("merged") : "");
    if (this.shown !== verdict) this.#begin(verdict);
    if (!verdict) this.#count(race, t, reader);
  }

  #begin(verdict) {
    const { document, root } = this;
    this.shown = verdict;
    root.classList.toggle("tr-verdict", verdict !== null);
    root.shownText = null;
    this.#offer(verdict !== null);
    if (verdict) {
      const parts = verdict.verdict.map(([text, mark]) =>
        make(document, "span", mark === "reader" ? "tr-amber" : "", {}, text),
      );
      root.replaceChildren(...parts);
      return;
    }
    [this.time, this.done, this.read] = ["tr-time", "tr-done", "tr-amber"].map((name) =>
      make(document, "span", name),
    );
    root.replaceChildren(this.time, this.done, this.read);
  }

  /** A verdict can be asked how it came about, by keyboard as well. */
  #offer(on) {
    setAttribute(this.root, "tabindex", on ? "0" : null);
    setAttribute(this.root, "aria-describedby", on ? "tr-how" : null);
    setAttribute(this.root, "data-how", on ? "verdict" : null);
  }

  #count(race, t, { generation, speeds, lost }) {
    const generations = race.lanes.map((lane) => lane.at(t));
    const ends = generations.filter((one) => one.ended(t)).map((one) => one.end.status);
    const done = ends.filter((status) => status === "complete").length;
    const other = ends.length - done;
    const person = generation?.readerAt(t, speeds);
    const sents = generations.map((one) => one.sentAt(t)).filter((sent) => sent !== null);
    const read = person
      ? say("headline_person", { count: quantity(person.read, person.unit === "char" ? "chars" : "words") })
      : say("headline_person_none");
    setText(this.time, sents.length ? clock(Math.max(0, t - Math.min(...sents))) : clock(0));
    setText(
      this.done,
      say(other ? "headline_done_other" : "headline_done", { done, other, lanes: count(race.lanes.length) }),
    );
    setText(this.read, lost ? say("health_lost") : read);
  }
}
