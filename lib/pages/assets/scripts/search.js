/** The search of every page. Its index and its ranking are loaded when it opens for the first time. */

const element = (name, properties, ...children) => {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
};

/** Returns parts of a text as nodes: those at odd positions are marked. */
const nodesOf = (parts) =>
  parts.map((part, position) => (position % 2 === 0 ? part : element('mark', {}, part)));

/** Returns what stands beside a title: the method of an operation, or the kind. */
function labelOf(kind, line) {
  if (kind !== 'Operation') return element('i', { className: 'kind' }, kind);
  const [method] = line.split(' ');
  return element('b', { className: `method ${method.toLowerCase()}` }, method);
}

/** @param ranking the module. */
function resultOf({ marked, snippet }, [kind, title, path, line, text], query) {
  const markedText = (className, own) =>
    own ? [element('span', { className }, ...nodesOf(marked(own, query)))] : [];
  const link = element(
    'a',
    { href: path, tabIndex: -1 },
    element('span', { className: 'label' }, labelOf(kind, line)),
    ...markedText('title', title),
    ...markedText('line', kind === 'Operation' ? line.replace(/^\S+ /, '') : line),
    ...markedText('line', snippet(text, query)),
  );
  link.setAttribute('role', 'option');
  return link;
}

const hint = '↑ ↓ to choose, Enter to open, Esc to close';

const isTouched = matchMedia('(pointer: coarse)').matches;

/** Builds the dialog: a combobox, and the list of its results (ARIA 1.2). */
function buildDialog() {
  const input = element('input', {
    type: 'search',
    placeholder: isTouched ? 'Search' : 'Search operations, guides, errors and fields',
    autocomplete: 'off',
    spellcheck: false,
  });
  const results = element('div', { id: 'results', className: 'results' });
  results.setAttribute('role', 'listbox');
  results.setAttribute('aria-label', 'Results');
  const title = element('p', { className: 'facts suggestions', hidden: true });
  title.setAttribute('role', 'status');
  const state = element('p', { className: 'facts state' }, hint);
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'results',
    'aria-label': 'Search',
    'aria-autocomplete': 'list',
  }))
    input.setAttribute(name, value);
  const close = element(
    'button',
    { type: 'button', className: 'close', ariaLabel: 'Close' },
    isTouched ? 'Close' : element('kbd', {}, 'Esc'),
  );
  const icon = document.querySelector('button.search .icon').cloneNode(true);
  const field = element('div', { className: 'field' }, icon, input, close);
  const dialog = element('dialog', { className: 'search' }, field, title, results, state);
  dialog.setAttribute('aria-label', 'Search');
  document.body.append(dialog);
  return { dialog, input, close, title, results };
}

class Search {
  #parts = buildDialog();
  /** The index and the ranking, as soon as they are loaded: the dialog opens at once. */
  #loaded;

  constructor(loading) {
    loading.then(([{ entries, suggestions }, ranking]) => {
      this.#loaded = { entries: ranking.prepareEntries(entries), suggestions, ranking };
      this.#parts.dialog.dataset.ready = '';
      this.#show();
    });
    const { dialog, input, close, results } = this.#parts;
    close.addEventListener('click', () => dialog.close());
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
    if (!this.#loaded) return;
    const { entries, suggestions, ranking } = this.#loaded;
    const { input, results, title } = this.#parts;
    const query = input.value.trim();
    const found = ranking.rank(entries, query);
    const hasFound = found.length > 0;
    const links = hasFound
      ? found.map((entry) => resultOf(ranking, entry, query))
      : suggestions.map((entry) => resultOf(ranking, entry, ''));
    for (const [position, link] of links.entries()) link.id = `result-${position}`;
    results.replaceChildren(...links);
    title.hidden = hasFound;
    title.textContent = query ? `Nothing matches “${query}”. Suggestions:` : 'Suggestions';
    input.setAttribute('aria-expanded', 'true');
    // Enter opens a suggestion only if the reader has chosen it.
    this.#mark(hasFound ? 0 : -1);
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
    const next = { ArrowDown: current + 1, ArrowUp: (current < 0 ? 0 : current) - 1 }[event.key];
    if (next !== undefined && all.length > 0) {
      event.preventDefault();
      this.#mark((next + all.length) % all.length);
    }
    if (event.key === 'Enter') all[current]?.click();
  }
}

const load = ({ index, ranking }) =>
  Promise.all([fetch(index).then((response) => response.json()), import(ranking)]);

export function prepareSearch() {
  let search;
  const open = () => {
    search ??= new Search(load(document.querySelector('button.search').dataset));
    search.open();
  };
  for (const button of document.querySelectorAll('button.search, [data-search]')) {
    button.addEventListener('click', open);
  }
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    const isShortcut = event.key === 'k' && (event.metaKey || event.ctrlKey);
    if (!isShortcut && (event.key !== '/' || isTyping)) return;
    event.preventDefault();
    open();
  });
}
