/** The page: what it shows of the columns. */
import type { ShownChange, ShownHistory } from './history.ts';
import type { Card, Choice, Column } from './tasks.ts';

type Content = Node | string | undefined;

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content.filter((one) => one !== undefined));
  return made;
}

/** Returns the one element of the page with this id. */
export function byId<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/** `in-progress` as `In progress`. */
const titleOf = (status: string): string =>
  status.charAt(0).toUpperCase() + status.slice(1).replaceAll(/[-_]/g, ' ');

const dayOf = (date: string): string =>
  new Date(`${date}T00:00`).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });

/** What the cards need besides their tasks. */
interface CardOptions {
  readonly statuses: readonly string[];
  /** The ids of the tasks whose move is not confirmed yet. */
  readonly pending: ReadonlySet<string>;
  readonly today: string;
  readonly onMove: (card: Card, status: string) => void;
  readonly onHistory: (card: Card) => void;
  readonly onDelete: (card: Card) => void;
}

function deleteButton(card: Card, { onDelete }: CardOptions): HTMLButtonElement {
  const button = element(
    'button',
    { type: 'button', className: 'quiet', ariaLabel: `Delete ${card.name}` },
    'Delete',
  );
  button.addEventListener('click', () => onDelete(card));
  return button;
}

function historyButton(card: Card, { onHistory }: CardOptions): HTMLButtonElement {
  const button = element(
    'button',
    { type: 'button', className: 'quiet', ariaLabel: `History of ${card.name}` },
    'History',
  );
  button.addEventListener('click', () => onHistory(card));
  return button;
}

function statusSelect(card: Card, { statuses, onMove }: CardOptions): HTMLSelectElement {
  const options = statuses.map(
    (status) => new Option(titleOf(status), status, false, status === card.status),
  );
  const select = element('select', { ariaLabel: `Status of ${card.name}` }, ...options);
  select.addEventListener('change', () => onMove(card, select.value));
  return select;
}

function cardElement(card: Card, options: CardOptions): HTMLLIElement {
  const { id, name, number, priority, dueDate, project, user, status } = card;
  const isPending = options.pending.has(id);
  const isOverdue =
    dueDate !== null && dueDate < options.today && !/^(?:done|completed|cancelled|archived)$/.test(status);
  const due = dueDate === null ? undefined : `${isOverdue ? 'Overdue' : 'Due'} ${dayOf(dueDate)}`;
  const about = [project?.name, user?.name].filter(Boolean).join(' · ') || 'No project';
  const made = element(
    'li',
    { className: 'card', tabIndex: 0, draggable: !isPending, ariaBusy: String(isPending) },
    element('h3', {}, name),
    element('p', {}, number === null ? about : `#${number} · ${about}`),
    due && element('p', { className: isOverdue ? 'overdue' : '' }, due),
    element(
      'div',
      { className: 'facts' },
      priority === 'none' ? undefined : element('span', { className: `priority ${priority}` }, priority),
      historyButton(card, options),
      deleteButton(card, options),
      statusSelect(card, options),
    ),
  );
  made.dataset['id'] = id;
  made.setAttribute('aria-keyshortcuts', 'Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown');
  made.addEventListener('dragstart', ({ dataTransfer }) => dataTransfer?.setData('text/plain', id));
  return made;
}

/** Returns the place at a height of a column: the number of its other cards whose middle is above. @param y in CSS pixels of the window. */
function placeAt(column: HTMLElement, y: number, id: string): number {
  const others = [...column.querySelectorAll<HTMLElement>('.card')].filter(
    (card) => card.dataset['id'] !== id,
  );
  return others.filter((card) => {
    const { top, height } = card.getBoundingClientRect();
    return top + height / 2 < y;
  }).length;
}

function columnElement(
  { status, cards, total }: Column,
  options: CardOptions,
  onDrop: (id: string, place: number) => void,
): HTMLElement {
  const more = total - cards.length;
  const list = element('ul', {}, ...cards.map((card) => cardElement(card, options)));
  if (total === 0) list.append(element('li', { className: 'empty' }, 'No tasks'));
  if (more > 0)
    list.append(element('li', { className: 'empty' }, `${more} more. Use the filters to find them.`));
  const heading = element(
    'h2',
    { id: `column-${status}` },
    titleOf(status),
    element('span', {}, String(total)),
  );
  const made = element('section', { className: 'column' }, heading, list);
  made.setAttribute('aria-labelledby', heading.id);
  made.dataset['status'] = status;
  made.addEventListener('dragover', (event) => {
    event.preventDefault();
    made.classList.add('target');
  });
  made.addEventListener('dragleave', ({ relatedTarget }) => {
    if (!made.contains(relatedTarget as Node | null)) made.classList.remove('target');
  });
  made.addEventListener('drop', (event) => {
    event.preventDefault();
    made.classList.remove('target');
    const id = event.dataTransfer?.getData('text/plain') ?? '';
    onDrop(id, placeAt(made, event.clientY, id));
  });
  return made;
}

/** Shows the columns. The focus stays on its card, also when the card moves. */
export function showColumns(
  columns: readonly Column[],
  options: CardOptions,
  onDrop: (id: string, status: string, place: number) => void,
): void {
  const focused = document.activeElement?.closest<HTMLElement>('.card');
  const wasOnSelect = document.activeElement instanceof HTMLSelectElement;
  const tops = new Map(
    [...document.querySelectorAll<HTMLElement>('.column')].map((one) => [
      one.dataset['status'],
      one.querySelector('ul')?.scrollTop ?? 0,
    ]),
  );
  byId('board').replaceChildren(
    ...columns.map((column) =>
      columnElement(column, options, (id, place) => onDrop(id, column.status, place)),
    ),
  );
  for (const one of document.querySelectorAll<HTMLElement>('.column')) {
    one.querySelector('ul')?.scrollTo({ top: tops.get(one.dataset['status']) ?? 0 });
  }
  const card = focused && document.querySelector<HTMLElement>(`.card[data-id="${focused.dataset['id']}"]`);
  (wasOnSelect ? card?.querySelector('select') : card)?.focus();
}

export const showText = (...content: readonly Content[]): void =>
  byId('board').replaceChildren(element('p', { className: 'text' }, ...content));

/** Fills a filter with its choices. */
export function showChoices(name: string, choices: readonly Choice[], selected: string): void {
  const select = document.querySelector<HTMLSelectElement>(`#filters [name="${name}"]`);
  select?.replaceChildren(new Option('any', ''), ...choices.map(([id, text]) => new Option(text, id)));
  if (select) select.value = selected;
}

let hiding: ReturnType<typeof setTimeout> | undefined;

/** Shows a message for a while. Screen readers read it. @param onUndo adds a button that takes back what the message says. */
export function notify(message: string, onUndo?: () => void): void {
  const undo = onUndo && element('button', { type: 'button', onclick: onUndo }, 'Undo');
  byId('notice').replaceChildren(message, ...(undo ? [' ', undo] : []));
  clearTimeout(hiding);
  hiding = setTimeout(() => byId('notice').replaceChildren(), 8_000);
}

/** Returns the card beside the focused one in a direction: in its column, or at the same place of the next column with cards. */
export function neighbour(card: HTMLElement, key: string): HTMLElement | undefined {
  const columns = [...document.querySelectorAll('.column')].map((one) => [
    ...one.querySelectorAll<HTMLElement>('.card'),
  ]);
  const column = columns.findIndex((cards) => cards.includes(card));
  const place = columns[column]?.indexOf(card) ?? 0;
  if (key === 'ArrowUp') return columns[column]?.[place - 1];
  if (key === 'ArrowDown') return columns[column]?.[place + 1];
  const beside = key === 'ArrowLeft' ? columns.slice(0, column).reverse() : columns.slice(column + 1);
  const cards = beside.find(({ length }) => length > 0);
  return cards?.[Math.min(place, cards.length - 1)];
}

const timeOf = (time: string): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const changeElement = ({ time, title, details }: ShownChange): HTMLLIElement =>
  element(
    'li',
    {},
    element('strong', {}, title),
    element('time', { dateTime: time }, timeOf(time)),
    ...details.map((detail) => element('p', {}, detail)),
  );

/** Opens the panel with the history of a card. It is empty until `addToHistory`. @param onEarlier is called for earlier changes. */
export function openHistory(card: Card, onEarlier: () => void): void {
  const dialog = byId<HTMLDialogElement>('history');
  byId('history-title').textContent = `History of “${card.name}”`;
  dialog.querySelector('ol')?.replaceChildren();
  const earlier = dialog.querySelector<HTMLButtonElement>('button[type=button]');
  if (earlier) Object.assign(earlier, { hidden: true, onclick: onEarlier });
  dialog.ariaBusy = 'true';
  if (!dialog.open) dialog.showModal();
}

export function addToHistory({ changes, cursor, isComplete }: ShownHistory): void {
  const dialog = byId<HTMLDialogElement>('history');
  dialog.querySelector('ol')?.append(...changes.map(changeElement));
  const earlier = dialog.querySelector<HTMLButtonElement>('button[type=button]');
  if (earlier) earlier.hidden = cursor === null;
  const hint = dialog.querySelector('p:not(li p)');
  if (hint) hint.textContent = isComplete ? '' : 'Earlier changes are not kept any more.';
  dialog.ariaBusy = 'false';
}
