type TestWorker = typeof import('./worker.ts');

declare global {
  /** What is loaded outside jest's realm. `worker-environment.mjs` sets it. Without jest, as in the benchmarks, it is absent. */
  var outsideRealm: Partial<TestWorker> | undefined;
}

/** Returns what `worker.ts` exports. What is not loaded outside jest's realm is loaded in the realm. */
export async function testWorker(): Promise<TestWorker> {
  const outside = globalThis.outsideRealm;
  return outside && 'startService' in outside
    ? (outside as TestWorker)
    : { ...(await import('./worker.ts')), ...outside };
}
