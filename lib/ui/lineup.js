// The chosen backends as a row of chips: a dot in the lane's colour, the name, the badge's word, a cross.
// Chips are reordered by dragging, or with Alt+Left and Alt+Right; Delete removes. Text nodes only.

const rows = new WeakMap();

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  let row = rows.get(parentElement);
  if (!row) {
    row = document.createElement("div");
    row.className = "lineup";
    row.setAttribute("role", "list");
    parentElement.append(row);
    rows.set(parentElement, row);
  }
  let number = Date.now();
  const tell = (change) => setTriggerValue("change", { ...change, n: ++number });
  row.replaceChildren(...data.chips.map((chip, place) => makeChip(chip, place, data, tell)));
}

function makeChip(chip, place, data, tell) {
  const element = document.createElement("div");
  element.className = `chip ${chip.origin}${chip.absent ? " absent" : ""}`;
  element.setAttribute("role", "listitem");
  element.tabIndex = 0;
  element.draggable = true;
  element.title = [`${chip.name}, ${chip.badge}`, chip.absent || chip.note, data.help].filter(Boolean).join("\n");
  const dot = document.createElement("span");
  dot.className = "dot";
  dot.style.setProperty("--light", chip.light);
  dot.style.setProperty("--dark", chip.dark);
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = chip.name;
  element.append(dot, name);
  if (data.removable) element.append(cross(chip, place, data, tell));
  listen(element, place, data, tell);
  return element;
}

function cross(chip, place, data, tell) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "×";
  button.setAttribute("aria-label", data.remove.replace("{name}", chip.name));
  button.addEventListener("click", () => tell({ remove: place }));
  return button;
}

function listen(element, place, data, tell) {
  element.addEventListener("keydown", (event) => {
    if (event.key === "Delete" && data.removable) tell({ remove: place });
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const target = place + (step || 0);
    if (event.altKey && step && target >= 0 && target < data.chips.length) {
      event.preventDefault();
      tell({ move: [place, target] });
    }
  });
  element.addEventListener("dragstart", (event) => {
    event.dataTransfer.setData("text/x-lane", String(place));
    event.dataTransfer.effectAllowed = "move";
  });
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    element.classList.add("target");
  });
  element.addEventListener("dragleave", () => element.classList.remove("target"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    element.classList.remove("target");
    const from = Number.parseInt(event.dataTransfer.getData("text/x-lane"), 10);
    if (Number.isInteger(from) && from !== place) tell({ move: [from, place] });
  });
}
