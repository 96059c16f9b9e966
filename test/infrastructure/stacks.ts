import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { type Bundles, bundleFunctions } from '../../lib/infrastructure/bundle.ts';
import { service } from '../../lib/infrastructure/service.ts';
import { app } from './app.ts';

/** Synthesizes the stacks for tests. */

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly Metadata: Readonly<Record<string, string>>;
}

export type Resources = Readonly<Record<string, Resource>>;

/** A template of CloudFormation. */
export interface TemplateContent {
  readonly Resources: Resources;
  readonly Outputs?: Readonly<Record<string, unknown>>;
}

export interface Synthesized {
  readonly templates: { readonly data: TemplateContent; readonly api: TemplateContent };
  readonly data: Resources;
  readonly api: Resources;
  readonly bundles: Bundles;
  /** Folder of the assets. */
  readonly assembly: string;
}

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

let bundled: Promise<Bundles> | undefined;

/** Returns the bundles of the functions, which are created once per test file. */
export const bundles = (): Promise<Bundles> => {
  const file = process.env['BUNDLES'];
  bundled ??= file
    ? Promise.resolve(JSON.parse(readFileSync(file, 'utf8')) as Bundles)
    : bundleFunctions(temporaryFolder());
  return bundled;
};

export async function synthesize(
  settings: Record<string, unknown> = {},
  assembly = temporaryFolder(),
): Promise<Synthesized> {
  const { data, api } = service(app(assembly, settings), await bundles());
  const content = (stack: Stack): TemplateContent => Template.fromStack(stack).toJSON() as TemplateContent;
  const templates = { data: content(data), api: content(api) };
  return {
    templates,
    data: templates.data.Resources,
    api: templates.api.Resources,
    bundles: await bundles(),
    assembly,
  };
}

let templateFolder: string | undefined;

/**
 * Synthesizes the stacks for tests that read only the templates: without copies of the bundles, in half the time. All of them are written to
 * one folder, because CDK remembers the hash of an asset for each folder.
 */
export function synthesizeTemplates(settings: Record<string, unknown> = {}): Promise<Synthesized> {
  templateFolder ??= temporaryFolder();
  return synthesize({ ...settings, 'aws:cdk:disable-asset-staging': true }, templateFolder);
}

export const ofType = (resources: Resources, type: string): [string, Resource][] =>
  Object.entries(resources).filter(([, { Type }]) => Type === type);

/** Returns the logical id that a value refers to, in any form of reference. */
export function referenceOf(value: unknown): string {
  return /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(value))?.[1] ?? '';
}
