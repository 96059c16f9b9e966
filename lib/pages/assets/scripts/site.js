/** What all static pages do. `theme.js` has applied the choices of earlier visits. */
import { addCopyButtons } from './copy.js';
import { replaceTexts, withCurrentDays } from './example-texts.js';
import { followReader } from './follow.js';
import { prepareSearch } from './search.js';

const root = document.documentElement;

const remember = (name, value) => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice applies to this page only.
  }
};

const prefersDark = () => matchMedia('(prefers-color-scheme: dark)').matches;

function switchTheme() {
  const current = root.dataset.theme ?? (prefersDark() ? 'dark' : 'light');
  root.dataset.theme = current === 'dark' ? 'light' : 'dark';
  remember('theme', root.dataset.theme);
}

/** Shows which language each panel has: that of the reader, or its first one. The style sheet shows its sample. */
function markLanguage() {
  for (const group of document.querySelectorAll('.languages')) {
    const buttons = [...group.querySelectorAll('button')];
    const own = buttons.find(({ dataset }) => dataset.language === root.dataset.language) ?? buttons[0];
    for (const button of buttons) button.setAttribute('aria-pressed', String(button === own));
    if (own) group.scrollLeft = own.offsetLeft - group.offsetLeft - 24;
  }
}

/** Shows the samples of one language everywhere, and keeps the panel of the button where it is. */
function choose(button) {
  const before = button.getBoundingClientRect().top;
  root.dataset.language = button.dataset.language;
  remember('language', button.dataset.language);
  markLanguage();
  scrollBy(0, button.getBoundingClientRect().top - before);
}

const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);

/** The addresses of examples, of which this service replaces its own: on the reader's machine also that of `npm start`. */
const exampleAddress = isLocal
  ? /https:\/\/api\.example\.com|http:\/\/localhost:3000/g
  : /https:\/\/api\.example\.com/g;

/** Puts the address of this service into the examples. */
const showOwnAddress = () =>
  replaceTexts(document.body, (text) => text.replaceAll(exampleAddress, location.origin));

/** Moves the days of the example on the start page, as the reference does with its examples. */
function showCurrentDays() {
  for (const code of document.querySelectorAll('.front pre')) replaceTexts(code, withCurrentDays);
}

function prepareMenu() {
  const menu = document.querySelector('button.menu');
  const toggle = (isOpen) => {
    root.classList.toggle('menu-open', isOpen);
    menu?.setAttribute('aria-expanded', String(isOpen));
  };
  menu?.addEventListener('click', () => toggle(!root.classList.contains('menu-open')));
  document.querySelector('.sidebar')?.addEventListener('click', ({ target }) => {
    if (target.closest('a')) toggle(false);
  });
}

/** Shows how many entities there are, where requests need no token. */
async function showTotals() {
  const list = document.querySelector('.totals');
  if (!list || root.dataset.tokens === 'required') return;
  const cells = [...list.querySelectorAll('[data-total]')];
  const totals = await Promise.all(
    cells.map(async ({ dataset }) => {
      const response = await fetch(`/v1/${dataset.total}?limit=1&fields=id`);
      if (!response.ok) throw new Error(`There is no total of ${dataset.total}.`);
      return (await response.json()).total;
    }),
  );
  cells.forEach((cell, position) => {
    cell.textContent = totals[position].toLocaleString('en');
  });
  list.hidden = false;
}

document.querySelector('button.theme').addEventListener('click', switchTheme);
for (const button of document.querySelectorAll('button[data-language]')) {
  button.addEventListener('click', () => choose(button));
}
markLanguage();
showOwnAddress();
showCurrentDays();
addCopyButtons(document);
prepareMenu();
prepareSearch();
followReader();
showTotals().catch(() => {});
