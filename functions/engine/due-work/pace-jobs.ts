/** Makes the jobs of a tenant keep their pace together: all workers, of all jobs, reserve their steps in one item of the tenant. */

import { delay, now } from '../../runtime/time-and-chance.ts';
import { conditionHolds, StoreUnavailable } from '../model/errors.ts';
import { decodePace, encodePace, newPace, paceKey, reserve } from '../model/pace.ts';
import { settingsInUse } from '../model/schema.ts';
import { hasVersion, notExists } from '../model/writes.ts';
import type { Session } from '../table/session.ts';

/**
 * Milliseconds that a worker waits for a step, at most. The stream function runs ten workers for each shard of the stream: a tenant with
 * more jobs than get their turn in this time must not keep all of them.
 */
export const maxTurnMs = 5_000;

export class PacedWorker {
  readonly #session: Session;
  /** Throttles that are accounted for. */
  #throttles: number;

  constructor(session: Session) {
    this.#session = session;
    this.#throttles = session.database.throttles;
  }

  /**
   * Waits until a step may be applied.
   * @returns false, at once and without a reservation, when that is too short.
   */
  async waitForTurn(changes: number, maxMs: number): Promise<boolean> {
    const changesPerSecond = settingsInUse().jobChangesPerSecond();
    if (changes === 0 || changesPerSecond === undefined) return true;
    const { tenant, database } = this.#session;
    const { throttles } = database;
    const step = { changes, changesPerSecond, isThrottled: throttles > this.#throttles };
    for (let attempt = 1; ; attempt += 1) {
      const item = await database.get(paceKey(tenant));
      const before = item ? decodePace(item) : newPace(tenant);
      const { pace, waitMs } = reserve(before, { ...step, nowMs: now() });
      if (waitMs > maxMs) return false;
      const write = database.putItem(encodePace(pace), item ? hasVersion(before.version) : notExists);
      if (await conditionHolds(write)) {
        this.#throttles = throttles;
        await delay(waitMs);
        return true;
      }
      // Another worker of the tenant has reserved at the same time.
      if (!(await database.deadline.backOff(attempt))) throw new StoreUnavailable(undefined, true);
    }
  }
}
