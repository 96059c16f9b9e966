import { cut } from '../../functions/shared/store/lists/counted-index/counters.ts';

/**
 * Creates entities with creation times so far apart that each is in a section of its own, as in a long listing.
 * @param make creates an entity.
 * @returns the results of `make`.
 */
export async function makeFarApart<Made>(number: number, make: () => Promise<Made>): Promise<Made[]> {
  const { fullSection } = cut;
  // Longer than the time from the write of a boundary until it takes effect.
  const interval = cut.ahead + cut.planned + cut.grid;
  const now = Date.now;
  let behind = number * interval;
  // The clock of the whole process, which dates ids and the boundaries of sections.
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
