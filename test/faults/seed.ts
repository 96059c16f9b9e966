/** The seed of a run: `SEED`, or any. It is printed, so that a run can be repeated. */
export function printedSeed(): number {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`seed ${seed}\n`);
  return seed;
}
