/** Shows the fields of responses and the examples of errors, which the page has once for all operations. */

const templateOf = (kind, name) => document.querySelector(`template[data-${kind}="${name}"]`);

/** Puts the fields of a response into the list that the reader opens. */
export function prepareFields(details) {
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1)
      details.append(templateOf('fields', details.dataset.schema).content.cloneNode(true));
  });
}

/** Shows the example of the status that the reader chooses. */
export function prepareStatuses(panel) {
  const code = panel.querySelector('code');
  const buttons = [...panel.querySelectorAll('[data-shows]')];
  let success;
  for (const button of buttons) {
    button.addEventListener('click', () => {
      // The successful response has got ids of this service by now.
      if (buttons[0].ariaPressed === 'true') success = [...code.childNodes];
      const template = templateOf('error', button.dataset.shows);
      code.replaceChildren(...(template ? [template.content.cloneNode(true)] : success));
      for (const one of buttons) one.ariaPressed = String(one === button);
    });
  }
}
