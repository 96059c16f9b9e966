/** The history of a card: who changed what, as sentences. Nothing here depends on the page. */
import type { Client, HistoryEntry, Task } from 'project-management-client';

/** One change, as the panel shows it. */
export interface ShownChange {
  readonly time: string;
  /** Who made it, and what it was: "Ada created this task". */
  readonly title: string;
  /** What changed: "Status: active → done". */
  readonly details: readonly string[];
}

export interface ShownHistory {
  readonly changes: readonly ShownChange[];
  /** The cursor of earlier changes; null if there are none. */
  readonly cursor: string | null;
  readonly isComplete: boolean;
}

type Entry = HistoryEntry<Task>;

const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  number: 'Number',
  status: 'Status',
  priority: 'Priority',
  dueDate: 'Due date',
  description: 'Description',
  projectId: 'Project',
  userId: 'Assignee',
  tagIds: 'Tags',
};

const verbs: Readonly<Record<Entry['operation'], string>> = {
  create: 'created this task',
  update: 'changed this task',
  delete: 'deleted this task',
  restore: 'restored this task',
};

/** Returns all ids that the changes of a field have. */
const idsIn = (entries: readonly Entry[], field: 'projectId' | 'userId' | 'tagIds'): string[] => [
  ...new Set(
    entries.flatMap(({ changes }) =>
      [changes[field]?.from, changes[field]?.to].flat().filter((id) => typeof id === 'string'),
    ),
  ),
];

/** Returns the names of the entities and people that changes name, by id and by subject. */
async function readNames(client: Client, entries: readonly Entry[]): Promise<ReadonlyMap<string, string>> {
  const named = { fields: ['name'], limit: 100 } as const;
  const actors = [...new Set(entries.flatMap(({ actor }) => actor ?? []))];
  const [projects, users, tags, people] = await Promise.all([
    client.projects.list({ ...named, id: { in: idsIn(entries, 'projectId') } }),
    client.users.list({ ...named, id: { in: idsIn(entries, 'userId') } }),
    client.tags.list({ ...named, id: { in: idsIn(entries, 'tagIds') } }),
    client.users.list({ fields: ['name', 'subject'], subject: { in: actors } }),
  ]);
  const entities = [...projects.data, ...users.data, ...tags.data];
  return new Map([
    ...entities.map(({ id, name }) => [id, name] as const),
    ...people.data.map(({ subject, name }) => [String(subject), name] as const),
  ]);
}

function valueText(value: unknown, isCut: boolean, names: ReadonlyMap<string, string>): string {
  const texts = [value].flat().filter((one) => one !== null && one !== undefined && one !== '');
  if (texts.length === 0) return 'none';
  return texts.map((one) => names.get(String(one)) ?? String(one)).join(', ') + (isCut ? '…' : '');
}

/** Returns what a change says about one field; `undefined` for one that says nothing, as the empty fields of a new task. */
function detailOf(field: string, entry: Entry, names: ReadonlyMap<string, string>): string | undefined {
  if (field === 'position') return entry.operation === 'update' ? 'Moved within the board' : undefined;
  const label = labels[field] ?? field;
  const { from, to, isCut = false } = entry.changes[field as keyof Entry['changes']] ?? {};
  const isIdOf = (value: unknown): string => {
    const text = valueText(value, isCut, names);
    // What was deleted has no name any more.
    return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text) ? 'a deleted one' : text;
  };
  if (entry.operation === 'update') return `${label}: ${isIdOf(from)} → ${isIdOf(to)}`;
  return isIdOf(to) === 'none' ? undefined : `${label}: ${isIdOf(to)}`;
}

function shown(entry: Entry, names: ReadonlyMap<string, string>): ShownChange {
  const { time, actor, operation, changes } = entry;
  const who = actor === undefined ? 'Somebody' : (names.get(actor) ?? actor);
  const fields = operation === 'delete' ? [] : Object.keys(changes);
  return {
    time,
    title: `${who} ${verbs[operation]}`,
    details: fields.flatMap((field) => detailOf(field, entry, names) ?? []),
  };
}

/** Reads the changes of a task, the newest first. @param after the cursor of earlier changes. */
export async function readHistory(client: Client, id: string, after?: string): Promise<ShownHistory> {
  const { data, cursor, isComplete } = await client.tasks.history(id, { after, limit: 10 });
  const names = await readNames(client, data);
  return { changes: data.map((entry) => shown(entry, names)), cursor, isComplete };
}
