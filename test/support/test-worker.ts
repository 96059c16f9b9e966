type TestWorker = typeof import('./worker.ts');

declare global {
  /** Modules that a worker loads once. `worker-environment.mjs` sets them. Without jest, as in the benchmarks, they are absent. */
  var workerModules: Partial<TestWorker> | undefined;
}

/** Returns what `worker.ts` exports. What the worker has not loaded is loaded for the file. */
export async function testWorker(): Promise<TestWorker> {
  const loaded = globalThis.workerModules;
  return loaded && 'startService' in loaded
    ? (loaded as TestWorker)
    : { ...(await import('./worker.ts')), ...loaded };
}
