import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Replaces the clock of this process by a wrong one. It replaces only `Date`, because timers and `performance.now()` do not
 * depend on the time of day.
 */
export interface SkewedClock {
  /** Sets the error of the clock for the whole process, in milliseconds. */
  skew(milliseconds: number): void;
  /** Sets the error of the clock for the current asynchronous context: the request that is handled. */
  skewHere(milliseconds: number): void;
  restore(): void;
}

export function startSkewedClock(): SkewedClock {
  const CorrectDate = globalThis.Date;
  const here = new AsyncLocalStorage<number>();
  let everywhere = 0;
  class Skewed extends CorrectDate {
    constructor(...values: [] | [number | string | Date]) {
      if (values.length === 0) super(Skewed.now());
      else super(values[0]);
    }
    static override now(): number {
      return CorrectDate.now() + (here.getStore() ?? everywhere);
    }
  }
  globalThis.Date = Skewed as DateConstructor;
  return {
    skew: (milliseconds) => {
      everywhere = milliseconds;
    },
    skewHere: (milliseconds) => here.enterWith(milliseconds),
    restore: () => {
      globalThis.Date = CorrectDate;
    },
  };
}
