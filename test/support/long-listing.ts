import { cut } from '../../functions/shared/store/lists/counted-index/counters.ts';

/**
 * Makes entities so that each is in a section of its own: as few as there are sections in a long listing, far apart in
 * time.
 * @param make makes one.
 * @returns what it made.
 */
export async function makeFarApart<Made>(number: number, make: () => Promise<Made>): Promise<Made[]> {
  const { fullSection } = cut;
  // Longer than from the writing of a boundary to its time.
  const interval = cut.ahead + cut.planned + cut.grid;
  const now = Date.now;
  let behind = number * interval;
  // The clock of the whole process: ids, and the boundaries of sections, are stamped with it.
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() - behind);
  const made: Made[] = [];
  cut.fullSection = 1;
  try {
    for (; made.length < number; behind -= interval) made.push(await make());
  } finally {
    cut.fullSection = fullSection;
    clock.mockRestore();
  }
  return made;
}
