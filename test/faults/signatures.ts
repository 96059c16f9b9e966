import { type Injector, refusal } from './engine-proxy.ts';

/** Milliseconds that a signature may be off, for AWS. */
const tolerance = 5 * 60_000;

/** Of no clock that a test skews. */
const rightTime = (): number => performance.timeOrigin + performance.now();

/** When a call was signed, by the clock of whoever signed it: `20261121T140000Z`. */
const signedAt = (date: string): number =>
  Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/**
 * Refuses calls that are signed by a clock that is too far off, as AWS does and no emulator.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html
 */
export function datedSignatures(): Injector & { refused: number } {
  const injector = async (...[{ headers }, pass]: Parameters<Injector>): ReturnType<Injector> => {
    // The stream is read by another, in the function's name.
    if (!String(headers['x-amz-target']).startsWith('DynamoDB_')) return pass();
    const off = signedAt(String(headers['x-amz-date'])) - rightTime();
    if (Math.abs(off) <= tolerance) return pass();
    injector.refused += 1;
    return refusal('InvalidSignatureException');
  };
  injector.refused = 0;
  return injector;
}
