/** The search of every page. Its index is loaded when it opens for the first time. */

const maxResults = 12;

/** Points of a word for where it occurs in an entry. */
function pointsOf(word, [, title, , line, words]) {
  const name = title.toLowerCase();
  if (name === word) return 100;
  if (name.startsWith(word)) return 60;
  if (name.includes(` ${word}`)) return 45;
  if (name.includes(word)) return 30;
  if (line.toLowerCase().includes(word)) return 15;
  if (` ${words}`.includes(` ${word}`)) return 8;
  return words.includes(word) ? 3 : 0;
}

/** Returns the points of an entry, and 0 unless it has every word. */
function score(words, entry) {
  const points = words.map((word) => pointsOf(word, entry));
  return points.includes(0) ? 0 : points.reduce((sum, one) => sum + one);
}

export function find(index, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return index
    .map((entry) => ({ entry, points: score(words, entry) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, maxResults)
    .map(({ entry }) => entry);
}

const element = (name, properties, ...children) => {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
};

function resultOf([kind, title, path, line], position) {
  const link = element(
    'a',
    { href: path, id: `result-${position}`, tabIndex: -1 },
    element('b', {}, title),
    element('span', {}, line),
  );
  link.setAttribute('role', 'option');
  link.setAttribute('aria-selected', String(position === 0));
  link.prepend(element('i', { className: `kind ${kind.toLowerCase()}` }, kind));
  return link;
}

/** Builds the dialog: a combobox, and the list of its results (ARIA 1.2). */
function buildDialog() {
  const input = element('input', {
    type: 'search',
    placeholder: 'Search operations, guides, problems and fields',
    autocomplete: 'off',
    spellcheck: false,
  });
  const results = element('div', { id: 'results', className: 'results' });
  results.setAttribute('role', 'listbox');
  results.setAttribute('aria-label', 'Results');
  const state = element('p', { className: 'facts state' });
  state.setAttribute('role', 'status');
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'results',
    'aria-label': 'Search',
    'aria-autocomplete': 'list',
  }))
    input.setAttribute(name, value);
  const dialog = element('dialog', { className: 'search' }, input, results, state);
  dialog.setAttribute('aria-label', 'Search');
  document.body.append(dialog);
  return { dialog, input, results, state };
}

const hint = '↑ ↓ to choose, Enter to open, Esc to close';

class Search {
  #parts = buildDialog();
  /** Entries, as soon as they are loaded: the dialog opens at once. */
  #index = [];

  constructor(index) {
    index.then((entries) => {
      this.#index = entries;
      this.#parts.dialog.dataset.ready = '';
      this.#show();
    });
    const { dialog, input, results } = this.#parts;
    input.addEventListener('input', () => this.#show());
    input.addEventListener('keydown', (event) => this.#onKey(event));
    results.addEventListener('click', () => dialog.close());
    // A click beside the dialog is one on the dialog itself.
    dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  }

  open() {
    const { dialog, input } = this.#parts;
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    this.#show();
  }

  #show() {
    const { input, results, state } = this.#parts;
    const found = find(this.#index, input.value);
    results.replaceChildren(...found.map(resultOf));
    input.setAttribute('aria-expanded', String(found.length > 0));
    state.textContent =
      input.value.trim() && found.length === 0 ? `Nothing matches “${input.value.trim()}”.` : hint;
    this.#mark(0);
  }

  #mark(position) {
    const { input, results } = this.#parts;
    const all = [...results.children];
    for (const [place, one] of all.entries()) one.setAttribute('aria-selected', String(place === position));
    all[position]?.scrollIntoView({ block: 'nearest' });
    if (all[position]) input.setAttribute('aria-activedescendant', all[position].id);
    else input.removeAttribute('aria-activedescendant');
  }

  #onKey(event) {
    const all = [...this.#parts.results.children];
    const current = all.findIndex((one) => one.getAttribute('aria-selected') === 'true');
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && all.length > 0) {
      event.preventDefault();
      this.#mark((current + step + all.length) % all.length);
    }
    if (event.key === 'Enter') all[current]?.click();
  }
}

export function prepareSearch() {
  const button = document.querySelector('button.search');
  let search;
  const open = () => {
    search ??= new Search(
      fetch(button.dataset.index)
        .then((response) => response.json())
        .then(({ entries }) => entries),
    );
    search.open();
  };
  button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    const isShortcut = event.key === 'k' && (event.metaKey || event.ctrlKey);
    if (!isShortcut && (event.key !== '/' || isTyping)) return;
    event.preventDefault();
    open();
  });
}
