/** Failures and delays of a local service, for developers of clients. */
import { InvalidArgumentError } from '@commander-js/extra-typings';

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

interface FailOption {
  /** From 0 to 1. */
  readonly share: number;
  readonly status: number;
}

const statuses = [429, 500, 502, 503, 504];

/** Reads a share and a status, such as `10%:503`. */
export function failOption(text: string): FailOption {
  const [, percent, status] = /^(\d{1,3}(?:\.\d+)?)%:(\d{3})$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) <= 100 && statuses.includes(Number(status)))
    return { share: Number(percent) / 100, status: Number(status) };
  throw new InvalidArgumentError(
    `It must be a share and a status, for example 10%:503. The status is one of ${statuses.join(', ')}.`,
  );
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
