import { authorization } from './entities.js';

/** What each action does to an entity, after its name. */
const consequences = {
  Delete: 'You can restore it for 30 days, including everything that is deleted with it.',
  Archive: 'This sets its status, and the status of its projects, to archived.',
  Send: 'You can restore deleted entities for 30 days.',
};

/** Returns what the entity is: `the tag "design"`; only its kind when it cannot be read. */
async function subjectOf(path, id) {
  const collection = path.split('/')[2];
  const kind = collection.slice(0, -1);
  if (!id) return 'these entities';
  const response = await fetch(`/v1/${collection}/${encodeURIComponent(id)}`, { headers: authorization() });
  return response.ok ? `the ${kind} “${(await response.json()).name}”` : `this ${kind}`;
}

const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

/** Asks whether to send a request that deletes or archives. Resolves to the choice. */
export async function confirmDanger(action, { method, path, id }) {
  const dialog = make('dialog', { className: 'confirm' });
  dialog.setAttribute('aria-labelledby', 'confirm-title');
  const subject = await subjectOf(path, id);
  const title = make('h2', { id: 'confirm-title', textContent: `${action} ${subject}?` });
  const text = make('p', { textContent: consequences[action] ?? '' });
  const request = make('p');
  request.append(make('code', { textContent: `${method} ${path.replace(/\{\w+\}/, id ?? '')}` }));
  const choices = make('p', { className: 'actions' });
  const cancel = make('button', { type: 'button', textContent: 'Cancel', className: 'button second' });
  const confirm = make('button', { type: 'button', textContent: action, className: 'button danger' });
  cancel.addEventListener('click', () => dialog.close());
  confirm.addEventListener('click', () => dialog.close('yes'));
  choices.append(cancel, confirm);
  dialog.append(title, text, request, choices);
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
