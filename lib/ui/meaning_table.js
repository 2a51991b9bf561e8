// Draws one table of the page "What it means" from texts: all of it goes through textContent, nothing is markup.

function side(place, left) {
  return left.includes(place) ? "left" : "";
}

function cellOf([text, note, hint], name, place, left) {
  const cell = make("td", `${side(place, left)} ${note && text === "–" ? "absent" : ""}`.trim(), "", hint);
  const value = make("span", "value", text);
  value.dir = "auto";
  if (note) value.append(make("sup", "", String(note)));
  cell.append(make("span", "narrow", name), value);
  return cell;
}

function rowOf(row, { head, left }) {
  const line = make("tr");
  const label = make("th", "label", row.label, row.hint);
  label.scope = "row";
  line.append(label, ...row.cells.map((cell, i) => cellOf(cell, head[i + 1][2] ?? head[i + 1][0], i + 1, left)));
  return line;
}

/** Titles over several columns; an empty one has no line under it. */
function groupsOf(groups) {
  const line = make("tr", "groups");
  line.append(
    ...groups.map(([text, columns]) => {
      const cell = make(text ? "th" : "td", text ? "group" : "", text);
      cell.colSpan = columns;
      if (text) cell.scope = "colgroup";
      return cell;
    }),
  );
  return line;
}

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".tr-meaning");
  const table = make("table");
  const titles = make("tr");
  titles.append(
    ...data.head.map(([text, help], place) => {
      const cell = make("th", place ? side(place, data.left) : "label", text, help);
      cell.scope = "col";
      return cell;
    }),
  );
  const head = make("thead");
  if (data.groups.length) head.append(groupsOf(data.groups));
  head.append(titles);
  const body = make("tbody");
  body.append(...data.rows.map((row) => rowOf(row, data)));
  table.append(head, body);
  const notes = make("ol", "notes");
  notes.append(...data.notes.map((sentence) => make("li", "", sentence)));
  notes.hidden = !data.notes.length;
  root.replaceChildren(table, ...data.legend.map((sentence) => make("p", "legend", sentence)), notes);
}
