import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A mistake that somebody could make, and the test that must notice it. */
export interface PlantedFault {
  /** In kebab case; `npm run test:planted-faults -- <name>` plants it alone. */
  readonly name: string;
  /** What would be wrong, for people. */
  readonly what: string;
  /** The file that it is planted in. */
  readonly file: string;
  /** What stands there, exactly once. */
  readonly search: string;
  /** What stands there instead; it must compile, or the compiler would be what notices. */
  readonly replacement: string;
  /** The test files that must notice. */
  readonly caughtBy: readonly string[];
  /** Only tests whose full name matches this are run. */
  readonly named?: string;
}

/**
 * A file as it is with a fault.
 * @param root the folder of the project.
 * @throws Error that names the fault when its place cannot be told, because the file has changed.
 */
export function withFault(root: string, { name, file, search, replacement }: PlantedFault): string {
  const text = readFileSync(join(root, file), 'utf8');
  const [before = '', after, ...more] = text.split(search);
  if (after === undefined || more.length > 0) {
    const times = after === undefined ? 'does not occur' : `occurs ${more.length + 1} times`;
    throw new Error(`The fault "${name}" cannot be planted: what it replaces ${times} in ${file}.`);
  }
  return before + replacement + after;
}
