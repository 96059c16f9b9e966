import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A clock that is wrong, in the place of this process's: `Date` alone, as timers and `performance.now()` know no time of
 * day.
 */
export interface SkewedClock {
  /** Sets what it is wrong by, in milliseconds, everywhere. */
  skew(milliseconds: number): void;
  /** Sets it for what is called from here on, and for nothing else: the request that is handled. */
  skewHere(milliseconds: number): void;
  restore(): void;
}

export function startSkewedClock(): SkewedClock {
  const Right = globalThis.Date;
  const here = new AsyncLocalStorage<number>();
  let everywhere = 0;
  class Skewed extends Right {
    constructor(...values: [] | [number | string | Date]) {
      if (values.length === 0) super(Skewed.now());
      else super(values[0]);
    }
    static override now(): number {
      return Right.now() + (here.getStore() ?? everywhere);
    }
  }
  globalThis.Date = Skewed as DateConstructor;
  return {
    skew: (milliseconds) => {
      everywhere = milliseconds;
    },
    skewHere: (milliseconds) => here.enterWith(milliseconds),
    restore: () => {
      globalThis.Date = Right;
    },
  };
}
