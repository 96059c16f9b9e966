import { errorResponse, type Injector } from './engine-proxy.ts';

/** Milliseconds by which AWS allows the time of a signature to differ. */
const tolerance = 5 * 60_000;

/** Returns the correct time, from a clock that no test skews. */
const rightTime = (): number => performance.timeOrigin + performance.now();

/** Parses the time of a signature, such as `20261121T140000Z`. The clock of the signer sets it. */
const signedAt = (date: string): number =>
  Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/**
 * Rejects calls whose signature time differs by more than five minutes. AWS does this; emulators do not.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html
 */
export function datedSignatures(): Injector & { refused: number } {
  const injector = async (...[{ headers }, pass]: Parameters<Injector>): ReturnType<Injector> => {
    // The stream reader of the local service also sends calls. They are not calls of the functions.
    if (!String(headers['x-amz-target']).startsWith('DynamoDB_')) return pass();
    const off = signedAt(String(headers['x-amz-date'])) - rightTime();
    if (Math.abs(off) <= tolerance) return pass();
    injector.refused += 1;
    return errorResponse('InvalidSignatureException');
  };
  injector.refused = 0;
  return injector;
}
