/** A collection of tasks in a table with its parents, the functions that list them, and the same entities in PostgreSQL. */
import { startTestStore, type TestStore } from '../test/support/local-store.ts';
import { ListFunctions } from './list-process.ts';
import { Postgres } from './postgres.ts';
import { serveTable } from './table-server.ts';
import { TaskCollection, type TaskForms } from './task-collection.ts';

/** Tasks of another tenant: some more than a segment needs. */
const otherTasks = 300;

export interface ListStage {
  readonly store: TestStore;
  readonly collection: TaskCollection;
  readonly functions: ListFunctions;
  /** Absent when PostgreSQL is not installed. */
  readonly postgres: Postgres | undefined;
  stop(): Promise<void>;
}

/** Loads a collection into a table of this process. @param size number of tasks. */
export async function openListStage(size: number, forms?: TaskForms): Promise<ListStage> {
  const postgres = await Postgres.start();
  if (!postgres) console.log('PostgreSQL is not installed. Its columns stay empty.');
  const store = startTestStore();
  const { table, tableName } = store;
  // Nothing reads its stream.
  table.onCommit(() => table.takeRecords());
  const collection = new TaskCollection(store, size, forms);
  const started = performance.now();
  await collection.load((resource, entities) => postgres?.add(resource, entities));
  await collection.fillOther(otherTasks);
  await postgres?.settle();
  console.log(`${size} tasks loaded in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  const { endpoint, stop } = await serveTable(table);
  const functions = new ListFunctions({ endpoint, tableName });
  await functions.bundle();
  return {
    store,
    collection,
    functions,
    postgres,
    stop: async () => {
      functions.remove();
      stop();
      await postgres?.stop();
    },
  };
}
