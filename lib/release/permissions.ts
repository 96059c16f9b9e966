/** What templates of CloudFormation deploy that later releases must respect. */
import type { IndexName } from '../../functions/store/model/table.ts';
import type { Access } from '../infrastructure/table-access.ts';
import type { FunctionPermissions, ReleaseRecord } from './last-release.ts';

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

type Resources = Readonly<Record<string, Resource>>;

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

interface InlinePolicy {
  readonly PolicyName: string;
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

const list = <Value>(value: Value | readonly Value[]): readonly Value[] =>
  Array.isArray(value) ? (value as readonly Value[]) : [value as Value];

/** The name of a function: its construct, whose path a role has as a comment of CDK, and which logical ids begin with. */
const functionOf = (roleId: string): string => roleId.replace(/Role[0-9A-F]{8}$/, '');

/** The end of the ARN of a table or of an index, in JSON. */
const tableArn = /:table\/[\w.-]+(?:\/index\/([\w-]+))?"/;

function permissionsOf(statements: readonly Statement[]): FunctionPermissions {
  const actions = new Set<string>();
  const indexes = new Set<string>();
  const others = new Set<string>();
  for (const { Action, Resource: resources } of statements) {
    for (const action of list(Action)) {
      for (const resource of list(resources)) {
        const text = JSON.stringify(resource);
        const table = tableArn.exec(text);
        if (!table) others.add(`${action} ${text}`);
        else if (table[1] === undefined) actions.add(action.replace(/^dynamodb:/, ''));
        else indexes.add(table[1]);
      }
    }
  }
  return {
    // What synthesizes the template takes no others.
    actions: [...actions].sort() as unknown as Access['actions'],
    indexes: [...indexes].sort() as IndexName[],
    others: [...others].sort(),
  };
}

/**
 * Returns the permissions of each function.
 * @param policies the names of the inline policies that count.
 */
export function permissionsByFunction(
  resources: Resources,
  policies: readonly string[],
): Record<string, FunctionPermissions> {
  const roles = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::IAM::Role');
  return Object.fromEntries(
    roles.flatMap(([id, { Properties }]) => {
      const inline = ((Properties['Policies'] ?? []) as InlinePolicy[]).filter(({ PolicyName }) =>
        policies.includes(PolicyName),
      );
      if (inline.length === 0) return [];
      return [
        [functionOf(id), permissionsOf(inline.flatMap(({ PolicyDocument }) => PolicyDocument.Statement))],
      ];
    }),
  );
}

/** A template of CloudFormation. */
export interface Template {
  readonly Resources: Resources;
}

/** The policy with what a release itself needs. */
export const ownPolicy = 'access';

/** Returns the permissions and the route settings of templates. */
export function deployedBy(
  templates: readonly Template[],
): Pick<ReleaseRecord, 'permissions' | 'routeSettings'> {
  const resources = Object.assign(
    {},
    ...templates.map(({ Resources }) => Resources),
  ) as Template['Resources'];
  const stages = Object.values(resources).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Stage');
  return {
    permissions: permissionsByFunction(resources, [ownPolicy]),
    routeSettings: stages
      .flatMap(({ Properties }) => Object.keys(Properties['RouteSettings'] as object))
      .sort(),
  };
}
