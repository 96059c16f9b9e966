import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { table } from '#functions/engine/model/table.ts';
import { readSettings } from '#lib/infrastructure/read-settings.ts';
import type { Settings } from '#lib/infrastructure/settings.ts';
import { setCredentials } from '#lib/local/engine-environment.ts';
import { ensureTable } from '#lib/local/table.ts';
import { checkDeployment } from '#lib/preflight/check-deployment.ts';
import { type AwsStandIn, startAwsStandIn } from '../support/aws-stand-in.ts';
import { testWorker } from '../support/test-worker.ts';

/** The checks before a deployment. The tables are those of the embedded engine. */

const region = 'us-east-1';
let aws: AwsStandIn;
let client: DynamoDBClient;
const environment = { ...process.env };

beforeAll(async () => {
  const { endpoint } = await (await testWorker()).sharedEngine();
  setCredentials(endpoint);
  aws = await startAwsStandIn(endpoint);
  client = new DynamoDBClient({ endpoint, region });
  for (const service of ['DYNAMODB', 'CLOUDFORMATION', 'LAMBDA'])
    process.env[`AWS_ENDPOINT_URL_${service}`] = aws.endpoint;
});

beforeEach(() => {
  aws.hasRecovery = true;
  aws.concurrency = 1_000;
  aws.denied.clear();
  aws.stacks.clear();
  aws.usedTables.clear();
});

afterAll(async () => {
  client.destroy();
  await aws.stop();
  process.env = environment;
});

const settingsOf = (more: Record<string, unknown>): Settings =>
  readSettings({ stage: 'production', machineClient: true, alarmEmail: 'none', ...more });

/** Creates a table as the store needs it. @returns its name. */
async function createTable(name = `restored-${randomUUID().slice(0, 8)}`): Promise<string> {
  await ensureTable(client, name, { stream: true });
  await client.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: true }));
  return name;
}

async function streamOf(TableName: string): Promise<string> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  // The engine names a region that does not exist.
  return Table?.LatestStreamArn ?? '';
}

/** Returns settings that name a table outside of the stack. */
const outside = async (tableName: string): Promise<Settings> => ({
  ...settingsOf({}),
  tableName,
  tableStreamArn: await streamOf(tableName),
});

const refusalsOf = async (settings: Settings, command: 'deploy' | 'import' = 'deploy') =>
  (await checkDeployment(command, settings, region)).refusals;

test('the first deployment of a stage finds no table, and nothing to refuse', async () => {
  expect(await checkDeployment('deploy', settingsOf({ stage: 'first' }), region)).toEqual({
    refusals: [],
    skipped: [],
  });
});

test('a restored table with the shape of the template can be deployed', async () => {
  expect(await refusalsOf(await outside(await createTable()))).toEqual([]);
});

test('a table that nobody has completed after the restore is refused, with one sentence for each difference', async () => {
  aws.hasRecovery = false;
  const TableName = `restored-${randomUUID().slice(0, 8)}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk', 'ofKind', 'id', 'other'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        ['by-creation', 'ofKind', 'id', 'KEYS_ONLY'] as const,
        ['by-status', 'ofKind', 'other', 'ALL'] as const,
        ['by-other', 'other', 'id', 'ALL'] as const,
      ].map(([IndexName, partition, sort, ProjectionType]) => ({
        IndexName,
        KeySchema: [
          { AttributeName: partition, KeyType: 'HASH' },
          { AttributeName: sort, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType },
      })),
    }),
  );
  const settings = { ...settingsOf({}), tableName: TableName, tableStreamArn: 'arn' };
  expect(await refusalsOf(settings)).toEqual(
    [
      'has the index by-creation with the attributes KEYS_ONLY instead of ALL',
      'has the index by-status with the key ofKind, other instead of ofKind, byStatus',
      'has the index by-other, which the template does not have',
      'has no stream: switch it on with the view type KEYS_ONLY',
      'has no time to live: switch it on for the attribute expiresAt',
      'has no deletion protection',
      'has no point-in-time recovery',
    ].map((difference) => `The table "${TableName}" ${difference}.`),
  );
});

test('a table of the stack must be in the stack, and an import needs only the table', async () => {
  const tableName = await createTable();
  const settings = settingsOf({ tableName });
  const [refusal, ...others] = await refusalsOf(settings);
  expect(others).toEqual([]);
  expect(refusal).toContain(
    `"${tableName}" exists, but the stack "project-management-production-data" does not have it`,
  );
  expect(refusal).toContain('npm run cdk -- import -c stage=production');
  expect(await refusalsOf(settings, 'import')).toEqual([]);
  aws.stacks.set(tableName, 'project-management-production-data');
  expect(await refusalsOf(settings)).toEqual([]);
});

test('of its own table, a deployment refuses what somebody has switched off, but adds what it lacks by itself', async () => {
  const stage = `s${randomUUID().slice(0, 8)}`;
  const name = `project-management-${stage}`;
  await ensureTable(client, name, {
    stream: true,
    shape: {
      partitionKey: 'pk',
      sortKey: 'sk',
      timeToLive: 'expiresAt',
      indexes: { 'by-creation': table.indexes['by-creation'] },
    },
  });
  aws.stacks.set(name, `${name}-data`);
  expect(await refusalsOf(settingsOf({ stage }))).toEqual([
    `The table "${name}" has no deletion protection.`,
  ]);
  await client.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: true }));
  expect(await refusalsOf(settingsOf({ stage }))).toEqual([]);
  const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: false };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
  expect(await refusalsOf(settingsOf({ stage }))).toEqual([
    `The table "${name}" has no time to live: switch it on for the attribute expiresAt.`,
  ]);
});

test('a switch to another table needs roles that allow both', async () => {
  const settings = await outside(await createTable());
  const { tableName } = settings;
  aws.usedTables.set('project-management-production-data', 'project-management-production');
  expect(await refusalsOf(settings)).toEqual([
    `The deployed functions use the table "project-management-production", and this deployment switches to "${tableName}". Set "otherTableName" to "project-management-production": roles allow both tables then (docs/data.md#restore-data).`,
  ]);
  expect(await refusalsOf({ ...settings, otherTableName: 'project-management-production' })).toEqual([]);
  aws.usedTables.set('project-management-production-data', tableName);
  expect(await refusalsOf(settings)).toEqual([]);
});

test('a reservation must leave a hundred executions of the account', async () => {
  const settings = settingsOf({
    stage: 'first',
    signInConcurrency: 5,
    scheduleConcurrency: 2,
    streamConcurrency: 20,
  });
  expect(await refusalsOf(settings)).toEqual([]);
  aws.concurrency = 10;
  const [refusal] = await refusalsOf(settings);
  expect(refusal).toMatch(/^The settings reserve 47 concurrent executions .* but the account has 10\./);
  aws.denied.add('GetAccountSettings');
  expect(await refusalsOf(settingsOf({ stage: 'first' }))).toEqual([]);
});

test('a user pool of another region is refused', async () => {
  const settings = readSettings({ userPoolId: 'eu-central-1_a1B2c3D4e', audience: 'app' });
  expect(await refusalsOf({ ...settings, stage: 'first' })).toEqual([
    'The user pool "eu-central-1_a1B2c3D4e" is not in us-east-1: its function and the API must be in its region.',
  ]);
});

test('what the credentials do not permit is said, and refuses nothing', async () => {
  aws.denied.add('DescribeTable').add('GetAccountSettings');
  const found = await checkDeployment(
    'deploy',
    settingsOf({ stage: 'first', scheduleConcurrency: 1 }),
    region,
  );
  expect(found).toEqual({
    refusals: [],
    skipped: [
      expect.stringContaining('The table in use was not checked'),
      expect.stringContaining('The reserved concurrency was not checked'),
    ],
  });
});
