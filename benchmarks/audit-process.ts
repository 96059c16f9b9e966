/** Audits a table in a process of its own, for `audit.ts`. Sends the time and the memory to its parent. */
import { connect } from '../functions/engine/table/client.ts';
import { auditTable } from '../lib/audit/audit-table.ts';
import { isClean } from '../lib/audit/report.ts';
import { setEngineEnvironment } from '../lib/local/engine-environment.ts';

/** What one audit needs. */
export interface AuditCost {
  readonly seconds: number;
  /** Of the process that audits, without the engine. */
  readonly cpuSeconds: number;
  readonly entities: number;
  /** Bytes of JavaScript objects and of buffers, at most. */
  readonly heapBytes: number;
  /** Bytes of the process, at most. */
  readonly processBytes: number;
}

/** Milliseconds between two looks at the heap. */
const sampleMs = 20;

const [endpoint = '', tableName = '', segments = ''] = process.argv.slice(2);
setEngineEnvironment(endpoint);
const client = connect({ maxAttempts: 10, requestHandler: { requestTimeout: 30_000 } });
let heapBytes = 0;
const sampler = setInterval(() => {
  const { heapUsed, external } = process.memoryUsage();
  heapBytes = Math.max(heapBytes, heapUsed + external);
}, sampleMs);
const used = process.cpuUsage();
const started = performance.now();
const report = await auditTable(client, tableName, { pauseMs: 100, segments: Number(segments) });
const seconds = (performance.now() - started) / 1_000;
clearInterval(sampler);
const { user, system } = process.cpuUsage(used);
const cpuSeconds = (user + system) / 1_000_000;
client.destroy();
if (!isClean(report)) throw new Error('The audit of a correct table has found something.');
const processBytes = process.resourceUsage().maxRSS * 1_024;
process.send?.({
  seconds,
  cpuSeconds,
  entities: report.entities,
  heapBytes,
  processBytes,
} satisfies AuditCost);
