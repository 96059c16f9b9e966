/** The pace of commands that read or write a whole table, which others use meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';

/** Waits so that no more units are used in a second than allowed. */
export class UnitPace {
  readonly #unitsPerSecond: number;
  #paidUntil = performance.now();

  constructor(unitsPerSecond: number) {
    this.#unitsPerSecond = unitsPerSecond;
  }

  async use(units: number): Promise<void> {
    this.#paidUntil = Math.max(this.#paidUntil, performance.now()) + (1_000 * units) / this.#unitsPerSecond;
    const waitMs = this.#paidUntil - performance.now();
    if (waitMs > 1) await delay(waitMs);
  }
}
