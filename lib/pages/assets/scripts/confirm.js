/** Asks whether to send a request that deletes or archives. @param request what it sends. Resolves to the choice. */
export function confirmDanger(action, request) {
  const dialog = document.createElement('dialog');
  dialog.className = 'confirm';
  dialog.setAttribute('aria-labelledby', 'confirm-title');
  const title = Object.assign(document.createElement('h2'), {
    id: 'confirm-title',
    textContent: `${action} in this service?`,
  });
  const text = document.createElement('p');
  text.append(Object.assign(document.createElement('code'), { textContent: request }));
  const choices = Object.assign(document.createElement('p'), { className: 'actions' });
  const cancel = Object.assign(document.createElement('button'), {
    type: 'button',
    textContent: 'Cancel',
    className: 'button second',
  });
  const confirm = Object.assign(document.createElement('button'), {
    type: 'button',
    textContent: action,
    className: 'button danger',
  });
  cancel.addEventListener('click', () => dialog.close());
  confirm.addEventListener('click', () => dialog.close('yes'));
  choices.append(cancel, confirm);
  dialog.append(title, text, choices);
  document.body.append(dialog);
  dialog.showModal();
  cancel.focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      resolve(dialog.returnValue === 'yes');
      dialog.remove();
    });
  });
}
