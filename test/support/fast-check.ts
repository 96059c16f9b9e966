/**
 * fast-check with a seed: a run repeats the one before. A night sets `RANDOM_SEED`, so that it tries what no run has tried. Without this import, each
 * run would have another seed.
 */
import * as fc from 'fast-check';

export const firstSeed = Number(process.env['RANDOM_SEED'] ?? 1);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: firstSeed });

export { fc };
