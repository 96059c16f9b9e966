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

test('nothing optional is created by default', async () => {
  const { data, api } = await synthesizeTemplates();
  const types = new Set([...Object.values(data), ...Object.values(api)].map(({ Type }) => Type));
  const optional = /^AWS::(?:Backup|Budgets|Route53)::|ApiMapping|ApiGatewayV2::DomainName/;
  expect([...types].filter((type) => optional.test(type))).toEqual([]);
});

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

test('a domain outlives the API stack, which maps it and disables the address of AWS', async () => {
  const { data, api, templates } = await synthesizeTemplates({
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/one',
    hostedZoneId: 'Z0123456789',
  });
  expect(properties(api, 'AWS::ApiGatewayV2::Api')).toMatchObject([{ DisableExecuteApiEndpoint: true }]);
  expect(properties(api, 'AWS::ApiGatewayV2::ApiMapping')).toMatchObject([
    { DomainName: 'api.example.com', Stage: '$default' },
  ]);
  expect(properties(data, 'AWS::ApiGatewayV2::DomainName')).toMatchObject([
    { DomainName: 'api.example.com' },
  ]);
  expect(properties(data, 'AWS::Route53::RecordSet')).toMatchObject([{ Name: 'api.example.com', Type: 'A' }]);
  expect(templates.api.Outputs).toMatchObject({
    Url: { Value: 'https://api.example.com' },
    DocsUrl: { Value: 'https://api.example.com/docs' },
  });
});

test('every resource that can have tags has those of the stage and of the settings', async () => {
  const { data } = await synthesizeTemplates({ tags: 'team=platform,cost-centre=4=2' });
  const [pool] = properties(data, 'AWS::Cognito::UserPool');
  expect(pool?.['UserPoolTags']).toEqual({
    application: 'project-management',
    stage: 'development',
    team: 'platform',
    'cost-centre': '4=2',
  });
});

test('every role has the permission boundary', async () => {
  const permissionBoundary = 'arn:aws:iam::123456789012:policy/boundary';
  const { data, api } = await synthesizeTemplates({ permissionBoundary, backupDays: 7 });
  const roles = properties({ ...data, ...api }, 'AWS::IAM::Role');
  expect(roles.length).toBeGreaterThan(routes.length);
  expect(new Set(roles.map((role) => role['PermissionsBoundary']))).toEqual(new Set([permissionBoundary]));
});

test('a key of the owner encrypts the table, and every function with the table may use it', async () => {
  const encryptionKey = 'arn:aws:kms:us-east-1:123456789012:key/1234';
  const { data, api } = await synthesizeTemplates({ region: 'us-east-1', encryptionKey });
  const [table] = properties(data, 'AWS::DynamoDB::GlobalTable');
  expect(table?.['SSESpecification']).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
  expect(JSON.stringify(table?.['Replicas'])).toContain(encryptionKey);
  const roles = properties({ ...data, ...api }, 'AWS::IAM::Role').map((role) => JSON.stringify(role));
  const without = roles.filter((role) => role.includes('dynamodb:') && !role.includes(encryptionKey));
  expect(without).toEqual([]);
});

test('backups are daily, of the table in use, and kept for the days of the settings', async () => {
  const { data } = await synthesizeTemplates({
    stage: 'production',
    machineClient: true,
    backupDays: 90,
    alarmEmail: 'none',
  });
  const [plan] = properties(data, 'AWS::Backup::BackupPlan');
  expect(JSON.stringify(plan)).toContain('"Lifecycle":{"DeleteAfterDays":90}');
  expect(JSON.stringify(properties(data, 'AWS::Backup::BackupSelection'))).toContain(
    ':table/project-management-production',
  );
  expect(ofType(data, 'AWS::Backup::BackupVault').map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual([
    'Retain',
  ]);
});

test('backups can go to a vault that exists', async () => {
  const { data } = await synthesizeTemplates({ backupDays: 90, backupVault: 'earlier' });
  expect(ofType(data, 'AWS::Backup::BackupVault')).toEqual([]);
  const [plan] = properties(data, 'AWS::Backup::BackupPlan');
  expect(JSON.stringify(plan)).toContain('"TargetBackupVault":"earlier"');
});

test('a budget mails the address for alarms', async () => {
  const { api } = await synthesizeTemplates({ monthlyBudget: '50', alarmEmail: 'ops@example.com' });
  const [budget] = properties(api, 'AWS::Budgets::Budget');
  expect(budget).toMatchObject({ Budget: { BudgetLimit: { Amount: 50, Unit: 'USD' } } });
  expect(JSON.stringify(budget)).toContain('ops@example.com');
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

test.each([{}, { documentation: false }, { authentication: 'none' }])(
  'a stage has settings for every route that ever had some: %j',
  async (settings) => {
    const { api } = await synthesizeTemplates(settings);
    const [stage] = properties(api, 'AWS::ApiGatewayV2::Stage');
    // Keys are only added here: API Gateway can refuse every later update of a stage whose settings name a route that is gone.
    const paths = [
      '/',
      '/docs',
      '/docs/problems',
      '/docs/guides/{file}',
      '/docs/{file}',
      '/llms.txt',
      '/v1/health',
      '/v1/openapi.json',
    ];
    const keys = paths.flatMap((path) => [`GET ${path}`, `HEAD ${path}`]);
    expect(Object.keys(stage?.['RouteSettings'] as object)).toEqual(
      expect.arrayContaining([...keys, '$default']),
    );
  },
);

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
