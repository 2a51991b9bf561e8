// Draws one text under several tokenizers: each token between borders, in alternating tints. Texts only, no markup:
// whatever a visitor pastes or a model said stays text.

/** What a token shows: a line break and a tabulator have a sign of their own. */
export function shown(text) {
  return text.replaceAll("\r", "␍").replaceAll("\t", "⇥\t").replaceAll("\n", "↵\n");
}

function tokenOf([text, tokens], place, words) {
  const token = make("span", `token tint${place % 4}`, shown(text), tokens > 1 ? words.several.replace("{n}", tokens) : "");
  if (tokens > 1) token.append(make("sub", "", String(tokens)));
  return token;
}

function cardOf(card, words) {
  const box = make("section", "card");
  const head = make("div", "head");
  head.append(make("span", "name", card.name), make("span", "figures", card.figures));
  const text = make("div", "text");
  text.dir = "auto";
  text.tabIndex = 0;
  text.setAttribute("role", "group");
  text.setAttribute("aria-label", `${card.name}: ${card.figures}`);
  text.append(...card.spans.map((span, place) => tokenOf(span, place, words)));
  box.append(head, text);
  if (card.note) box.append(make("p", "note", card.note));
  return box;
}

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".tr-tokens");
  data.tints.forEach((colour, place) => root.style.setProperty(`--tint${place}`, colour));
  root.replaceChildren(...data.cards.map((card) => cardOf(card, data.words)));
}
