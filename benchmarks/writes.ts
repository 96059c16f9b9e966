/**
 * `npm run bench -- writes`: measures what 10,000 mixed writes of tasks cost, and what their compaction costs. Writes
 * `benchmarks/results/writes.md`.
 *
 * `--sizes 10000,100000,1000000` measures up to 10^6 tasks.
 */
import { compact } from '../functions/engine/columns/compact/compact.ts';
import { openLog } from '../functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { ProcessMemory, processMemory } from '../functions/engine/columns/process-memory.ts';
import { deleteEntity } from '../functions/engine/deletions/delete-entity.ts';
import { startEngineStore, type TestStore } from '../test/support/local-store.ts';
import { measureEachSize } from './each-size.ts';
import { usualOrSmallest } from './form.ts';
import { publishPage, table } from './report.ts';
import { TaskCollection, tenant } from './task-collection.ts';
import { measureRates, type RateResult } from './write-rates.ts';

const writes = usualOrSmallest(10_000, 120);

/** Tasks of the project whose deletion is measured. */
const tasksOfProject = 3;

/** Records that are absorbed together. */
const recordsPerStep = 60;

/** Milliseconds between two times. Replaced columns are deleted after an hour: most deletions are a part of the result. */
const stepIntervalMs = 300_000;

interface Result {
  readonly size: number;
  readonly write: number;
  readonly compactionWrite: number;
  readonly compactionRead: number;
  /** Of the deletion of a project with a few tasks, in a process that has read no columns. */
  readonly deletionRead: number;
  /** Of the smallest size. */
  readonly background: readonly RateResult[] | undefined;
}

/** The number of tasks with which the rates are measured. */
const sizeOfRates = usualOrSmallest(10_000, 200);

/** Returns the read units of the deletion of a project with a few tasks, anywhere in the collection, in a process that has read no columns. */
async function measureDeletion(store: TestStore, collection: TaskCollection): Promise<number> {
  const id = await collection.addProject(tasksOfProject);
  processMemory.clear();
  const session = store.session(tenant);
  await deleteEntity(session, 'project', id);
  return session.database.consumption.readUnits;
}

async function measure(size: number, report: (result: Result) => void): Promise<void> {
  const store = await startEngineStore();
  const collection = new TaskCollection(store, size);
  await collection.load(() => {});
  // Before the clock of compaction runs ahead of that of the deletion.
  const deletionRead = await measureDeletion(store, collection);
  const jobs = store.database(3_600_000);
  const writer = openLog(jobs, tenant, 'task');
  const memory = new ProcessMemory().of(tenant, 'task');
  let writeUnits = 0;
  let nowMs = Date.now();
  for (let done = 0; done < writes; done += recordsPerStep) {
    for (let number = done; number < done + recordsPerStep; number += 1) {
      writeUnits += await collection.writeAny(number);
    }
    nowMs += stepIntervalMs;
    while ((await compact({ writer, memory, nowMs }))?.hasMore);
  }
  const background = size === sizeOfRates ? await measureRates(store, collection) : undefined;
  await store.stop();
  const perWrite = (units: number): number => units / writes;
  const { writeUnits: compactionUnits, readUnits } = jobs.consumption;
  const result = {
    size,
    write: perWrite(writeUnits),
    compactionWrite: perWrite(compactionUnits),
    compactionRead: perWrite(readUnits),
    deletionRead,
    background,
  };
  console.log(result);
  report(result);
}

function publishAll(results: readonly Result[]): void {
  const rows = results.map(({ size: tasks, write, compactionWrite, compactionRead, deletionRead }) => [
    tasks.toLocaleString('en'),
    write.toFixed(2),
    compactionWrite.toFixed(2),
    compactionRead.toFixed(2),
    deletionRead,
  ]);
  const rates = results
    .flatMap(({ background = [] }) => background)
    .map(({ name, withoutBus, withBus }) => [
      name,
      ...[withoutBus, withBus].flatMap(({ writeUnits, readUnits }) => [
        writeUnits.toFixed(2),
        readUnits.toFixed(1),
      ]),
    ]);
  publishPage(
    'writes.md',
    `${writes.toLocaleString('en')} mixed writes of tasks with the names, texts and relations of \`npx pm-api seed\`: 30 % creations, 50 % changes of one
field, 15 % changes of the status, 5 % deletions, each of a random task. The change log is compacted after every ${recordsPerStep} writes, and
replaced columns are deleted. All
numbers are capacity units per write, as the embedded engine reports them. The position and the record of the change log are a part of the
write: three write units. The last column has the read units of one deletion of a project with ${tasksOfProject} tasks, in a process that has read no columns.

${table(['tasks', 'write: write units', 'compaction: write units', 'compaction: read units', 'deletion of a project: read units'], rows)}

The background work of a write depends on the time between two writes of the log. In virtual time, with ${sizeOfRates.toLocaleString('en')} tasks, looks by the
stream and the schedule, steps, reminders with their index entries, and deletions of what was replaced cost for each write. With an
event bus, the stream collects records for a second instead of 15, so compaction looks more often; the events themselves are not counted:

${table(['rate', 'write units', 'read units', 'with a bus: write units', 'with a bus: read units'], rates)}
`,
  );
}

await measureEachSize('writes', measure, publishAll);
