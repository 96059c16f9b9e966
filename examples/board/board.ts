/** A task board for the service: filters, moves between statuses, what others do, and what happens when somebody else was faster. */
import { createClient, isProblem, type ListQuery, type TaskTypes } from 'project-management-client';
import { readHistory } from './history.ts';
import {
  type Card,
  type Column,
  filtersOf,
  type Placement,
  placementAt,
  readCard,
  readChoices,
  readColumns,
  withCard,
  withoutCard,
} from './tasks.ts';
import {
  addToHistory,
  byId,
  neighbour,
  notify,
  openHistory,
  showChoices,
  showColumns,
  showText,
} from './view.ts';

/** The address of the service, and the request for a token of its development issuer, if one runs. The build sets them. */
declare const serviceUrl: string;
declare const tokenRequest: { readonly url: string; readonly form: string } | null;

/** Returns a new token for each request of the board. An app signs in instead, as the guide on authentication shows. */
async function developmentToken(): Promise<string> {
  const { url, form } = tokenRequest ?? { url: '', form: '' };
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  return ((await response.json()) as { access_token: string }).access_token;
}

const client = createClient({ url: serviceUrl, token: tokenRequest ? developmentToken : undefined });
const filters = byId<HTMLFormElement>('filters');

let statuses: readonly string[] = [];
let columns: readonly Column[] = [];
const pending = new Set<string>();

/** Today as `YYYY-MM-DD`, as Swedish dates are written. */
const today = (): string => new Date().toLocaleDateString('sv');

function render(): void {
  const options = {
    statuses,
    pending,
    today: today(),
    onMove: move,
    onHistory: showHistory,
    onDelete: remove,
  };
  showColumns(columns, options, (id, status, place) => {
    const card = findCard(id);
    if (card) move(card, status, place);
  });
}

const findCard = (id: string): Card | undefined =>
  columns.flatMap(({ cards }) => cards).find((card) => card.id === id);

const columnOf = (status: string): Column | undefined => columns.find((column) => column.status === status);

const cardsIn = (status: string): readonly Card[] => columnOf(status)?.cards ?? [];

const placeOf = ({ id, status }: Card): number => cardsIn(status).findIndex((card) => card.id === id);

/** Shows cards at their places by their positions. */
function putCards(...cards: readonly Card[]): void {
  columns = cards.reduce((current, card) => withCard(current, card), columns);
}

/** Gives positions to cards. */
async function placeCards(above: Placement['above']): Promise<void> {
  const tasks = await client.tasks.batchInSeveralTransactions(
    above.map(({ card, position }) => ({ operation: 'update', id: card.id, body: { position } })),
  );
  putCards(...above.map(({ card }, number) => ({ ...card, ...tasks[number] })));
}

/** Shows a change at once, and takes it back if the service refuses it. */
async function moveCard(card: Card, status: string, place: number): Promise<void> {
  const { cards = [], next } = columnOf(status) ?? {};
  const others = [...cards, ...(next ? [next] : [])].filter(({ id }) => id !== card.id);
  const { position, above } = placementAt(others, place);
  pending.add(card.id);
  putCards({ ...card, status, position }, ...above.map((one) => ({ ...one.card, position: one.position })));
  render();
  try {
    await placeCards(above);
    // The card has the version that the board shows. The service refuses the write if there is a newer one.
    const task = await client.tasks.update(card, { status, position });
    putCards({ ...card, ...task });
    notify(status === card.status ? `“${card.name}” is moved.` : `“${card.name}” is now ${status}.`);
  } catch (error) {
    putCards(card, ...above.map((one) => one.card));
    if (isProblem(error, 'version-mismatch') || isProblem(error, 'not-found')) {
      await showCurrent(card);
    } else {
      notify(`“${card.name}” is not moved. ${error instanceof Error ? error.message : error}`);
    }
  } finally {
    pending.delete(card.id);
    render();
  }
}

/** Replaces a card that others have changed. */
async function showCurrent(card: Card): Promise<void> {
  render();
  const current = await readCard(client, card.id);
  columns = withoutCard(columns, card.id);
  if (current) putCards(current);
  notify(
    current
      ? `Somebody else changed “${card.name}” meanwhile. Your move is taken back, and the board shows the current task.`
      : `Somebody else deleted “${card.name}” meanwhile.`,
  );
}

/** @param place in the column, counted without the card; by default the first one. */
function move(card: Card, status: string, place = 0): void {
  const isThere = status === card.status && place === placeOf(card);
  if (isThere || pending.has(card.id)) return;
  moveCard(card, status, place).catch(showError);
}

async function restoreCard(card: Card): Promise<void> {
  await client.tasks.restore(card.id);
  const restored = await readCard(client, card.id);
  if (restored) putCards(restored);
  render();
  notify(`“${card.name}” is back.`);
}

/** Deletes a card, unless somebody else has changed it, and offers to take that back. */
async function deleteCard(card: Card): Promise<void> {
  pending.add(card.id);
  try {
    await client.tasks.delete(card);
    columns = withoutCard(columns, card.id);
    notify(`“${card.name}” is deleted.`, () => {
      restoreCard(card).catch((error: Error) => notify(`“${card.name}” is not restored. ${error.message}`));
    });
  } catch (error) {
    notify(`“${card.name}” is not deleted. ${error instanceof Error ? error.message : error}`);
  } finally {
    pending.delete(card.id);
    render();
  }
}

function remove(card: Card): void {
  if (!pending.has(card.id)) deleteCard(card).catch(showError);
}

/** Shows who changed what of a card, the newest change first, page by page. */
function showHistory(card: Card): void {
  let after: string | undefined;
  const addPage = async (): Promise<void> => {
    const page = await readHistory(client, card.id, after);
    after = page.cursor ?? undefined;
    addToHistory(page);
  };
  const add = (): void => {
    addPage().catch((error: Error) => {
      byId<HTMLDialogElement>('history').close();
      notify(error.message);
    });
  };
  openHistory(card, add);
  add();
}

function showError(error: unknown): void {
  if (error instanceof Error && error.name === 'AbortError') return;
  const code = Object.assign(document.createElement('code'), { textContent: 'npm start' });
  const message = error instanceof Error ? error.message : String(error);
  showText(`${message} If the service does not run, start it with `, code, ' and reload this page.');
  byId('board').ariaBusy = 'false';
}

/** Milliseconds between two looks at the feed where the service announces no changes. */
const feedIntervalMs = 2_000;

/** Reads the lists again, and shows them if they have changed. */
async function refresh(query: ListQuery<TaskTypes>, signal: AbortSignal): Promise<void> {
  let current: Column[];
  // The lists may not have a move yet that is not confirmed.
  do current = await readColumns(client, statuses, query, signal);
  while (pending.size > 0);
  if (JSON.stringify(current) === JSON.stringify(columns)) return;
  columns = current;
  render();
}

/** Returns where the changes after this moment begin. */
async function cursorNow(query: ListQuery<TaskTypes>, signal: AbortSignal): Promise<string> {
  return (await client.tasks.changes({ ...query, fields: ['id'], since: 'now' }, { signal })).cursor;
}

/** Shows what others do, until the signal is aborted. @param since a cursor from before the lists were read. */
async function follow(query: ListQuery<TaskTypes>, since: string, signal: AbortSignal): Promise<void> {
  const onError = (): void => {
    if (!signal.aborted) notify('The board cannot see what others do at the moment. It tries again.');
  };
  const options = { since, signal, live: true, interval: feedIntervalMs, onError };
  let isOutdated = false;
  for await (const page of client.tasks.sync({ ...query, fields: ['id'] }, options)) {
    isOutdated ||= page.isFirst || page.data.length + page.removed.length > 0;
    if (!isOutdated || !page.isComplete) continue;
    // After an error, the next page reads the lists.
    await refresh(query, signal).then(() => {
      isOutdated = false;
    }, onError);
  }
}

let loading = new AbortController();

/** Reads the tasks that match the filters. A later call aborts an earlier one. */
async function load(): Promise<void> {
  loading.abort();
  loading = new AbortController();
  byId('board').ariaBusy = 'true';
  const form = new FormData(filters);
  const address = new URLSearchParams([...form].filter(([, value]) => value !== '') as [string, string][]);
  history.replaceState(null, '', `${location.pathname}${address.size > 0 ? `?${address}` : ''}`);
  const query = filtersOf(form, today());
  const { signal } = loading;
  const since = await cursorNow(query, signal);
  columns = await readColumns(client, statuses, query, signal);
  byId('board').ariaBusy = 'false';
  render();
  follow(query, since, signal).catch(showError);
}

/** Fills the filters from the address of the page, so that a link shows the same tasks. */
async function start(): Promise<void> {
  const chosen = new URLSearchParams(location.search);
  const choices = await readChoices(client);
  statuses = choices.statuses;
  showChoices('projectId', choices.projects, chosen.get('projectId') ?? '');
  showChoices('userId', choices.users, chosen.get('userId') ?? '');
  const { name, priority, overdue } = filters.elements as unknown as Record<string, HTMLInputElement>;
  if (name) name.value = chosen.get('name') ?? '';
  if (priority) priority.value = chosen.get('priority') ?? '';
  if (overdue) overdue.checked = chosen.has('overdue');
  await load();
  if (columns.every(({ total }) => total === 0) && location.search === '') {
    notify('There are no tasks yet. Add one above, or run “npx pm-api seed”.');
  }
}

let typing: ReturnType<typeof setTimeout> | undefined;

/** Loads after a pause in typing. */
function loadSoon(): void {
  clearTimeout(typing);
  typing = setTimeout(() => load().catch(showError), 200);
}

filters.addEventListener('input', loadSoon);
// The event comes before the fields are empty.
filters.addEventListener('reset', loadSoon);
filters.addEventListener('submit', (event) => event.preventDefault());

byId<HTMLFormElement>('new-task').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.currentTarget as HTMLFormElement;
  const name = String(new FormData(form).get('name'));
  const status = statuses.includes('active') ? 'active' : statuses[0];
  const projectId = String(new FormData(filters).get('projectId') ?? '') || null;
  const add = async (): Promise<void> => {
    const { position } = placementAt(cardsIn(status ?? ''), 0);
    const { id } = await client.tasks.create({ name, status, projectId, position });
    const card = await readCard(client, id);
    if (card) putCards(card);
    form.reset();
    render();
    notify(`“${name}” is added.`);
  };
  add().catch((error: Error) => notify(error.message));
});

byId('board').addEventListener('keydown', (event) => {
  const { target, key, shiftKey } = event;
  if (!(target instanceof HTMLElement) || !target.matches('.card') || !/^Arrow/.test(key)) return;
  event.preventDefault();
  const card = findCard(target.dataset['id'] ?? '');
  const column = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const row = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (!shiftKey) neighbour(target, key)?.focus();
  else if (card && column) {
    const status = statuses[statuses.indexOf(card.status) + column];
    if (status) move(card, status);
  } else if (card && row) {
    const last = cardsIn(card.status).length - 1;
    move(card, card.status, Math.min(last, Math.max(0, placeOf(card) + row)));
  }
});

start().catch(showError);
