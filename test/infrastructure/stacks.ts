import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReleaseRecord } from '#lib/release/last-release.ts';
import { testWorker } from '../support/test-worker.ts';
import type { Resource, Resources, Synthesized } from './synthesis.ts';

/** The stacks for tests. */

const folders: string[] = [];

/** Returns a folder that is deleted when the test file ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'infrastructure-'));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Synthesizes the stacks with copies of the bundles, into the given folder. */
export async function synthesize(
  settings: Readonly<Record<string, unknown>> = {},
  assembly = temporaryFolder(),
  last?: Pick<ReleaseRecord, 'permissions'>,
): Promise<Synthesized> {
  const worker = await testWorker();
  return worker.synthesize(settings, assembly, last);
}

/** Synthesizes the stacks for tests that read only the templates. A worker does it once for the same settings. */
export async function synthesizeTemplates(
  settings: Readonly<Record<string, unknown>> = {},
  last?: Pick<ReleaseRecord, 'permissions'>,
): Promise<Synthesized> {
  const worker = await testWorker();
  return worker.synthesizeTemplates(settings, last);
}

export const ofType = (resources: Resources, type: string): [string, Resource][] =>
  Object.entries(resources).filter(([, { Type }]) => Type === type);

/** Returns the logical id that a value refers to, in any form of reference. */
export function referenceOf(value: unknown): string {
  return /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(value))?.[1] ?? '';
}
