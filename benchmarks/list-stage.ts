/** A collection of tasks in a table, with its parents, and the same entities in PostgreSQL. */
import { startEngineStore, type TestStore } from '../test/support/local-store.ts';
import { Postgres } from './postgres.ts';
import { TaskCollection } from './task-collection.ts';

export interface ListStage {
  readonly store: TestStore;
  readonly collection: TaskCollection;
  /** Absent when PostgreSQL is not installed. */
  readonly postgres: Postgres | undefined;
  stop(): Promise<void>;
}

/** Loads a collection, and sets the environment of the handlers in this process. @param size number of tasks. */
export async function openListStage(size: number): Promise<ListStage> {
  const postgres = await Postgres.start();
  if (!postgres) console.log('PostgreSQL is not installed. Its columns stay empty.');
  const store = await startEngineStore();
  Object.assign(process.env, { TABLE_NAME: store.tableName, SERVER_TIMING: 'true', LOG_LEVEL: 'ERROR' });
  const collection = new TaskCollection(store, size);
  const started = performance.now();
  await collection.load((resource, entities) => postgres?.add(resource, entities));
  await postgres?.settle();
  console.log(`${size} tasks loaded in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  return {
    store,
    collection,
    postgres,
    stop: async () => {
      await store.stop();
      await postgres?.stop();
    },
  };
}
