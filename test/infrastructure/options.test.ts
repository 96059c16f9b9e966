import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needsToken } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';
import { accessOf } from '#lib/infrastructure/table-access.ts';
import { expectComplete } from '../support/complete.ts';
import { ofType, referenceOf, synthesizeTemplates } from './stacks.ts';
import type { Resource, Resources } from './synthesis.ts';

/** What the optional settings add to the stacks. */

const properties = (resources: Resources, type: string): Resource['Properties'][] =>
  ofType(resources, type).map(([, { Properties }]) => Properties);

test('the stacks set each environment variable that functions read', async () => {
  const text = readFileSync(join(__dirname, '../../functions/runtime/environment.ts'), 'utf8');
  const read = [...text.matchAll(/(?:env\[|required\()'(\w+)'/g)].map(([, name = '']) => name);
  // Lambda sets some, and others are for the local service.
  const ofHosts = /^(?:AWS_|LAMBDA_)|^(?:FILES|LOG_LEVEL|SERVER_TIMING)$/;
  const { data, api } = await synthesizeTemplates({ eventBus: true, requireGroup: true, tenantRate: 5 });
  const set = [data, api].flatMap((resources) =>
    properties(resources, 'AWS::Lambda::Function').flatMap(({ Environment = {} }) =>
      Object.keys((Environment as { Variables?: object }).Variables ?? {}),
    ),
  );
  expectComplete(
    set.filter((name) => !ofHosts.test(name)),
    read.filter((name) => !ofHosts.test(name)),
    {
      missing:
        'Set it where a stack makes the functions that read it (lib/infrastructure), and in lib/local/function-environment.ts.',
      unneeded: 'Read it in functions/runtime/environment.ts, or do not set it.',
    },
  );
});

test('without documentation its routes have no function, and their settings stay', async () => {
  const { api, templates } = await synthesizeTemplates({ documentation: false });
  const fallback = ofType(api, 'AWS::Lambda::Function').find(([id]) => id.startsWith('rejectUnmatched'));
  const integrations = new Map(ofType(api, 'AWS::ApiGatewayV2::Integration'));
  const functionOf = ({ Target }: Record<string, unknown>) =>
    JSON.stringify(integrations.get(referenceOf(Target))?.Properties['IntegrationUri']);
  const pages = properties(api, 'AWS::ApiGatewayV2::Route').filter(({ RouteKey }) =>
    /openapi\.json|\/docs| \/$/.test(String(RouteKey)),
  );
  expect(pages.map(({ RouteKey }) => RouteKey)).toContain('GET /docs');
  for (const page of pages) expect(functionOf(page)).toContain(fallback?.[0]);
  expect(ofType(api, 'AWS::Lambda::Function').map(([id]) => id)).not.toContainEqual(
    expect.stringMatching(/^(show|readOpenApi|readDocumentation)/),
  );
  expect(templates.api.Outputs).not.toHaveProperty('DocsUrl');
  // The function responds to these routes as to those that do not exist.
  expect(JSON.stringify(fallback)).not.toContain('/docs');
});

describe('a limit of the units of each tenant', () => {
  const key = 'dynamodb:LeadingKeys';
  const condition = { 'ForAllValues:StringLike': { [key]: ['#rate#*'] }, Null: { [key]: 'false' } };

  /** Returns the environment and the conditional statements of each function, by the name of its operation. */
  async function functionsOf(settings: Record<string, unknown>) {
    const { api } = await synthesizeTemplates(settings);
    const roles = new Map(ofType(api, 'AWS::IAM::Role'));
    return new Map(
      ofType(api, 'AWS::Lambda::Function').map(([, { Properties, Metadata }]) => {
        const role = roles.get(referenceOf(Properties['Role']));
        const policies = (role?.Properties['Policies'] ?? []) as {
          PolicyDocument: { Statement: { Action: string | string[]; Condition?: unknown }[] };
        }[];
        const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
        const { Variables } = Properties['Environment'] as { Variables: Record<string, unknown> };
        const limited = statements.filter(({ Condition }) => Condition !== undefined);
        return [Metadata['aws:cdk:path']?.split('/').at(-3) ?? '', { Variables, limited }] as const;
      }),
    );
  }

  test.each([
    ['production', '', '5000'],
    ['production', 0, undefined],
    ['development', '', undefined],
    ['development-a', '', undefined],
  ])('in the stage %s with "tenantRate" %j is %s', async (stage, tenantRate, expected) => {
    const functions = await functionsOf({
      stage,
      tenantRate,
      callbackUrls: ['https://app.example.com/'],
      alarmEmail: 'none',
    });
    expect(functions.get('listTasks')?.Variables['TENANT_RATE']).toBe(expected);
    expect(functions.get('listTasks')?.limited).toHaveLength(expected ? 1 : 0);
  });

  test('is known to the functions that know a tenant', async () => {
    const functions = await functionsOf({ tenantRate: 5 });
    for (const { contract } of routes) {
      const { TENANT_RATE } = functions.get(contract.operation)?.Variables ?? {};
      expect([contract.operation, TENANT_RATE]).toEqual([
        contract.operation,
        needsToken(contract) ? '5' : undefined,
      ]);
    }
    expect(functions.get('rejectUnmatched')?.Variables).not.toHaveProperty('TENANT_RATE');
  });

  test('permits what the role lacks for the keys of units, and no other key', async () => {
    const functions = await functionsOf({ tenantRate: 5 });
    for (const { contract } of routes) {
      const missing = ['PutItem', 'Query'].filter(
        (action) => !(accessOf(contract).actions as readonly string[]).includes(action),
      );
      const actions = missing.map((action) => `dynamodb:${action}`);
      const expected = needsToken(contract) && actions.length > 0 ? [[actions, condition]] : [];
      const limited = functions.get(contract.operation)?.limited ?? [];
      expect([
        contract.operation,
        ...limited.map(({ Action, Condition }) => [[Action].flat(), Condition]),
      ]).toEqual([contract.operation, ...expected]);
    }
  });

  test('is absent by default', async () => {
    for (const { Variables, limited } of (await functionsOf({})).values()) {
      expect(Variables).not.toHaveProperty('TENANT_RATE');
      expect(limited).toEqual([]);
    }
  });
});
