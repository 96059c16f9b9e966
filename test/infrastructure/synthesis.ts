/** Synthesizes the stacks. The worker loads it once for all its test files, because aws-cdk-lib takes a second to load. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { Route } from '#functions/routes.ts';
import { service } from '#lib/infrastructure/service.ts';
import { bundles } from './bundles.ts';
import { defaultContext } from './default-context.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: readonly string[];
  readonly Metadata: Readonly<Record<string, string>>;
}

export type Resources = Readonly<Record<string, Resource>>;

type Outputs = Readonly<Record<string, { readonly Value: unknown }>>;

interface Reference {
  readonly Ref?: string;
  readonly 'Fn::GetAtt'?: readonly [id: string, attribute: string];
}

interface TemplateContent {
  readonly Resources: Resources;
  readonly Outputs?: Outputs;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

export interface Synthesized {
  readonly templates: {
    readonly data: TemplateContent;
    readonly api: TemplateContent;
    /** The templates of the nested stacks of the API stack, by the id of the stack. */
    readonly nested: Readonly<Record<string, TemplateContent>>;
  };
  /**
   * The resources of the data stack and of its nested stack, with the values of parameters and of outputs of the nested stack in place of references
   * to them.
   */
  readonly data: Resources;
  /** The resources of the API stack and of its nested stacks, likewise. */
  readonly api: Resources;
  /** Whether CloudFormation refuses to delete the stack of the data. */
  readonly hasTerminationProtection: boolean;
  /** The account and the region of each stack, for which CDK refuses other credentials. */
  readonly environments: readonly string[];
}

/** Returns an app with the default settings, and the given ones over them. */
function app(outdir: string, settings: Readonly<Record<string, unknown>>): App {
  // The template validation of CDK takes seconds. `npm run synth` runs it.
  process.env.CDK_VALIDATION = 'false';
  return new App({
    context: {
      ...defaultContext,
      // The CDK command line enables these two. They name the construct and the asset of a resource.
      'aws:cdk:enable-path-metadata': true,
      'aws:cdk:enable-asset-metadata': true,
      ...settings,
    },
    analyticsReporting: false,
    // No test reads tree.json, and writing it takes a tenth of the synthesis.
    treeMetadata: false,
    outdir,
  });
}

/** Returns the resources of a template and of its nested ones, with values in place of references to parameters and to outputs. */
function withNested({ Resources }: TemplateContent, nested: readonly TemplateContent[]): Resources {
  const stacks = Object.values(Resources).filter(({ Type }) => Type === 'AWS::CloudFormation::Stack');
  const parameters: Record<string, unknown> = Object.assign(
    {},
    ...stacks.map(({ Properties }) => Properties['Parameters']),
  );
  const outputs = Object.assign({}, ...nested.map((one) => one.Outputs)) as Outputs;
  const all = Object.assign({}, Resources, ...nested.map((one) => one.Resources)) as Resources;
  return JSON.parse(JSON.stringify(all), (_, value: Reference | null) => {
    if (typeof value?.Ref === 'string' && value.Ref in parameters) return parameters[value.Ref];
    const [, name = ''] = /^Outputs\.(\w+)$/.exec(String(value?.['Fn::GetAtt']?.[1])) ?? [];
    return name in outputs ? outputs[name]?.Value : value;
  }) as Resources;
}

export function synthesize(
  settings: Readonly<Record<string, unknown>>,
  assembly: string,
  operations?: readonly Route[],
): Synthesized {
  const { data, api } = service(app(assembly, settings), bundles(), operations);
  const content = (stack: Stack): TemplateContent => Template.fromStack(stack).toJSON() as TemplateContent;
  const nestedIn = ({ node }: Stack) =>
    Object.fromEntries(
      node.children.filter((one) => NestedStack.isNestedStack(one)).map((one) => [one.node.id, content(one)]),
    );
  const templates = { data: content(data), api: content(api), nested: nestedIn(api) };
  return {
    templates,
    data: withNested(templates.data, Object.values(nestedIn(data))),
    api: withNested(templates.api, Object.values(templates.nested)),
    hasTerminationProtection: data.terminationProtection ?? false,
    environments: [data.environment, api.environment],
  };
}

/** Templates by what they were made from: most test files need some of the same. */
const known = new Map<string, Synthesized>();

let folder: string | undefined;

/** Returns a folder for all assemblies of the worker, because CDK remembers the hash of an asset for each folder. */
function templateFolder(): string {
  const created = mkdtempSync(join(tmpdir(), 'templates-'));
  process.once('exit', () => rmSync(created, { recursive: true, force: true }));
  return created;
}

/** Synthesizes the stacks without copies of the bundles, once for the same settings. */
export function synthesizeTemplates(settings: Readonly<Record<string, unknown>>): Synthesized {
  const key = JSON.stringify(Object.entries(settings).sort());
  folder ??= templateFolder();
  const withoutCopies = { ...settings, 'aws:cdk:disable-asset-staging': true };
  const synthesized = known.get(key) ?? synthesize(withoutCopies, folder);
  known.set(key, synthesized);
  return synthesized;
}
