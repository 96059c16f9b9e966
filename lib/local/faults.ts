/** Failures and delays of a local service, for developers of clients. */

/** What happens to a request. */
export interface Fault {
  readonly delayMs: number;
  /** The status of a response that replaces that of the function. */
  readonly status?: number | undefined;
}

interface FaultOptions {
  readonly fail?: FailOption | undefined;
  readonly delay?: number | undefined;
  readonly failSeed?: number | undefined;
}

export interface FailOption {
  /** From 0 to 1. */
  readonly share: number;
  readonly status: number;
}

/** Returns numbers from 0 to 1, the same for the same seed (a linear congruential generator, with the constants of Numerical Recipes). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns what happens to the next request; `undefined` when nothing ever does. */
export function faultsOf({ fail, delay = 0, failSeed }: FaultOptions): (() => Fault) | undefined {
  if (!fail && delay === 0) return undefined;
  const random = failSeed === undefined ? Math.random : randomNumbers(failSeed);
  return () => ({ delayMs: delay, status: fail && random() < fail.share ? fail.status : undefined });
}
