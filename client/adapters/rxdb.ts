import type { RxCollection, WithDeleted } from 'rxdb';
import { type RxReplicationState, replicateRxCollection } from 'rxdb/plugins/replication';
import type { ResourceTypes } from '../query.ts';
import type { Replication } from '../replication.ts';
import type { Versioned } from '../versions.ts';

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
 * Keeps a collection of RxDB equal to a list, and sends what is created, changed and deleted in it.
 * @param collection has all fields of the list as properties, and the text `version`.
 * @example
 * const state = replicateList(new Replication(client.tasks, { projectId }), database.tasks);
 */
export function replicateList<Types extends ResourceTypes>(
  replication: Replication<Types>,
  collection: RxCollection<ReplicatedDocument<Types>>,
): RxReplicationState<ReplicatedDocument<Types>, ReplicationCheckpoint> {
  type Document = ReplicatedDocument<Types>;
  type Row = { readonly assumedMasterState?: Document; readonly newDocumentState: Document };
  const required = requiredValues(collection.schema.jsonSchema);
  const ids = async (): Promise<string[]> =>
    (await collection.find().exec()).flatMap(({ id, version }: Document) => (version ? id : []));
  /** What has a version is from the service, also if RxDB does not know it because the app has stopped while it stored a page. */
  const pulled = ({ id, version }: Document) =>
    (version ? { id, version, _deleted: version === removedVersion } : undefined) as Document | undefined;
  const state: RxReplicationState<Document, ReplicationCheckpoint> = replicateRxCollection({
    collection,
    replicationIdentifier: `${collection.name} ${JSON.stringify(replication.filters)}`,
    pull: {
      // RxDB asks again until a page is empty.
      batchSize: 1,
      handler: async (checkpoint: ReplicationCheckpoint | undefined) => {
        // RxDB drops what a page has of an entity that it is sending.
        await state.internalReplicationState?.streamQueue.up;
        const { data, removed, cursor } = await replication.pull(checkpoint?.cursor, { ids });
        const changed = data.map((entity) => ({ ...entity, _deleted: false }));
        const gone = removed.map((id) => ({ ...required, id, version: removedVersion, _deleted: true }));
        return { documents: [...changed, ...gone] as WithDeleted<Document>[], checkpoint: { cursor } };
      },
    },
    push: {
      handler: async (rows: readonly Row[]) => {
        const results = await replication.push(
          rows.map(({ assumedMasterState, newDocumentState: after }) => ({
            before: assumedMasterState ?? pulled(after),
            after: after as Types['changes'] & Document,
          })),
        );
        return rows.flatMap(({ newDocumentState }, position) => {
          const { current, isUnchanged } = results[position] ?? {};
          const conflict = { ...(current ?? newDocumentState), _deleted: !current };
          return isUnchanged ? (conflict as WithDeleted<Document>) : [];
        });
      },
    },
  });
  return state;
}
