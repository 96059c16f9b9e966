import { cdkArguments } from '#lib/cli/cdk-options.ts';
import { tableLogicalId } from '#lib/infrastructure/names.ts';
import { readSettings } from '#lib/infrastructure/read-settings.ts';
import { settingNames } from '#lib/infrastructure/settings.ts';
import { expectComplete } from '../support/complete.ts';
import { isFullRun } from '../support/runs.ts';
import { combinations } from './combinations.ts';
import { ofType, synthesizeTemplates } from './stacks.ts';
import type { Resource, Resources, Synthesized } from './synthesis.ts';

/**
 * Every change of a setting can be deployed: the data stack first, while the API stack is still the old one, and then the API stack.
 * CloudFormation refuses to remove or to change an export that another stack imports, so there are none. The API stack reads outputs of
 * the data stack.
 */

/** Another value of each setting, with the settings that it needs. */
const changes: Record<string, Record<string, unknown>> = {
  stage: { stage: 'development-b' },
  region: { region: 'eu-central-1' },
  tableName: {
    tableName: 'restored',
    tableStreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/restored/stream/2026-01-01T00:00:00.000',
  },
  tableStreamArn: {
    tableName: 'restored',
    tableStreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/restored/stream/2026-02-02T00:00:00.000',
  },
  otherTableName: { otherTableName: 'restored' },
  corsOrigins: { corsOrigins: 'https://app.example.com' },
  throttlingRate: { throttlingRate: 5 },
  jobChangesPerSecond: { jobChangesPerSecond: 50 },
  historyDays: { historyDays: 400 },
  eventBus: { eventBus: true },
  throttlingBurst: { throttlingBurst: 5 },
  authentication: { authentication: 'none' },
  allowUnauthenticated: { allowUnauthenticated: true, authentication: 'none' },
  userPoolId: { userPoolId: 'us-east-1_a1B2c3D4e', audience: 'app' },
  audience: { authentication: 'https://issuer.example.com/', audience: 'api' },
  tenantClaim: { tenantClaim: 'org' },
  callbackUrls: { callbackUrls: 'https://app.example.com/' },
  machineClient: { machineClient: true },
  requireGroup: { requireGroup: true },
  srpSignIn: { srpSignIn: true },
  multiFactor: { multiFactor: 'required' },
  logRetentionDays: { logRetentionDays: 7 },
  tracing: { tracing: true },
  tenantRate: { tenantRate: 5 },
  signInConcurrency: { signInConcurrency: 5 },
  scheduleConcurrency: { scheduleConcurrency: 1 },
  streamConcurrency: { streamConcurrency: 20 },
  requestMetrics: { requestMetrics: false },
  documentation: { documentation: false },
  domainName: {
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/one',
  },
  certificateArn: {
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/other',
  },
  hostedZoneId: {
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/one',
    hostedZoneId: 'Z0123456789',
  },
  tags: { tags: 'team=platform' },
  permissionBoundary: { permissionBoundary: 'arn:aws:iam::123456789012:policy/boundary' },
  encryptionKey: {
    region: 'us-east-1',
    encryptionKey: 'arn:aws:kms:us-east-1:123456789012:key/1234',
  },
  backupDays: { backupDays: 90 },
  backupVault: { backupDays: 90, backupVault: 'earlier' },
  monthlyBudget: { monthlyBudget: 50, alarmEmail: 'ops@example.com' },
  alarmEmail: { alarmEmail: 'ops@example.com' },
};

let base: Synthesized;

beforeAll(async () => {
  base = await synthesizeTemplates();
});

interface StackOutput {
  readonly StackName: string;
  readonly OutputName: string;
}

/** Returns the outputs of other stacks that a template reads. */
function outputsRead(value: unknown): StackOutput[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === 'Fn::GetStackOutput' ? [one as StackOutput] : outputsRead(one),
  );
}

/** Returns what CloudFormation refuses when a data stack is deployed and then an API stack. */
function refusals({ templates: { data, api } }: Synthesized): string[] {
  const exports = Object.values(data.Outputs ?? {}).filter((output) => 'Export' in (output as object));
  const missing = outputsRead(api).filter(({ OutputName }) => !(OutputName in (data.Outputs ?? {})));
  return [
    ...exports.map((output) => `exports ${JSON.stringify(output)}`),
    ...(JSON.stringify(api).includes('Fn::ImportValue') ? ['imports a value'] : []),
    ...missing.map(({ OutputName }) => `reads ${OutputName}, which does not exist`),
  ];
}

test('every setting has a change', () => {
  expectComplete(Object.keys(changes), settingNames, {
    missing: 'Add a value that is not its default to `changes` in this file.',
  });
});

/** Every sixth one, and those that exchange what other stacks use. `npm run test:all` deploys all. */
const isDeployed = ([name]: readonly [string, unknown], place: number): boolean =>
  isFullRun ||
  place % 6 === 0 ||
  ['tableName', 'tableStreamArn', 'otherTableName', 'authentication', 'userPoolId', 'encryptionKey'].includes(
    name,
  );

test.each(Object.entries(changes).filter(isDeployed))(
  'a change of %s can be deployed, and be undone',
  async (_name, settings) => {
    const changed = await synthesizeTemplates(settings);
    expect(changed.templates).not.toEqual(base.templates);
    expect(refusals(changed)).toEqual([]);
    expect(refusals(base)).toEqual([]);
  },
);

test.each(Object.entries(combinations).filter((_, place) => isFullRun || place < 3))(
  'a combination of settings refers to no export, and to outputs that exist: %s',
  async (_name, settings) => {
    expect(refusals(await synthesizeTemplates(settings))).toEqual([]);
  },
);

test('the API stack takes nothing from the data stack that a change inside a resource changes', () => {
  // A new stream has a new ARN, although its table has the same name. A template that does not change is not deployed.
  const taken = outputsRead(base.templates.api).map(
    ({ OutputName }) => base.templates.data.Outputs?.[OutputName],
  );
  expect(taken.length).toBeGreaterThan(0);
  const values = taken.map((output) => JSON.stringify(output));
  expect(values.filter((value) => !/"Ref":"Accounts|"Ref":"on\w+Function|"QueueName"/.test(value))).toEqual(
    [],
  );
});

test('what reads an output changes with the resource that the output is of: CloudFormation reads it again only then', async () => {
  // Another definition of the user pool. Some replace it, and its id is another one then.
  const { api } = await synthesizeTemplates({ multiFactor: 'required' });
  const readers = Object.entries(base.api).filter(([, one]) => outputsRead(one).length > 0);
  expect(readers.length).toBeGreaterThan(5);
  const unmarked = readers.filter(([, { Metadata }]) => !/^[0-9a-f]{16}$/.test(Metadata['references'] ?? ''));
  expect(unmarked).toEqual([]);
  const [[id, authorizer]] = ofType(base.api, 'AWS::ApiGatewayV2::Authorizer') as [[string, Resource]];
  expect(api[id]?.Properties).toEqual(authorizer.Properties);
  expect(api[id]?.Metadata['references']).not.toBe(authorizer.Metadata['references']);
  const alarms = ofType(base.api, 'AWS::CloudWatch::Alarm').filter(([name]) => name.startsWith('JobsFail'));
  for (const [name, { Metadata }] of alarms) expect(api[name]?.Metadata).toEqual(Metadata);
  expect(alarms).toHaveLength(1);
});

test('the consumers of the stream are in the stack of the table, and take the stream of a restored table', async () => {
  const streams = ({ data }: Synthesized): unknown[] =>
    ofType(data, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties['EventSourceArn']);
  const [[tableId]] = ofType(base.data, 'AWS::DynamoDB::GlobalTable') as [[string, unknown]];
  const own = { 'Fn::GetAtt': [tableId, 'StreamArn'] };
  expect(streams(base)).toEqual([own, own]);
  expect(ofType(base.api, 'AWS::Lambda::EventSourceMapping')).toEqual([]);
  const { tableStreamArn } = changes['tableName'] as { tableStreamArn: string };
  expect(streams(await synthesizeTemplates(changes['tableName']))).toEqual([tableStreamArn, tableStreamArn]);
});

/** Returns the names of the tables in the environments of functions. */
const tablesUsed = (resources: Resources): Set<unknown> =>
  new Set(
    ofType(resources, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
      const { Variables = {} } = (Properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
      return Variables['TABLE_NAME'] ?? [];
    }),
  );

test('with a restored table, all functions and roles use it, and the stack keeps its own table', async () => {
  const { data, api, templates } = await synthesizeTemplates({
    ...changes['tableName'],
    stage: 'production',
    machineClient: true,
    alarmEmail: 'none',
  });
  const resources = { ...data, ...api };
  const [[, table]] = ofType(data, 'AWS::DynamoDB::GlobalTable') as [[string, Resource]];
  expect(table.Properties['TableName']).toBe('project-management-production');
  expect(tablesUsed(resources)).toEqual(new Set(['restored']));
  const policies = JSON.stringify(ofType(resources, 'AWS::IAM::Role'));
  expect(policies).toContain(':table/restored');
  expect(policies).not.toContain(':table/project-management');
  expect(templates.data.Outputs?.['TableName']).toEqual({ Value: 'restored' });
});

test('while the table switches, roles allow both tables, and functions use one', async () => {
  const [former, next] = ['project-management-development', 'restored'];
  for (const [settings, used] of [
    [{ otherTableName: next, tenantRate: 5 }, former],
    [{ ...changes['tableName'], otherTableName: former, tenantRate: 5 }, next],
  ] as const) {
    const { data, api } = await synthesizeTemplates(settings);
    const statements = ofType({ ...data, ...api }, 'AWS::IAM::Role').flatMap(([, { Properties }]) =>
      (Properties['Policies'] as { PolicyDocument: { Statement: { Resource: unknown }[] } }[]).flatMap(
        ({ PolicyDocument }) => PolicyDocument.Statement,
      ),
    );
    const resources = statements
      .map(({ Resource }) => JSON.stringify(Resource))
      .filter((text) => /:table\/[\w-]+[/"]/.test(text) && !text.includes('/stream/'));
    expect(resources.length).toBeGreaterThan(50);
    expect(resources.filter((text) => !(text.includes(former) && text.includes(next)))).toEqual([]);
    expect(tablesUsed({ ...data, ...api })).toEqual(new Set([used]));
  }
});

test('a restored table that was imported is a resource of the stack, and nothing changes but its stream', async () => {
  const production = { stage: 'production', machineClient: true, alarmEmail: 'none' };
  const outside = await synthesizeTemplates({ ...production, ...changes['tableName'] });
  const imported = await synthesizeTemplates({ ...production, tableName: 'restored' });
  const [command, stack, force, flag, mapping] = cdkArguments(
    'import',
    readSettings({ ...production, tableName: 'restored' }),
    [],
  );
  expect([command, stack, force, flag]).toEqual([
    'import',
    'project-management-production-data',
    '--force',
    '--resource-mapping-inline',
  ]);
  const [[id, identifier]] = Object.entries(JSON.parse(mapping ?? '') as object) as [[string, object]];
  expect(identifier).toEqual({ TableName: 'restored' });
  const { [id]: table, ...others } = imported.data;
  expect(table).toMatchObject({ Type: 'AWS::DynamoDB::GlobalTable', DeletionPolicy: 'Retain' });
  const own = Object.values(outside.data).find(({ Type }) => Type === 'AWS::DynamoDB::GlobalTable');
  expect(table?.Properties).toEqual({ ...own?.Properties, TableName: 'restored' });
  const withoutStream = (text: string): string =>
    text
      .replaceAll(/"EventSourceArn":("[^"]*"|\{[^}]*\})/g, '')
      .replaceAll(/"Resource":("[^"]*\/stream\/[^"]*"|\{"Fn::GetAtt":\["\w+","StreamArn"\]\})/g, '');
  expect(withoutStream(JSON.stringify(others))).toEqual(withoutStream(JSON.stringify(outside.data)));
  const { api } = imported;
  expect(api).toEqual(outside.api);
});

test('the own table of the stack has the logical id that an import names', async () => {
  const [[id]] = ofType(base.data, 'AWS::DynamoDB::GlobalTable') as [[string, unknown]];
  expect(cdkArguments('import', readSettings({}), []).at(-1)).toBe(
    JSON.stringify({ [id]: { TableName: 'project-management-development' } }),
  );
});

test('names of restored tables have different logical ids', () => {
  const ids = ['restored', 'restored1', 'restored-1', 'restored_1', 'restored.1'].map((name) =>
    tableLogicalId({ stage: 'production' }, name),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[A-Za-z0-9]+$/.test(id))).toEqual([]);
});
