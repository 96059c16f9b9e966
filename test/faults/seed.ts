/** Returns the seed of a run: `SEED`, or a random one. Prints it, so that the run can be repeated. */
export function printedSeed(): number {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`seed ${seed}\n`);
  return seed;
}
