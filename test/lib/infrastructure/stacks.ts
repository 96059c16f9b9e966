import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ApiStack } from '../../../lib/infrastructure/api-stack.ts';
import { type Bundles, bundleFunctions } from '../../../lib/infrastructure/bundle.ts';
import { DataStack } from '../../../lib/infrastructure/data-stack.ts';

/** The stacks as they are synthesized, and what tests ask of them. */

// The CDK's own check of the templates takes seconds; `npm run synth` makes it.
process.env.CDK_VALIDATION = 'false';

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly Metadata: Readonly<Record<string, string>>;
}

export type Resources = Readonly<Record<string, Resource>>;

export interface Synthesized {
  readonly data: Resources;
  readonly api: Resources;
  readonly bundles: Bundles;
  /** Where the assets are. */
  readonly assembly: string;
}

const folders: string[] = [];

/** A folder that is removed when the test file ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'infrastructure-'));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const { context } = JSON.parse(readFileSync(join(__dirname, '../../../cdk.json'), 'utf8')) as {
  context: Record<string, unknown>;
};

export async function synthesize(): Promise<Synthesized> {
  const assembly = temporaryFolder();
  const app = new App({
    // The command line adds these two: they say which construct and which asset a resource is from.
    context: { ...context, 'aws:cdk:enable-path-metadata': true, 'aws:cdk:enable-asset-metadata': true },
    analyticsReporting: false,
    outdir: assembly,
  });
  const data = new DataStack(app, 'data');
  const bundles = await bundleFunctions(temporaryFolder());
  const api = new ApiStack(app, 'api', { table: data.table, bundles });
  const resources = (stack: DataStack | ApiStack): Resources =>
    (Template.fromStack(stack).toJSON() as { Resources: Resources }).Resources;
  return { data: resources(data), api: resources(api), bundles, assembly };
}

export const ofType = (resources: Resources, type: string): [string, Resource][] =>
  Object.entries(resources).filter(([, { Type }]) => Type === type);

/** The logical id that a value refers to, whatever the form of the reference. */
export function referenceOf(value: unknown): string {
  return /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(value))?.[1] ?? '';
}
