/**
 * `npm run bench -- audit`: measures the time and the memory of `npx pm-api audit` by the size of the table. Writes `benchmarks/results/audit.md`.
 *
 * `--sizes 100000,1000000` measures up to 10^6 tasks.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startEngineStore } from '../test/support/local-store.ts';
import type { AuditCost } from './audit-process.ts';
import { measureEachSize } from './each-size.ts';
import { usualOrSmallest } from './form.ts';
import { publishPage, table } from './report.ts';
import { TaskCollection } from './task-collection.ts';

/** Segments that are read at the same time. */
const segmentCounts = usualOrSmallest([1, 4], [2]);

interface Result {
  readonly size: number;
  readonly audits: readonly (AuditCost & { readonly segments: number })[];
}

const script = fileURLToPath(new URL('audit-process.ts', import.meta.url));

async function measure(size: number, report: (result: Result) => void): Promise<void> {
  const store = await startEngineStore();
  await new TaskCollection(store, size).load(() => {});
  const audits: (AuditCost & { segments: number })[] = [];
  for (const segments of segmentCounts) {
    const child = fork(script, [store.endpoint, store.tableName, String(segments)]);
    const [[cost]] = (await Promise.all([once(child, 'message'), once(child, 'exit')])) as [
      [AuditCost],
      unknown,
    ];
    audits.push({ ...cost, segments });
  }
  console.log(size, audits);
  report({ size, audits });
  await store.stop();
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(0);

function publishAll(results: readonly Result[]): void {
  const rows = results.flatMap(({ size, audits }) =>
    audits.map(({ segments, seconds, cpuSeconds, entities, heapBytes, processBytes }) => [
      size.toLocaleString('en'),
      segments,
      seconds.toFixed(1),
      cpuSeconds.toFixed(1),
      Math.round(entities / cpuSeconds).toLocaleString('en'),
      megabytes(heapBytes),
      megabytes(processBytes),
    ]),
  );
  publishPage(
    'audit.md',
    `\`npx pm-api audit\` of a correct table, compacted, with the names, texts and relations of \`npx pm-api seed\`, on the embedded engine on the same machine.
Node.js ${process.versions.node}. The heap has JavaScript objects and buffers, 64 MB of them for the set of the entities that others refer to. Its highest
value depends on when Node.js collects garbage. CPU seconds are those of the audit. The rest of the time, it waits for the engine, whose scans take
longer for each item of a larger table. Memory is that of the whole process. Both are the highest values of one audit.

${table(['tasks', 'segments', 'seconds', 'CPU seconds', 'entities a CPU second', 'heap, MB', 'memory, MB'], rows)}
`,
  );
}

await measureEachSize('audit', measure, publishAll);
