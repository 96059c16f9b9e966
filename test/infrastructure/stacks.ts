import type { Route } from '#functions/routes.ts';
import { testWorker } from '../support/test-worker.ts';
import { type Combination, combinations } from './combinations.ts';
import type { Resource, Resources, Synthesized } from './synthesis.ts';

/** The stacks for tests. */

/** Synthesizes the stacks with copies of the bundles, into the given folder. */
export async function synthesize(
  settings: Readonly<Record<string, unknown>>,
  assembly: string,
  operations?: readonly Route[],
): Promise<Synthesized> {
  return (await testWorker()).synthesize(settings, assembly, operations);
}

/** Synthesizes the stacks for tests that read only the templates. A worker does it once for the same settings. */
export async function synthesizeTemplates(
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Synthesized> {
  return (await testWorker()).synthesizeTemplates(settings);
}

export const ofType = <One extends Resource>(
  resources: Readonly<Record<string, One>>,
  type: string,
): [string, One][] => Object.entries(resources).filter(([, { Type }]) => Type === type);

const withoutHash = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');

/** Returns what an output is of. CDK adds these outputs, and their names contain the name of the resource. */
const nameOfOutput = (name: string): string =>
  name
    .replace(/^PublishOutput(?:Ref|FnGetAtt)(\w+)[0-9A-F]{16}$/, '$1')
    .replace(/^PublishOutputFnGetAttLive\w+(LiveApi)[0-9A-F]{8}(\w+)[0-9A-F]{8}$/, '$1.$2');

const references: Readonly<Record<string, (value: never) => string>> = {
  Ref: (id: string) => `<${withoutHash(id)}>`,
  'Fn::GetAtt': ([id, attribute]: readonly [string, string]) => `<${withoutHash(id)}.${attribute}>`,
  'Fn::Join': ([separator, parts]: readonly [string, readonly string[]]) => parts.join(separator),
  'Fn::GetStackOutput': ({ OutputName }: { readonly OutputName: string }) => `<${nameOfOutput(OutputName)}>`,
};

/** Returns a part of a template with references as text, for example `<Table.StreamArn>`. */
function withTextReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTextReferences);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, withTextReferences(inner)] as const);
  const [[name, inner] = ['', undefined]] = entries;
  return references[name]?.(inner as never) ?? Object.fromEntries(entries);
}

/** The resources and outputs of both stacks, whose ids differ, by their ids without a hash. References are text. */
export interface ReadableStacks {
  readonly resources: Resources;
  readonly outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

export function readable({ data, api, templates }: Synthesized): ReadableStacks {
  const entries = Object.entries({ ...data, ...api }).map(([id, resource]) => [withoutHash(id), resource]);
  const outputs = { ...templates.data.Outputs, ...templates.api.Outputs };
  return withTextReferences({ resources: Object.fromEntries(entries), outputs }) as ReadableStacks;
}

export const stacksOf = async (name: Combination): Promise<ReadableStacks> =>
  readable(await synthesizeTemplates(combinations[name]));

interface Statement {
  readonly Action: string | readonly string[];
  readonly Effect: string;
  readonly Resource: string | readonly string[];
  readonly Condition?: object;
}

const withoutRegistry = {
  Action: ['BatchGetItem', 'DeleteItem', 'GetItem', 'Query'].map((action) => `dynamodb:${action}`),
  Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['#logs#*'] } },
};

/** Returns what the role of a function allows: each action with its resource, without the place of the resource, and the conditions. */
export function permissionsOf({ resources }: ReadableStacks, name: string) {
  const [, role = ''] = /^<(\w+)\.Arn>$/.exec(String(resources[`${name}Function`]?.Properties['Role'])) ?? [];
  const { Properties } = resources[role] as Resource;
  expect(Properties['ManagedPolicyArns']).toBeUndefined();
  const policies = Properties['Policies'] as { PolicyDocument: { Statement: readonly Statement[] } }[];
  const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  // What uses the table may not read the registry of logs, with one exception.
  const usesTable = statements.some(
    ({ Action, Resource, Effect, Condition }) =>
      Effect === 'Allow' &&
      !Condition &&
      /dynamodb:(?:\w*GetItem|PutItem|Query)/.test(String(Action)) &&
      !String(Resource).includes('/index/'),
  );
  const denied = statements
    .filter(({ Effect }) => Effect !== 'Allow')
    .map(({ Action, Condition }) => ({ Action, Condition }));
  expect(denied).toEqual(usesTable && name !== 'onSchedule' ? [withoutRegistry] : []);
  return statements
    .filter(({ Effect }) => Effect === 'Allow')
    .map(({ Action, Resource, Condition }) => ({
      allowed: [Action]
        .flat()
        .flatMap((action) =>
          [Resource]
            .flat()
            .map((resource) => `${action} ${resource.replace(/^arn:\S*<AWS::AccountId>:/, '')}`),
        ),
      condition: Condition,
    }));
}
