import type { RxCollection, RxJsonSchema, WithDeleted } from 'rxdb';
import { type RxReplicationState, replicateRxCollection } from 'rxdb/plugins/replication';
import type { RenewId } from '../change-writer.ts';
import { isHidden, pause, pauseOf } from '../connection.ts';
import { differences, type Fields, isEmpty, isIdentical } from '../fields.ts';
import { randomPart, withReplacedIds } from '../ids.ts';
import type { ResourceTypes } from '../query.ts';
import type { Replication } from '../replication.ts';
import type { SyncOptions } from '../sync.ts';
import type { Versioned } from '../versions.ts';

export { schemas } from './rxdb-schemas.ts';

/** An entity in a collection. One that was created here has no version yet. Its id is from `newId`. */
export type ReplicatedDocument<Types extends ResourceTypes> = Versioned<Types['entity']>;

/** The position of a copy in the list. */
export interface ReplicationCheckpoint {
  readonly cursor: string;
}

/** The version of an entity that the service has removed from the list. */
const removedVersion = 'removed';

interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
}

const emptyValues: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
  null: null,
};

/** Returns values of the required fields of a schema: RxDB wants them also in an entity that is removed. */
function requiredValues(schema: { readonly required?: readonly string[]; readonly properties: object }) {
  const properties = schema.properties as Readonly<Record<string, Property>>;
  return Object.fromEntries(
    (schema.required ?? [])
      .filter((field) => !field.startsWith('_'))
      .map((field) => {
        const { type, enum: values } = properties[field] ?? {};
        return [field, values?.[0] ?? emptyValues[String([type].flat()[0])]];
      }),
  );
}

/**
 * Returns the schema of a copy with these fields, which are also those of its `Replication`.
 * @example
 * const fields = ['name', 'status'] as const;
 * await database.addCollections({ tasks: { schema: withFields(schemas.tasks, fields) } });
 */
export function withFields<Document, Field extends keyof Document>(
  schema: RxJsonSchema<Document>,
  fields: readonly Field[],
): RxJsonSchema<Pick<Document, Extract<keyof Document, Field | 'id' | 'version'>>> {
  const kept = Object.entries(schema.properties).filter(([name]) =>
    ['id', 'version', ...fields].includes(name),
  );
  return { ...schema, properties: Object.fromEntries(kept) } as never;
}

type Conflict = { readonly id: string; readonly version?: string };

interface Refusal {
  /** What the service has. */
  readonly conflict: Conflict;
  readonly reason: string;
  /** How often the document was refused in this version. */
  readonly count: number;
  /** The document that is held back; empty until RxDB sends it. If the app corrects it, it is sent at once. */
  held?: string | undefined;
}

/** Holds back what is refused twice in the same version. RxDB sends it again at once if the conflict handler of the app insists on it. */
class Refusals extends Map<string, Refusal> {
  holding(document: Conflict): Refusal | undefined {
    const refusal = this.get(document.id);
    if (refusal?.held === undefined) return undefined;
    refusal.held ||= JSON.stringify(document);
    return refusal.held === JSON.stringify(document) ? refusal : undefined;
  }

  add(conflict: Conflict, reason: string, release: () => void, signal: AbortSignal): Conflict {
    const last = this.get(conflict.id);
    const count = last && last.conflict.version === conflict.version ? last.count + 1 : 1;
    const refusal: Refusal = { conflict, reason, count, held: count > 1 ? '' : undefined };
    this.set(conflict.id, refusal);
    const end = (): void => {
      refusal.held = undefined;
      release();
    };
    if (count > 1) pause(pauseOf(count - 1, 1_000), signal).then(end, () => undefined);
    return conflict;
  }
}

interface StoredDocument {
  toJSON(): Fields & { readonly id: string };
  incrementalPatch(fields: object): Promise<unknown>;
  incrementalModify(change: (fields: Fields) => object): Promise<unknown>;
}

const allOf = async (collection: RxCollection<unknown>): Promise<StoredDocument[]> =>
  (await collection.find().exec()) as StoredDocument[];

/** Returns a function that gives a document of a collection another id, also where documents of the database refer to it. */
const renewIdIn =
  (collection: RxCollection<unknown>): RenewId =>
  async (id, renewed) => {
    const known = (await allOf(collection)).map((document) => document.toJSON().id);
    // The app has stopped before it has removed the old one.
    const stored = known.find((other) => other !== id && randomPart(other) === randomPart(id));
    const old = (await collection.findOne(id).exec(true)) as StoredDocument;
    if (!stored) await collection.insert({ ...old.toJSON(), id: renewed });
    const ids = new Map([[id, stored ?? renewed]]);
    for (const one of Object.values(collection.database.collections)) {
      for (const document of await allOf(one)) {
        const state: object = document.toJSON();
        const { [String(one.schema.primaryPath)]: _, ...changes } = differences(
          withReplacedIds(state, ids),
          state,
          isIdentical,
        );
        if (!isEmpty(changes)) await document.incrementalPatch(changes);
      }
    }
    // A document with this version is not sent.
    await old.incrementalModify((state) => ({ ...state, version: removedVersion, _deleted: true }));
    return stored;
  };

/**
 * Asks when there can be something new. Of the windows that have one database, only one reads, and it can be hidden: then those that are visible tell it
 * to ask.
 * @param name of the database and the list; `undefined` if no other window has them.
 * @returns a function to call with the position of a page after which there are no more.
 */
function followList<Types extends ResourceTypes>(
  replication: Replication<Types>,
  name: string | undefined,
  ask: () => void,
  options: SyncOptions & { readonly signal: AbortSignal },
): (position: number) => void {
  const channel = name !== undefined && globalThis.BroadcastChannel ? new BroadcastChannel(name) : undefined;
  // In Node.js, it would keep the program running.
  (channel as { unref?: () => void } | undefined)?.unref?.();
  const tell = (message: { readonly position?: number }): void => {
    if (!options.signal.aborted) channel?.postMessage(message);
  };
  channel?.addEventListener('message', (event) => {
    const { position } = (event as Event & { readonly data: { readonly position?: number } }).data;
    if (position !== undefined) replication.reach(position);
    else if (isHidden()) ask();
  });
  options.signal.addEventListener('abort', () => channel?.close());
  const follow = async (): Promise<void> => {
    for await (const _ of replication.watch(options)) {
      ask();
      tell({});
    }
  };
  void follow();
  return (position) => tell({ position });
}

/** Returns a result that RxDB cannot read. */
const failingResult = (held: readonly Refusal[]) => ({
  get id(): string {
    const reasons = held.map(({ conflict, reason }) => `${conflict.id}: ${reason}`);
    throw new Error(`The service refuses changes, which are sent again later. ${reasons.join(' ')}`);
  },
});

/**
 * Keeps a collection of RxDB equal to a list, and sends what is created, changed and deleted in it.
 * @param stored has the fields of the replication as properties, and the text `version`: `schemas` and `withFields` give its schema.
 * @param options with `live`, changes of others are read when the service announces them. Without it, the app calls `reSync`.
 * @example
 * const state = replicateList(new Replication(client.tasks, { projectId }), database.tasks, { live: true });
 */
export function replicateList<
  Types extends ResourceTypes,
  Stored extends { readonly id: string } = ReplicatedDocument<Types>,
>(
  replication: Replication<Types>,
  stored: RxCollection<Stored>,
  { live, ...options }: Pick<SyncOptions, 'live' | 'interval' | 'onError'> = {},
): RxReplicationState<Stored, ReplicationCheckpoint> {
  type Document = ReplicatedDocument<Types>;
  const collection = stored as unknown as RxCollection<Document>;
  type Row = { readonly assumedMasterState?: Document; readonly newDocumentState: Document };
  const required = requiredValues(collection.schema.jsonSchema);
  const ids = async (): Promise<string[]> =>
    (await collection.find().exec()).flatMap(({ id, version }: Document) => (version ? id : []));
  /** What has a version is from the service, also if RxDB does not know it because the app has stopped while it stored a page. */
  const pulled = ({ id, version }: Document) =>
    (version ? { id, version, _deleted: version === removedVersion } : undefined) as Document | undefined;
  const renewId = renewIdIn(collection as unknown as RxCollection<unknown>);
  const refusals = new Refusals();
  const stop = new AbortController();
  const identifier = `${collection.name} ${replication.query}`;
  const state: RxReplicationState<Document, ReplicationCheckpoint> = replicateRxCollection({
    collection,
    replicationIdentifier: identifier,
    // A hidden page sends what waits, and `watch` does not ask.
    toggleOnDocumentVisible: false,
    pull: {
      // RxDB asks again until a page is empty.
      batchSize: 1,
      handler: async (checkpoint: ReplicationCheckpoint | undefined) => {
        // RxDB drops what a page has of an entity that it is sending.
        await state.internalReplicationState?.streamQueue.up;
        const page = await replication.pull(checkpoint?.cursor, { ids });
        if (!page.hasMore) reach?.(page.position);
        const { data, removed, cursor } = page;
        const changed = data.map((entity) => ({ ...entity, _deleted: false }));
        const gone = removed.map((id) => ({ ...required, id, version: removedVersion, _deleted: true }));
        return { documents: [...changed, ...gone] as WithDeleted<Document>[], checkpoint: { cursor } };
      },
    },
    push: {
      // RxDB does not look before the last change that it has sent or read. So each attempt begins with what is held back.
      waitBeforePersist: async () => {
        if (![...refusals.values()].some(({ count }) => count > 1)) return;
        state.reSync();
        await pause(0, undefined);
      },
      handler: async (rows: readonly Row[]) => {
        const held = rows.flatMap(({ newDocumentState }) => refusals.holding(newDocumentState) ?? []);
        const ready = rows.filter(({ newDocumentState }) => !refusals.holding(newDocumentState));
        // RxDB sends a conflict again at once, and waits if the handler fails. If the result fails, it reports the error and keeps the change.
        if (ready.length === 0) return [failingResult(held) as WithDeleted<Document>];
        const results = await replication.push(
          ready.map(({ assumedMasterState, newDocumentState: after }) => ({
            before: after.version === removedVersion ? pulled(after) : (assumedMasterState ?? pulled(after)),
            after: after as Types['changes'] & Document,
          })),
          { renewId },
        );
        const conflicts = ready.flatMap(({ newDocumentState }, position) => {
          const { current, error, isUnchanged } = results[position] ?? {};
          const conflict = { ...(current ?? newDocumentState), _deleted: !current };
          if (isUnchanged && conflict.id === newDocumentState.id)
            return refusals.add(conflict, String(error), () => state.reSync(), stop.signal);
          refusals.delete(conflict.id);
          return [];
        });
        return [...conflicts, ...held.map(({ conflict }) => conflict)] as WithDeleted<Document>[];
      },
    },
  });
  state.onCancel.push(() => stop.abort());
  const { name, multiInstance } = collection.database;
  const windows = multiInstance ? `${name} ${identifier}` : undefined;
  const reach = live
    ? followList(replication, windows, () => state.reSync(), { ...options, signal: stop.signal })
    : undefined;
  return state as unknown as RxReplicationState<Stored, ReplicationCheckpoint>;
}
