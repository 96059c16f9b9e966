/** Finds out which differences of a table are real: a write between the two items of a read causes one too. */
import { delay } from '../../functions/runtime/time-and-chance.ts';

/** Reads of a suspect before its difference is reported. */
const maxReads = 3;

/**
 * Returns the differences that are still there when all suspects are read again, with pauses.
 * @param read returns the difference of a suspect, if there is one.
 */
export async function confirm<Suspect, Difference>(
  suspects: readonly Suspect[],
  pauseMs: number,
  read: (suspect: Suspect) => Promise<Difference | undefined>,
): Promise<Difference[]> {
  let found = suspects.map((suspect) => ({ suspect, difference: undefined as Difference | undefined }));
  for (let reads = 1; reads <= maxReads && found.length > 0; reads += 1) {
    if (reads > 1) await delay(pauseMs);
    const again: typeof found = [];
    for (const { suspect } of found) {
      const difference = await read(suspect);
      if (difference !== undefined) again.push({ suspect, difference });
    }
    found = again;
  }
  return found.map(({ difference }) => difference as Difference);
}
