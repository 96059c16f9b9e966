import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { type Bundles, bundleFunctions } from '../../lib/infrastructure/bundle.ts';
import { service } from '../../lib/infrastructure/service.ts';

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

const { context } = JSON.parse(readFileSync(join(__dirname, '../../cdk.json'), 'utf8')) as {
  context: Record<string, unknown>;
};

/** An app as `cdk synth -c key=value` makes it. */
export const app = (outdir: string, settings: Record<string, unknown> = {}): App =>
  new App({
    context: {
      ...context,
      // The command line adds these two: they say which construct and which asset a resource is from.
      'aws:cdk:enable-path-metadata': true,
      'aws:cdk:enable-asset-metadata': true,
      ...settings,
    },
    analyticsReporting: false,
    outdir,
  });

let bundled: Promise<Bundles> | undefined;

/** Returns the bundles of the functions: those of the project's global set-up, where there is one. */
export const bundles = (): Promise<Bundles> => {
  const file = process.env['BUNDLES'];
  bundled ??= file
    ? Promise.resolve(JSON.parse(readFileSync(file, 'utf8')) as Bundles)
    : bundleFunctions(temporaryFolder());
  return bundled;
};

export async function synthesize(settings: Record<string, unknown> = {}): Promise<Synthesized> {
  const assembly = temporaryFolder();
  const { data, api } = service(app(assembly, settings), await bundles());
  const resources = (stack: Stack): Resources =>
    (Template.fromStack(stack).toJSON() as { Resources: Resources }).Resources;
  return { data: resources(data), api: resources(api), bundles: await bundles(), assembly };
}

export const ofType = (resources: Resources, type: string): [string, Resource][] =>
  Object.entries(resources).filter(([, { Type }]) => Type === type);

/** The logical id that a value refers to, whatever the form of the reference. */
export function referenceOf(value: unknown): string {
  return /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(value))?.[1] ?? '';
}
