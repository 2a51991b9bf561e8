// Draws the table of metrics from texts: every text goes through textContent, nothing is markup. How a lane's figures
// came about (`how`, lib/provenance.py) is said when a cell is pointed at, and for all lanes where the line below opens.

function make(tag, className, text, title) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  if (title) element.title = title;
  return element;
}

function headOf(lane) {
  const cell = make("th", "lane", "", lane.note);
  cell.scope = "col";
  const name = make("span", "name", lane.name);
  name.dir = "auto";
  const mark = make("span", `mark ${lane.origin}`);
  mark.style.color = lane.colour;
  const title = make("span", "title");
  title.append(mark, name);
  cell.append(title, make("span", "badge", lane.badge));
  return cell;
}

function chipOf([words, note, sentence]) {
  const chip = make("span", "chip", words, sentence);
  chip.append(make("sup", "", String(note)));
  return chip;
}

function cellOf([text, note, hint, chips], lane) {
  const how = (lane.how ?? []).map(([name, fact]) => `${name}: ${fact}`).join("\n");
  const told = [hint, how].filter(Boolean).join("\n\n");
  const cell = make("td", note && text === "–" ? "absent" : "", "", told);
  const label = make("span", "narrow", `${lane.name}, ${lane.badge}`);
  label.dir = "auto";
  const value = make("span", "value", text);
  if (note) value.append(make("sup", "", String(note)));
  value.append(...chips.map(chipOf));
  cell.append(label, value);
  if (hint) cell.setAttribute("aria-label", `${lane.name}: ${text}. ${hint}`);
  return cell;
}

function rowOf(row, lanes) {
  const line = make("tr");
  const name = make("th", "metric", row.name, row.help);
  name.scope = "row";
  line.append(name, ...row.cells.map((cell, i) => cellOf(cell, lanes[i])));
  return line;
}

function howOf(lane) {
  const block = make("div");
  const title = make("h5", "", `${lane.name}, ${lane.badge}`);
  title.dir = "auto";
  const list = make("dl");
  for (const [name, fact] of lane.how) {
    const text = make("dd", "", fact);
    text.dir = "auto";
    list.append(make("dt", "", name), text);
  }
  block.append(title, list);
  return block;
}

function allOf(data, was) {
  const lanes = data.lanes.filter((lane) => lane.how);
  if (!lanes.length) return [];
  const details = make("details", "how");
  details.open = was;
  const blocks = make("div", "blocks");
  blocks.append(...lanes.map(howOf));
  details.append(make("summary", "", data.how_head), blocks);
  return [details];
}

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".tr-metrics");
  const table = make("table");
  const head = make("thead");
  const titles = make("tr");
  const corner = make("th", "metric", data.head);
  corner.scope = "col";
  titles.append(corner, ...data.lanes.map(headOf));
  head.append(titles);
  const body = make("tbody");
  body.append(...data.rows.map((row) => rowOf(row, data.lanes)));
  table.append(head, body);
  table.style.setProperty("--lanes", data.lanes.length);
  const notes = make("ol", "notes");
  notes.append(...data.notes.map((sentence) => make("li", "", sentence)));
  const was = Boolean(root.querySelector("details.how")?.open);
  root.replaceChildren(table, notes, ...allOf(data, was));
}
