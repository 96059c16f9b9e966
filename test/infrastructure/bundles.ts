import { readFileSync } from 'node:fs';
import type { Bundles } from '#lib/infrastructure/bundle.ts';

/** Returns the bundles of the functions, which the global set-up of the infrastructure tests creates. */
export function bundles(): Bundles {
  const file = process.env['BUNDLES'];
  if (!file) throw new Error('There are no bundles: only the infrastructure tests have them.');
  return JSON.parse(readFileSync(file, 'utf8')) as Bundles;
}
