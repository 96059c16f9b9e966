/** Confirms the differences that two scans of a table have found: a write between the two items of a read looks like one too. */
import { delay } from '../../functions/runtime/time-and-chance.ts';

/** Reads of a suspect before its difference is reported. */
const maxReads = 3;

/**
 * Returns the differences that each of several reads finds. There is one pause between two reads for all suspects together.
 * @param read returns the difference of a suspect, if there is one.
 */
export async function confirm<Suspect, Difference>(
  suspects: readonly Suspect[],
  pauseMs: number,
  read: (suspect: Suspect) => Promise<Difference | undefined>,
): Promise<Difference[]> {
  let left = suspects;
  for (let reads = 1; ; reads += 1) {
    const found: { readonly suspect: Suspect; readonly difference: Difference }[] = [];
    for (const suspect of left) {
      const difference = await read(suspect);
      if (difference !== undefined) found.push({ suspect, difference });
    }
    if (reads === maxReads || found.length === 0) return found.map(({ difference }) => difference);
    left = found.map(({ suspect }) => suspect);
    await delay(pauseMs);
  }
}
