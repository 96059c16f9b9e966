/** What the board shows, and the queries that return it. Nothing here depends on the page. */
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';
import type {
  Client,
  ListQuery,
  Task,
  TaskExpansions,
  TaskTypes,
  Versioned,
} from 'project-management-client';

/** A task with its project and its assignee. Its version guards a move. */
export type Card = Versioned<Task, Task & Pick<TaskExpansions, 'project' | 'user'>>;

export interface Column {
  readonly status: string;
  readonly cards: readonly Card[];
  /** The card below those that are shown. It is not shown itself: a card that is dropped at the end must stay above it. */
  readonly next: Card | undefined;
  /** Number of tasks that match, also of those that are not shown. */
  readonly total: number;
}

/** A choice of a filter: an id and its name. */
export type Choice = readonly [id: string, name: string];

interface Choices {
  readonly statuses: readonly string[];
  readonly projects: readonly Choice[];
  readonly users: readonly Choice[];
}

/** Statuses in the order of work. Others follow in the order of their frequency. */
const workflow = [
  'planned',
  'todo',
  'active',
  'in-progress',
  'blocked',
  'review',
  'done',
  'completed',
  'cancelled',
  'archived',
];

const maxColumns = 6;

/** Cards of a column that are shown. */
const maxCards = 50;

/** Returns the statuses that have a column: those that tasks have, or the usual ones. */
function columnsOf(found: readonly string[]): string[] {
  const place = (status: string): number =>
    workflow.includes(status) ? workflow.indexOf(status) : workflow.length;
  const all = found.length < 2 ? [...new Set(['planned', 'active', 'completed', ...found])] : [...found];
  return all.sort((one, other) => place(one) - place(other)).slice(0, maxColumns);
}

/** Returns the query for what the form of filters holds. */
export function filtersOf(form: FormData, today: string): ListQuery<TaskTypes> {
  const value = (name: string): string | undefined => String(form.get(name) ?? '') || undefined;
  const [name, priority] = [value('name'), value('priority') as Task['priority'] | undefined];
  // `#42` finds the task with this number.
  const [, number] = /^#(\d{1,15})$/.exec(name ?? '') ?? [];
  return {
    projectId: value('projectId'),
    userId: value('userId'),
    ...(number ? { number: Number(number) } : name && { name: { contains: name } }),
    ...(priority && { priority: { gte: priority } }),
    ...(form.has('overdue') && { dueDate: { lt: today } }),
  };
}

/** Returns the choices of the filters: the statuses, projects and users that tasks have. */
export async function readChoices(client: Client): Promise<Choices> {
  const { counts } = await client.tasks.list({
    countBy: ['status', 'projectId', 'userId'],
    fields: ['id'],
    limit: 1,
  });
  const idsIn = (values: readonly { readonly value: string | null }[]) =>
    values.flatMap(({ value }) => value ?? []);
  const named = { fields: ['name'], sortBy: 'name', sortOrder: 'asc', limit: 100 } as const;
  const [projects, users] = await Promise.all([
    client.projects.list({ ...named, id: { in: idsIn(counts.projectId) } }),
    client.users.list({ ...named, id: { in: idsIn(counts.userId) } }),
  ]);
  return {
    statuses: columnsOf(idsIn(counts.status)),
    projects: projects.data.map(({ id, name }) => [id, name]),
    users: users.data.map(({ id, name }) => [id, name]),
  };
}

/** Returns the columns with each task once: a task that moves while the lists are read can be in two of them. Its newer state stays. */
function withoutRepeats(columns: readonly Column[]): Column[] {
  const newest = new Map<string, Card>();
  for (const card of columns.flatMap(({ cards }) => cards)) {
    const other = newest.get(card.id);
    if (!other || other.updatedAt < card.updatedAt) newest.set(card.id, card);
  }
  return columns.map((column) => {
    const cards = column.cards.filter((card) => newest.get(card.id) === card);
    return { ...column, cards, total: column.total - (column.cards.length - cards.length) };
  });
}

/** Returns the columns with the tasks that match: first those that people have placed, then the others, the most urgent first. */
export async function readColumns(
  client: Client,
  statuses: readonly string[],
  filters: ListQuery<TaskTypes>,
  signal: AbortSignal,
): Promise<Column[]> {
  const read = async (status: string): Promise<Column> => {
    const { data, total } = await client.tasks.list(
      {
        ...filters,
        status,
        // Null is the lowest value: tasks without a position are last.
        sortBy: ['position', 'priority', 'dueDate'],
        sortOrder: ['desc', 'desc', 'asc'],
        expand: ['project', 'user'],
        limit: maxCards + 1,
      },
      { signal },
    );
    return { status, cards: data.slice(0, maxCards), next: data[maxCards], total };
  };
  return withoutRepeats(await Promise.all(statuses.map(read)));
}

/** Returns the current card of a task; `undefined` if it was deleted. */
export async function readCard(client: Client, id: string): Promise<Card | undefined> {
  return (await client.tasks.list({ id, expand: ['project', 'user'] })).data[0];
}

/** Returns the columns without a card. */
export const withoutCard = (columns: readonly Column[], id: string): Column[] =>
  columns.map((column) => {
    const cards = column.cards.filter((card) => card.id !== id);
    return { ...column, cards, total: column.total - (column.cards.length - cards.length) };
  });

/** From the lowest to the highest. */
const priorities: readonly Task['priority'][] = ['none', 'low', 'medium', 'high', 'urgent'];

/** Compares by code point, for text of the Basic Multilingual Plane. Null is the lowest value. */
function compareTexts(one: string | null, other: string | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return one < other ? -1 : 1;
}

/** Compares cards in the order that `readColumns` asks for. The service resolves ties by id, in the direction of the first field. */
const compareCards = (one: Card, other: Card): number =>
  compareTexts(other.position, one.position) ||
  priorities.indexOf(other.priority) - priorities.indexOf(one.priority) ||
  compareTexts(one.dueDate, other.dueDate) ||
  compareTexts(other.id, one.id);

/** Returns the columns with a card in the column of its status, in the order of the list, and nowhere else. */
export function withCard(columns: readonly Column[], card: Card): Column[] {
  return withoutCard(columns, card.id).map((column) => {
    if (column.status !== card.status) return column;
    const { cards, next, total } = column;
    const isShown = !next || compareCards(card, next) <= 0;
    const shown = isShown ? [...cards, card].sort(compareCards) : cards;
    return { ...column, cards: shown, total: total + 1 };
  });
}

/** The position of a task, and those that cards above it need first: a card without a key is below all that have one. */
export interface Placement {
  readonly position: string;
  readonly above: readonly { readonly card: Card; readonly position: string }[];
}

/** Returns whether a position is a key of `fractional-indexing`. The service takes any text, which another app may have written. */
function isKey(position: string | null | undefined): position is string {
  if (typeof position !== 'string') return false;
  try {
    generateKeyBetween(position, null);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the position of a card at a place of a column.
 * @param cards of the column, without this card, and then the next one that is not shown.
 */
export function placementAt(cards: readonly Card[], place: number): Placement {
  const positions = cards.map(({ position }) => position);
  const below = positions.slice(place).find(isKey) ?? null;
  // Two cards have the same position when two people dropped them at one place at the same time.
  const isAbove = (position: string | null): position is string =>
    isKey(position) && (below === null || position > below);
  const unplaced = cards.slice(0, place).filter(({ position }) => !isAbove(position));
  const lowestAbove = positions.slice(0, place).findLast(isAbove) ?? null;
  if (unplaced.length === 0) return { position: generateKeyBetween(below, lowestAbove), above: [] };
  const [position = '', ...keys] = generateNKeysBetween(below, lowestAbove, unplaced.length + 1);
  return {
    position,
    above: unplaced.map((card, number) => ({ card, position: keys.at(-1 - number) as string })),
  };
}
