import type { CollectionConfig, MutationFnParams } from '@tanstack/db';
import type { LocalChange } from '../change-writer.ts';
import type { ResourceTypes } from '../query.ts';
import type { Replication } from '../replication.ts';
import type { SyncOptions } from '../sync.ts';
import type { Versioned } from '../versions.ts';

/** The fields that a new entity gets from the service. */
type GivenField = 'number' | 'version' | 'createdAt' | 'updatedAt';

type GivenLater<Shape> = Omit<Shape, GivenField> & Partial<Pick<Shape, Extract<keyof Shape, GivenField>>>;

/** An entity in a collection, with the fields of the replication. */
export type ListedEntity<Types extends ResourceTypes, Field extends keyof Types['entity']> = GivenLater<
  Versioned<Types['entity'], Pick<Types['entity'], Field | 'id'>>
>;

/**
 * Returns the options of a collection of TanStack DB that is equal to a list, and sends what is created, changed and deleted in it.
 * @example
 * const tasks = createCollection(listCollection(new Replication(client.tasks, { projectId })));
 */
export function listCollection<Types extends ResourceTypes, Field extends keyof Types['entity'] & string>(
  replication: Replication<Types, Field>,
  options: Pick<SyncOptions, 'live' | 'interval' | 'onError'> = {},
): CollectionConfig<ListedEntity<Types, Field>, string> {
  type Entity = ListedEntity<Types, Field>;
  type Mutation = { readonly type: string; readonly original: object; readonly modified: Entity };
  /** Puts entities of the service into the collection. */
  let apply: ((data: readonly Entity[], removed: readonly string[]) => void) | undefined;
  /** Sends changes, also later if there is no connection. TanStack DB takes back what fails. */
  const send = async ({ transaction }: MutationFnParams<Entity>): Promise<void> => {
    const results = await replication.push(
      (transaction.mutations as unknown as readonly Mutation[]).map(({ type, original, modified }) => ({
        before: (type === 'insert' ? undefined : original) as LocalChange<Types>['before'],
        after: (type === 'delete' ? undefined : modified) as LocalChange<Types>['after'],
      })),
      // The copy is in memory: it shows the entity with its new id when this ends.
      { onRetry: (error) => options.onError?.(error), renewId: async () => undefined },
    );
    const found = results.flatMap(({ current }) => current ?? []);
    const gone = results.flatMap(({ id, current }) => (current ? [] : id));
    // TanStack DB drops the changes of the app when this ends.
    apply?.(found, gone);
    for (const { error } of results) if (error) throw error;
  };
  const sync: CollectionConfig<Entity, string>['sync'] = {
    rowUpdateMode: 'full',
    sync: (control: Parameters<CollectionConfig<Entity, string>['sync']['sync']>[0]) => {
      const { collection, begin, write, commit, markReady } = control;
      const stop = new AbortController();
      apply = (data, removed) => {
        void begin();
        for (const value of data) write({ type: 'update', value });
        for (const key of removed) write({ type: 'delete', key });
        void commit();
      };
      const follow = async () => {
        const pages = replication.sync({ ...options, signal: stop.signal, ids: () => collection.keys() });
        for await (const { data, removed, isComplete } of pages) {
          apply?.(data, removed);
          if (isComplete) markReady();
        }
      };
      follow().catch((error) => options.onError?.(error));
      return () => {
        apply = undefined;
        stop.abort();
      };
    },
  };
  const getKey = ({ id }: Entity): string => id;
  return { getKey, sync, onInsert: send, onUpdate: send, onDelete: send };
}
