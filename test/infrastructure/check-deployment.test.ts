import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { formats } from '#functions/engine/model/stored-format.ts';
import { table } from '#functions/engine/model/table.ts';
import { connect } from '#functions/engine/table/client.ts';
import type { DynamoDb } from '#functions/engine/table/operations.ts';
import { UnitPace } from '#lib/hosting/unit-pace.ts';
import { readSettings } from '#lib/infrastructure/read-settings.ts';
import type { Settings } from '#lib/infrastructure/settings.ts';
import { setCredentials } from '#lib/local/engine-environment.ts';
import { ensureTable } from '#lib/local/table.ts';
import { checkDeployment, routesToCheck } from '#lib/preflight/check-deployment.ts';
import { rewriteTable } from '#lib/rewrite/rewrite-table.ts';
import { type AwsStandIn, startAwsStandIn } from '../support/aws-stand-in.ts';
import { testWorker } from '../support/test-worker.ts';
import { synthesizeTemplates } from './stacks.ts';

/** The checks before a deployment. The tables are those of the embedded engine. */

const region = 'us-east-1';
const services = [
  'DYNAMODB',
  'CLOUDFORMATION',
  'LAMBDA',
  'ACM',
  'ROUTE_53',
  'KMS',
  'IAM',
  'STS',
  'SESV2',
  'BACKUP',
];
let aws: AwsStandIn;
let client: DynamoDBClient;

beforeAll(async () => {
  const { endpoint } = await (await testWorker()).sharedEngine();
  setCredentials(endpoint);
  aws = await startAwsStandIn(endpoint);
  client = new DynamoDBClient({ endpoint, region });
  for (const service of services) process.env[`AWS_ENDPOINT_URL_${service}`] = aws.endpoint;
});

beforeEach(() => {
  aws.hasRecovery = true;
  aws.concurrency = 1_000;
  aws.denied.clear();
  aws.stacks.clear();
  aws.outputs.clear();
  aws.metadata = {};
  aws.stackStatus = 'UPDATE_COMPLETE';
});

afterAll(async () => {
  client.destroy();
  await aws.stop();
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
    warnings: [],
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
  const tableStreamArn = `arn:aws:dynamodb:${region}:123456789012:table/${TableName}/stream/2026`;
  const settings = settingsOf({ tableName: TableName, tableStreamArn });
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
  expect(refusal).toContain('npx pm-api cdk import -c stage=production');
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
  const dataStack = 'project-management-production-data';
  aws.outputs.set(dataStack, { TableName: 'project-management-production' });
  expect(await refusalsOf(settings)).toEqual([
    `The deployed functions use the table "project-management-production", and this deployment switches to "${tableName}". Set "otherTableName" to "project-management-production": roles allow both tables then (docs/data.md#restore-data).`,
  ]);
  expect(await refusalsOf({ ...settings, otherTableName: 'project-management-production' })).toEqual([]);
  aws.outputs.set(dataStack, { TableName: tableName });
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

test('credentials of another account are refused, before anything else is checked', async () => {
  const account = '210987654321';
  aws.stackStatus = 'ROLLBACK_COMPLETE';
  aws.outputs.set('project-management-first-data', {});
  expect(await checkDeployment('deploy', settingsOf({ stage: 'first', account }), region)).toEqual({
    refusals: [
      'The credentials are of the account 123456789012, and the stage "first" is of 210987654321 ("account"). Choose its profile (AWS_PROFILE).',
    ],
    warnings: [],
  });
  aws.outputs.clear();
  expect(await refusalsOf(settingsOf({ stage: 'first', account: '123456789012' }))).toEqual([]);
});

test('an account with fewer than a hundred executions gets a warning, and can deploy', async () => {
  const settings = settingsOf({ stage: 'first' });
  aws.concurrency = 99;
  expect(await checkDeployment('deploy', settings, region)).toEqual({
    refusals: [],
    warnings: [
      'The account has 99 concurrent executions: a page that loads several lists at once can get 503. Raise the quota (docs/deployment.md#raise-the-quotas-of-a-new-account).',
    ],
  });
  aws.concurrency = 100;
  expect((await checkDeployment('deploy', settings, region)).warnings).toEqual([]);
});

test('a deployment that creates the topic of alarms says that its mails must be confirmed, and a later one does not', async () => {
  const settings = settingsOf({ stage: 'first', alarmEmail: 'ops@example.com' });
  const warningsOf = async (of: Settings) => (await checkDeployment('deploy', of, region)).warnings;
  const warning =
    'The deployment creates a topic for alarms. AWS asks ops@example.com to confirm it: no alarm is mailed before.';
  expect(await warningsOf(settings)).toEqual([warning]);
  // A release before had the topic in the other stack.
  aws.outputs.set('project-management-first-api', { AlarmTopicArn: 'arn' });
  aws.outputs.set('project-management-first-data', {});
  expect(await warningsOf(settings)).toEqual([warning]);
  aws.outputs.set('project-management-first-data', { AlarmTopicArn: 'arn' });
  expect(await warningsOf(settings)).toEqual([]);
  const secret = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:canary';
  const toCheck = { metricTags: true, canary: true, canaryClient: secret };
  const issuer = { authentication: 'https://issuer.example.com', audience: 'api', machineClient: false };
  expect(await warningsOf(settingsOf({ stage: 'first', ...issuer, ...toCheck }))).toEqual([
    expect.stringMatching(/get-telemetry-enrichment-status/),
    expect.stringMatching(/"clientSecret"/),
  ]);
});

test('a user pool of another region is refused', async () => {
  const settings = readSettings({ userPoolId: 'eu-central-1_a1B2c3D4e', audience: 'app' });
  expect(await refusalsOf({ ...settings, stage: 'first' })).toEqual([
    expect.stringContaining('"userPoolId" is "eu-central-1_a1B2c3D4e" and "region" is "us-east-1"'),
  ]);
});

test('a topic for alarms of another region is refused', async () => {
  const alarmTopicArn = 'arn:aws:sns:eu-central-1:123456789012:alarms';
  expect(await refusalsOf(settingsOf({ stage: 'first', alarmTopicArn }))).toEqual([
    expect.stringContaining(`"alarmTopicArn" is "${alarmTopicArn}" and "region" is "us-east-1"`),
  ]);
});

describe('what the settings name', () => {
  const certificateArn = `arn:aws:acm:${region}:123456789012:certificate/1`;
  const domain = { stage: 'first', domainName: 'api.example.com', certificateArn, hostedZoneId: 'Z1' };
  const key = { stage: 'first', region, encryptionKey: `arn:aws:kms:${region}:123456789012:key/1` };

  beforeEach(() => {
    aws.certificate = { Status: 'ISSUED', DomainName: '*.example.com' };
    aws.zone = { name: 'example.com', isPrivate: false };
    aws.key = { KeyState: 'Enabled', KeySpec: 'SYMMETRIC_DEFAULT' };
  });

  test('is not refused when it fits', async () => {
    expect(await refusalsOf(settingsOf(domain))).toEqual([]);
    expect(await refusalsOf(settingsOf(key))).toEqual([]);
  });

  test('a certificate must be issued, for the domain, and in the region of the API', async () => {
    aws.certificate = {
      Status: 'PENDING_VALIDATION',
      DomainName: 'example.com',
      SubjectAlternativeNames: ['example.com', '*.api.example.com'],
    };
    expect(await refusalsOf(settingsOf(domain))).toEqual([
      'The certificate has the status PENDING_VALIDATION: it must be ISSUED.',
      'The certificate is for example.com, *.api.example.com, not for "api.example.com".',
    ]);
    const elsewhere = certificateArn.replace(region, 'eu-west-1');
    const [refusal] = await refusalsOf(settingsOf({ ...domain, certificateArn: elsewhere }));
    expect(refusal).toContain(`"certificateArn" is "${elsewhere}" and "region" is "${region}"`);
  });

  test('the certificate for announcements must be issued for their domain, in any region of the API', async () => {
    aws.certificate = { Status: 'ISSUED', DomainName: 'api.example.org' };
    const live = { liveDomainName: 'live.example.com', liveCertificateArn: certificateArn };
    expect(await refusalsOf(settingsOf({ stage: 'first', ...live }))).toEqual([
      'The certificate is for api.example.org, not for "live.example.com".',
    ]);
  });

  test('a hosted zone must be public, and that of the domain', async () => {
    aws.zone = { name: 'ample.com', isPrivate: true };
    expect(await refusalsOf(settingsOf(domain))).toEqual([
      'The hosted zone Z1 is private: it must be public.',
      'The hosted zone Z1 is that of ample.com, not of "api.example.com".',
    ]);
  });

  test('a key must be enabled and symmetric', async () => {
    aws.key = { KeyState: 'PendingDeletion', KeySpec: 'RSA_2048' };
    expect(await refusalsOf(settingsOf(key))).toEqual([
      'The key is in the state PendingDeletion: it must be Enabled.',
      'The key is RSA_2048: it must be SYMMETRIC_DEFAULT.',
    ]);
  });

  test('a permissions boundary and a vault must exist', async () => {
    const permissionsBoundary = 'arn:aws:iam::123456789012:policy/boundary';
    const settings = settingsOf({
      stage: 'first',
      permissionsBoundary,
      backupDays: 1,
      backupVault: 'earlier',
    });
    aws.vaults = ['later'];
    expect(await refusalsOf(settings)).toEqual([
      'The permissions boundary cannot be checked: NoSuchEntity',
      'There is no vault "earlier" in us-east-1. Leave "backupVault" empty for a new one.',
    ]);
    aws.policies = [permissionsBoundary];
    aws.vaults = ['later', 'earlier'];
    expect(await refusalsOf(settings)).toEqual([]);
  });

  test('backups are copied only where AWS Backup allows it, and to another account only where the organization does', async () => {
    aws.copies = { toOtherRegions: false, toOtherAccounts: false };
    const copiedTo = (account: string) =>
      settingsOf({
        stage: 'first',
        backupDays: 1,
        backupCopyVaultArn: `arn:aws:backup:eu-west-1:${account}:backup-vault:copies`,
      });
    const [ofRegion, ofOrganization, ...others] = await refusalsOf(copiedTo('210987654321'));
    expect(ofRegion).toMatch(/^Backups of DynamoDB in us-east-1 cannot be copied .* DynamoDB=true$/);
    expect(ofOrganization).toMatch(/^The organization does not copy .* isCrossAccountBackupEnabled=true$/);
    expect(others).toEqual([]);
    expect(await refusalsOf(copiedTo('123456789012'))).toEqual([ofRegion]);
    aws.denied.add('DescribeGlobalSettings');
    expect(await refusalsOf(copiedTo('210987654321'))).toEqual([ofRegion]);
    aws.denied.clear();
    aws.copies = { toOtherRegions: true, toOtherAccounts: true };
    expect(await refusalsOf(copiedTo('210987654321'))).toEqual([]);
  });

  test('the domain of the sender must be a verified identity', async () => {
    const settings = settingsOf({ stage: 'first', emailFrom: 'no-reply@example.com' });
    expect(await refusalsOf(settings)).toEqual(['The sender of mails cannot be checked: NotFound']);
    aws.identities = { 'example.com': false };
    expect(await refusalsOf(settings)).toEqual([
      'SES has not verified example.com, the domain of "emailFrom": publish the records of its identity.',
    ]);
    aws.identities = { 'example.com': true };
    expect(await refusalsOf(settings)).toEqual([]);
  });

  test('a key switches in two deployments, so that roles allow both', async () => {
    const { encryptionKey } = key;
    const deployed = (EncryptionKeys?: string) =>
      aws.outputs.set('project-management-first-data', {
        TableName: 'project-management-first',
        ...(EncryptionKeys && { EncryptionKeys }),
      });
    const former = encryptionKey.replace('key/1', 'key/0');
    deployed();
    expect(await refusalsOf(settingsOf(key))).toEqual([
      `The table uses the key of AWS, and this deployment switches to the key "${encryptionKey}". First deploy with "otherEncryptionKey" "${encryptionKey}", and "encryptionKey" as it was.`,
    ]);
    deployed(`,${encryptionKey}`);
    expect(await refusalsOf(settingsOf(key))).toEqual([]);
    deployed(`${former},${encryptionKey}`);
    expect(await refusalsOf(settingsOf(key))).toEqual([
      `The table uses the key "${former}", and this deployment switches to the key "${encryptionKey}". Set "otherEncryptionKey" to "${former}" for this deployment.`,
    ]);
    expect(await refusalsOf(settingsOf({ ...key, otherEncryptionKey: former }))).toEqual([]);
  });
});

describe('the stored formats', () => {
  const settings = settingsOf({ stage: 'first' });

  beforeEach(() => {
    aws.outputs.set('project-management-first-data', { TableName: 'project-management-first' });
  });

  test('are in the template of the data stack, and those of one release follow each other', async () => {
    const { data } = (await synthesizeTemplates()).templates;
    expect(data.Metadata).toEqual({ StoredFormats: formats });
    aws.metadata = data.Metadata ?? {};
    expect(await refusalsOf(settings)).toEqual([]);
  });

  test('must be readable by the deployed release and by the new one', async () => {
    const { record: _, ...others } = formats;
    aws.metadata = { StoredFormats: { ...others, manifest: { reads: [2, 3], writes: 3 } } };
    expect(await refusalsOf(settings)).toEqual([
      'This release writes the format 1 of a stored item (manifest), and the deployed release reads 2 and 3: it would fail until it is replaced, and after a rollback. First deploy a release that reads 1 and does not write it (docs/decisions/0022-formats-and-releases.md).',
      'The deployed release writes the format 3 of a stored item (manifest), and this release reads 1. Deploy a release that reads it (docs/decisions/0022-formats-and-releases.md).',
    ]);
  });
});

describe('a release that does not read the first format', () => {
  const first = structuredClone(formats);
  const dataStack = 'project-management-production-data';
  let items: DynamoDb;
  let settings: Settings;
  let tableName: string;

  beforeAll(() => {
    items = connect({ endpoint: aws.endpoint, region });
  });

  afterAll(() => items.destroy());

  const refusal = (item: string) =>
    `The table "${tableName}" can have a stored item (${item}) in an earlier format, and this release reads 2 and 3. Run "npx pm-api rewrite --table ${tableName}" with a release that reads it, the deployed one, and deploy then (docs/operations.md#write-all-items-again).`;

  /** Lets a release of this kind be deployed, or be this one. */
  const release = (item: 'entity' | 'manifest', ...reads: readonly [number, number]) => ({
    ...first,
    [item]: { reads, writes: 2 },
  });

  /** Makes the pass of the deployed release. */
  async function rewrite(): Promise<void> {
    const own = structuredClone(formats);
    Object.assign(formats, (aws.metadata as { StoredFormats: object }).StoredFormats);
    await rewriteTable({ client: items, tableName }, new UnitPace(1_000));
    Object.assign(formats, own);
  }

  beforeEach(async () => {
    tableName = await createTable();
    settings = await outside(tableName);
    aws.outputs.set(dataStack, { TableName: tableName });
    aws.outputs.set('project-management-production-api', {});
    aws.operatedAt.clear();
    aws.metadata = { StoredFormats: release('entity', 1, 2) };
    Object.assign(formats, release('entity', 2, 3));
  });

  afterEach(() => Object.assign(formats, first));

  test.each(['data', 'api'])(
    'is refused until the deployed release has written all items again, after the last operation of the %s stack',
    async (part) => {
      expect(await refusalsOf(settings)).toEqual([refusal('entity')]);
      await rewrite();
      expect(await refusalsOf(settings)).toEqual([]);
      // What was deployed since can have been a release that writes format 1, as a rollback is.
      aws.operatedAt.set(`project-management-production-${part}`, Date.now());
      expect(await refusalsOf(settings)).toEqual([refusal('entity')]);
    },
  );

  test('is refused as long as something is left that the command does not write', async () => {
    aws.metadata = { StoredFormats: release('manifest', 1, 2) };
    Object.assign(formats, release('manifest', 2, 3), { entity: first.entity });
    const key = { pk: 'public#tag#log', sk: '~' };
    await items.putItem({ TableName: tableName, Item: key });
    await rewrite();
    expect(await refusalsOf(settings)).toEqual([refusal('manifest')]);
    await items.putItem({ TableName: tableName, Item: { ...key, format: 2 } });
    await rewrite();
    expect(await refusalsOf(settings)).toEqual([]);
  });

  test('is not refused after a release that does not read it either, but for a restored table', async () => {
    aws.metadata = { StoredFormats: release('entity', 2, 3) };
    expect(await refusalsOf(settings)).toEqual([]);
    aws.outputs.set(dataStack, { TableName: 'former' });
    const switched = { ...settings, otherTableName: 'former' };
    expect(await refusalsOf(switched)).toEqual([refusal('entity')]);
    aws.metadata = { StoredFormats: release('entity', 1, 2) };
    await rewrite();
    expect(await refusalsOf(switched)).toEqual([]);
  });

  test('is refused when the credentials cannot read what is left, and is not when there is no table', async () => {
    expect(await refusalsOf(settingsOf({ stage: 'first' }))).toEqual([]);
    aws.denied.add('GetItem');
    expect(await refusalsOf(settings)).toEqual([
      expect.stringMatching(/^The lowest formats of the table ".*" cannot be read: .*GetItem/),
    ]);
  });
});

test('a stack whose first deployment has failed gets the commands that delete it', async () => {
  aws.stackStatus = 'ROLLBACK_COMPLETE';
  aws.outputs.set('project-management-first-data', {});
  const [refusal, ...others] = await refusalsOf(settingsOf({ stage: 'first' }));
  expect(others).toEqual([]);
  expect(refusal?.split('\n').slice(1)).toEqual([
    '  aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name project-management-first-data',
    '  aws cloudformation delete-stack --stack-name project-management-first-data',
    '  aws cloudformation wait stack-delete-complete --stack-name project-management-first-data',
  ]);
});

test('a stack whose rollback has failed gets the command that continues it', async () => {
  const settings = settingsOf({ stage: 'first' });
  aws.stackStatus = 'UPDATE_ROLLBACK_FAILED';
  for (const stack of ['project-management-first-data', 'project-management-first-api']) {
    aws.outputs.clear();
    aws.outputs.set(stack, { TableName: 'project-management-first' });
    expect(await refusalsOf(settings)).toEqual([
      `The last update of the stack "${stack}" has failed, and its rollback too. Remove the cause, and continue the rollback, which includes nested stacks (docs/operations.md#continue-a-rollback-that-failed):
  aws cloudformation continue-update-rollback --stack-name ${stack}
  aws cloudformation wait stack-rollback-complete --stack-name ${stack}`,
    ]);
  }
});

test('more routes than the default quota are named, because only AWS knows the quota', () => {
  expect(routesToCheck(300)).toEqual([]);
  expect(routesToCheck(301)).toEqual([
    expect.stringContaining(
      'The quota "Routes per API" of API Gateway was not checked: the API has 301 routes',
    ),
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
    warnings: [
      expect.stringContaining('The table in use was not checked'),
      expect.stringContaining('The concurrency was not checked'),
    ],
  });
});

test('credentials that AWS does not accept refuse the deployment', async () => {
  const message = 'The security token included in the request is expired';
  const expired = Object.assign(new Error(message), { name: 'ExpiredTokenException', $fault: 'client' });
  const send = jest.spyOn(DynamoDBClient.prototype, 'send').mockImplementation(() => Promise.reject(expired));
  const { refusals } = await checkDeployment('deploy', settingsOf({ stage: 'first' }), region);
  send.mockRestore();
  expect(refusals).toEqual([`The table in use cannot be checked: ${message}`]);
});
