/** What the adapters use of their libraries, which are no packages of this project. The step `sync-adapters` compiles them with the real types. */
declare module 'rxdb' {
  export interface RxCollection<Document> {
    readonly name: string;
    readonly schema: {
      readonly jsonSchema: { readonly required?: readonly string[]; readonly properties: object };
      readonly primaryPath: string | number | symbol;
    };
    readonly database: {
      readonly name: string;
      readonly multiInstance: boolean;
      readonly collections: Readonly<Record<string, RxCollection<unknown>>>;
    };
    find(): { exec(): Promise<Document[]> };
    findOne(id: string): { exec(throwIfMissing: true): Promise<Document> };
    insert(document: Document): Promise<unknown>;
  }
  export interface RxJsonSchema<_Document> {
    readonly properties: object;
  }
  export type WithDeleted<Document> = Document & { _deleted: boolean };
}
declare module 'rxdb/plugins/replication' {
  export interface RxReplicationState<Document, Checkpoint> {
    readonly internalReplicationState?: { readonly streamQueue: { readonly up: Promise<unknown> } };
    readonly pull?: (checkpoint: Checkpoint) => Document;
    readonly onCancel: (() => void)[];
    reSync(): void;
  }
  export function replicateRxCollection<Document, Checkpoint>(
    options: object,
  ): RxReplicationState<Document, Checkpoint>;
}
declare module '@nozbe/watermelondb' {
  export interface Database {
    readonly localStorage: {
      get<Value>(key: string): Promise<Value | undefined>;
      set(key: string, value: unknown): Promise<void>;
    };
    get(table: string): { query(condition: unknown): { fetchIds(): Promise<string[]> } };
  }
  export const Q: { where(column: string, condition: unknown): unknown; notEq(value: null): unknown };
}
declare module '@nozbe/watermelondb/sync' {
  export interface SyncTableChangeSet {
    readonly created: object[];
    readonly updated: object[];
    readonly deleted: string[];
  }
  export function synchronize(options: object): Promise<void>;
}
declare module '@tanstack/db' {
  export interface CollectionConfig<Entity, Key> {
    getKey(entity: Entity): Key;
    sync: {
      rowUpdateMode?: 'full';
      sync(control: {
        readonly collection: { keys(): Iterable<Key> };
        begin(): unknown;
        write(message: object): void;
        commit(): unknown;
        markReady(): void;
      }): () => void;
    };
    onInsert?(parameters: MutationFnParams<Entity>): Promise<unknown>;
    onUpdate?(parameters: MutationFnParams<Entity>): Promise<unknown>;
    onDelete?(parameters: MutationFnParams<Entity>): Promise<unknown>;
  }
  export interface MutationFnParams<Entity> {
    readonly transaction: { readonly mutations: readonly { readonly modified: Entity }[] };
  }
}
