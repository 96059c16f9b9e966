/** Measures the CPU time and the memory of the deployed function that lists tasks, in a process of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import type { TestStore } from '../test/support/local-store.ts';
import { usualOrSmallest } from './form.ts';
import { functionEnvironment, Host } from './host.ts';
import { listEvent } from './list-request.ts';
import { median } from './report.ts';

/** Lists of a process after the first one. */
export const furtherRuns = usualOrSmallest(5, 1);

/** What a list costs a process of the function. */
export interface ProcessCost {
  /** CPU milliseconds of the first request, which reads the columns. */
  readonly firstMs: number;
  /** CPU milliseconds of the next ones. */
  readonly nextMs: number;
  /** Memory of the process after these requests. */
  readonly residentBytes: number;
}

/** The deployed function, on one engine. */
export class ListFunction {
  readonly #directory = mkdtempSync(join(tmpdir(), 'bench-lists-'));

  /** Bundles the function. */
  async bundle(): Promise<void> {
    await bundleFunctions(this.#directory);
  }

  /** Lists several times, in a new process. */
  async measure({ endpoint, tableName }: TestStore, query: string): Promise<ProcessCost> {
    const file = join(this.#directory, 'tasks/list-tasks/index.js');
    const host = await Host.start(file, functionEnvironment(endpoint, tableName));
    const event = listEvent({ collection: 'tasks', query });
    const first = await host.run([event]);
    const next: number[] = [];
    let { residentBytes } = first;
    for (let run = 0; run < furtherRuns; run += 1) {
      const duration = await host.run([event]);
      next.push(duration.cpuMs);
      residentBytes = Math.max(residentBytes, duration.residentBytes);
    }
    await host.stop();
    return { firstMs: first.cpuMs, nextMs: median(next), residentBytes };
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
