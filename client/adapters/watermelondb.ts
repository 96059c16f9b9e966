import { type Database, Q } from '@nozbe/watermelondb';
import { type SyncTableChangeSet, synchronize } from '@nozbe/watermelondb/sync';
import type { LocalChange } from '../change-writer.ts';
import type { ResourceTypes } from '../query.ts';
import type { Replication } from '../replication.ts';

type Columns = Readonly<Record<string, unknown>>;
type Row = Columns & { readonly id: string };

/** Fields with arrays. WatermelonDB has none, so their columns are texts with JSON. */
const arrayFields: ReadonlySet<string> = new Set(['tagIds', 'memberIds']);

const mapArrays = (row: Row, map: (value: unknown) => unknown): Row =>
  Object.fromEntries(
    Object.entries(row).map(([field, value]) => [field, arrayFields.has(field) ? map(value) : value]),
  ) as Row;

const rowOf = (entity: object): Row => mapArrays(entity as Row, (value) => JSON.stringify(value));

const entityOf = (row: Row): Row => mapArrays(row, (value) => JSON.parse(String(value || '[]')));

/**
 * Makes a table of WatermelonDB equal to a list, and sends what was created, changed and deleted in it.
 * @param table whose columns are fields of the list, and the text `version`.
 * @throws ProblemError or ConnectionError if the service cannot be read, or a change can be sent later.
 * @example
 * await syncTable(replication, database, 'tasks');
 */
export async function syncTable<Types extends ResourceTypes>(
  replication: Replication<Types>,
  database: Database,
  table: string,
): Promise<void> {
  const cursorName = `${table} ${replication.query}`;
  const sentName = `${cursorName} created`;
  const isKnown = Q.where('version', Q.notEq(null));
  const ids = (): Promise<string[]> => database.get(table).query(isKnown).fetchIds();
  let cursor: string | undefined = await database.localStorage.get(cursorName);
  /** The creations that the last sync has sent, by id: the response to one can have been lost. */
  const sent: Readonly<Record<string, Row>> = (await database.localStorage.get(sentName)) ?? {};
  const push = async ({ created, updated, deleted }: SyncTableChangeSet): Promise<string[]> => {
    const gone = (deleted as string[]).map((id) => ({ id, _deleted: true }));
    const changed = [...(created as Row[]), ...(updated as Row[]), ...gone] as Row[];
    const creations = changed.filter((row) => !row['version'] && !row['_deleted']);
    await database.localStorage.set(sentName, Object.fromEntries(creations.map((row) => [row.id, row])));
    const results = await replication.push(
      changed.map((row) => {
        const after = entityOf(row);
        return { before: { id: after.id, version: after['version'] }, after } as LocalChange<Types>;
      }),
    );
    return results.flatMap(({ id, error }) => (error ? id : []));
  };
  for (let hasMore = true; hasMore; ) {
    await synchronize({
      database,
      sendCreatedAsUpdated: true,
      pullChanges: async () => {
        const { data, removed, ...page } = await replication.pull(cursor, { ids });
        ({ cursor, hasMore } = page);
        const changes = { [table]: { created: [], updated: data.map(rowOf), deleted: [...removed] } };
        return { changes, timestamp: Date.now() };
      },
      onDidPullChanges: () => database.localStorage.set(cursorName, cursor),
      // WatermelonDB does not know what was changed in a record since it was created here.
      conflictResolver: (_: string, local: Columns, remote: Columns, resolved: Columns) => {
        if (local['_status'] !== 'created') return resolved;
        const kept = Object.entries(local).filter(
          ([column, value]) => value !== sent[String(local['id'])]?.[column],
        );
        return { ...resolved, ...Object.fromEntries(kept), version: remote['version'] };
      },
      pushChanges: async ({ changes }: { changes: object }) => {
        const rejected: Record<string, string[]> = {};
        for (const [name, changeSet] of Object.entries<SyncTableChangeSet>(changes as never)) {
          const created = [...changeSet.created, ...changeSet.updated] as Row[];
          // WatermelonDB takes what is not rejected for sent, also in other tables.
          rejected[name] = [...created.map(({ id }) => id), ...changeSet.deleted];
          if (name === table && !hasMore) rejected[name] = await push(changeSet);
        }
        return { experimentalRejectedIds: rejected };
      },
    });
  }
}
