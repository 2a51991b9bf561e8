// An element with a text in it: textContent alone, so that nothing a visitor pastes or a model says is markup. Stands
// in front of the components that use it.

function make(tag, className, text, title) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  if (title) element.title = title;
  return element;
}

