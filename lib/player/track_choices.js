// The small groups of options above the track: one of each group is pressed. Knows nothing of what they do.

import { button, make } from "./elements.js";
import { say } from "./words.js";

/**
 * A group whose options set properties of `target`: `options` is {word: {property: value}}; the option whose value
 * stands is pressed. `help` names the group.
 */
export function choiceGroup(document, target, help, options, onChoice) {
  const group = make(document, "span", "tr-choice", {
    role: "group",
    "aria-label": say(help),
    title: say(help),
  });
  const stands = (values) => Object.entries(values).every(([name, value]) => target[name] === value);
  const buttons = Object.entries(options).map(([word, values]) => {
    const element = button(document, "tr-option", say(word), say(word), () => {
      Object.assign(target, values);
      mark();
      onChoice();
    });
    return [element, values];
  });
  const mark = () =>
    buttons.forEach(([element, values]) => element.setAttribute("aria-pressed", String(stands(values))));
  mark();
  group.append(...buttons.map(([element]) => element));
  return group;
}
