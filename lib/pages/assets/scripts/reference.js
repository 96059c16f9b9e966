/** The reference: it follows the reader, shows examples of this service, and sends requests. */
import { forgetEntities } from './entities.js';
import { whenShown } from './follow.js';
import { showOwnExample } from './own-examples.js';
import { prepareFields, prepareStatuses } from './responses.js';
import { prepareForm } from './try-it.js';

const token = document.querySelector('#token');
token.value = sessionStorage.getItem('token') ?? '';
token.addEventListener('input', () => {
  sessionStorage.setItem('token', token.value.trim());
  forgetEntities();
});
token.form.addEventListener('submit', (event) => event.preventDefault());

for (const details of document.querySelectorAll('details.try')) prepareForm(details);

for (const select of document.querySelectorAll('[data-adds-to]')) {
  const field = document.getElementById(select.dataset.addsTo);
  select.addEventListener('change', () => {
    field.value = [...field.value.split(','), select.value].filter(Boolean).join(',');
    select.value = '';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

for (const details of document.querySelectorAll('[data-schema]')) prepareFields(details);
for (const panel of document.querySelectorAll('.response')) prepareStatuses(panel);

whenShown(document.querySelectorAll('section.operation'), showOwnExample);
