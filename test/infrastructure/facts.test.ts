import { scopeOf } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';
import { table } from '#functions/store/model/table.ts';
import { readSettings } from '#lib/infrastructure/read-settings.ts';
import { reservedConcurrency } from '#lib/preflight/concurrency.ts';
import { ofType, synthesizeTemplates } from './stacks.ts';
import type { Resource, Synthesized } from './synthesis.ts';

/** Facts of resources, for some settings: what data outlives, what is safe, and what each optional setting adds. */

const production = {
  stage: 'production',
  callbackUrls: 'https://app.example.com/',
  machineClient: true,
  alarmEmail: 'none',
};

const withoutClients = { stage: 'production', alarmEmail: 'none' };
const userPoolId = 'eu-central-1_a1B2c3D4e';
const encryptionKey = 'arn:aws:kms:us-east-1:123456789012:key/1234';
const issuer = { authentication: 'https://issuer.example.com/', audience: 'api,other' };

/** Settings by name. Several rows share one synthesis. */
const variants = {
  default: {},
  production,
  'machine only': { ...withoutClients, machineClient: true, backupDays: 90 },
  'all clients': { machineClient: true },
  'no tokens': { authentication: 'none' },
  'another issuer': issuer,
  'adopted pool': { ...withoutClients, userPoolId, audience: 'app,machine', requireGroup: true },
  strict: {
    requireGroup: true,
    srpSignIn: true,
    signInConcurrency: 5,
    scheduleConcurrency: 1,
    streamConcurrency: 20,
  },
  domain: {
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/one',
    hostedZoneId: 'Z0123456789',
  },
  'own key': { region: 'us-east-1', encryptionKey },
  tags: { tags: 'team=platform,cost-centre=4=2' },
  'earlier vault': { backupDays: 90, backupVault: 'earlier' },
  budget: { monthlyBudget: '50', alarmEmail: 'ops@example.com' },
  tracing: { tracing: true },
  bus: { eventBus: true },
} as const;

const keySchema = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

const scopes = [...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? []))];

const globalTable = 'DynamoDB::GlobalTable';
const pool = 'Cognito::UserPool';
const client = 'Cognito::UserPoolClient';
const target = 'Lambda::Function';

type Fact = readonly [why: string, settings: keyof typeof variants, resource: string, properties: object];

/**
 * The resource is a type, and a part of the id when there are several. The properties of each such resource match those of the row, and so does its
 * deletion policy.
 */
const facts: readonly Fact[] = [
  [
    'the store finds its keys',
    'production',
    globalTable,
    { KeySchema: keySchema(table.partitionKey, table.sortKey) },
  ],
  [
    'the store finds its indexes',
    'production',
    globalTable,
    {
      GlobalSecondaryIndexes: Object.entries(table.indexes).map(([IndexName, { partitionKey, sortKey }]) => ({
        IndexName,
        KeySchema: keySchema(partitionKey, sortKey),
        Projection: { ProjectionType: 'ALL' },
      })),
    },
  ],
  [
    'DynamoDB deletes expired items',
    'production',
    globalTable,
    { TimeToLiveSpecification: { AttributeName: table.timeToLive, Enabled: true } },
  ],
  [
    'readers of the stream see no entity',
    'production',
    globalTable,
    { StreamSpecification: { StreamViewType: 'KEYS_ONLY' } },
  ],
  ['an idle table costs nothing', 'production', globalTable, { BillingMode: 'PAY_PER_REQUEST' }],
  [
    'the key that AWS owns costs nothing, that of KMS does',
    'production',
    globalTable,
    { SSESpecification: { SSEEnabled: false } },
  ],
  ['the table outlives its stack', 'production', globalTable, { DeletionPolicy: 'Retain' }],
  [
    'the table survives its deletion and wrong writes',
    'production',
    globalTable,
    {
      Replicas: [
        {
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      ],
    },
  ],
  ['the user pool survives', 'production', pool, { DeletionPolicy: 'Retain', DeletionProtection: 'ACTIVE' }],
  ['addresses ignore case', 'production', pool, { UsernameConfiguration: { CaseSensitive: false } }],
  [
    'an address stays until its new one is confirmed',
    'production',
    pool,
    { UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] } },
  ],
  [
    'users may have a second factor',
    'production',
    pool,
    { MfaConfiguration: 'OPTIONAL', EnabledMfas: ['SOFTWARE_TOKEN_MFA'] },
  ],
  [
    'nobody signs up: they would be a new tenant',
    'production',
    pool,
    { AdminCreateUserConfig: { AllowAdminCreateUserOnly: true } },
  ],
  [
    'users have a tenant',
    'production',
    pool,
    { Schema: expect.arrayContaining([expect.objectContaining({ Name: 'tenant' })]) },
  ],
  [
    'access tokens have the tenant',
    'production',
    pool,
    { LambdaConfig: { PreTokenGenerationConfig: { LambdaVersion: 'V3_0' } } },
  ],
  ['users do not write their tenant', 'production', client, { WriteAttributes: ['email'] }],
  [
    'clients allow no flow that nobody asked for, and hide which users exist',
    'production',
    client,
    { ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'], PreventUserExistenceErrors: 'ENABLED' },
  ],
  [
    'production redirects to no machine of a user',
    'production',
    `${client} App`,
    { CallbackURLs: ['https://app.example.com/'] },
  ],
  [
    'a disposable stage redirects to it',
    'default',
    client,
    { CallbackURLs: ['http://localhost:3000/', 'http://localhost:8976/'] },
  ],
  [
    'tokens of programs cost money, so they live for a day',
    'machine only',
    client,
    { AccessTokenValidity: 1_440, TokenValidityUnits: { AccessToken: 'minutes' } },
  ],
  [
    'SRP is allowed on request',
    'strict',
    client,
    { ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH', 'ALLOW_USER_SRP_AUTH'] },
  ],
  [
    'the pool has the scope of each operation',
    'production',
    'Cognito::UserPoolResourceServer',
    {
      Scopes: expect.arrayContaining(scopes.map((ScopeName) => expect.objectContaining({ ScopeName }))),
    },
  ],
  [
    'users without a role lose their scopes on request',
    'strict',
    `${target} claimTenant`,
    {
      Environment: { Variables: { REQUIRE_GROUP: 'true' } },
    },
  ],
  ['sign-in keeps its executions', 'strict', `${target} claimTenant`, { ReservedConcurrentExecutions: 5 }],
  [
    'the schedule keeps its executions',
    'strict',
    `${target} onSchedule`,
    { ReservedConcurrentExecutions: 1 },
  ],
  ['jobs keep their executions', 'strict', `${target} onStream`, { ReservedConcurrentExecutions: 20 }],
  [
    'compaction keeps its executions',
    'strict',
    `${target} onLogRecords`,
    { ReservedConcurrentExecutions: 20 },
  ],
  ['logs do not cost more every month', 'production', 'Logs::LogGroup', { RetentionInDays: 30 }],
  [
    'functions log to one group',
    'production',
    'Logs::LogGroup FunctionLog',
    { LogGroupName: 'project-management-production' },
  ],
  [
    'the gateway logs to a group whose policy AWS shares',
    'production',
    'Logs::LogGroup AccessLog',
    { LogGroupName: '/aws/vendedlogs/project-management-production' },
  ],
  [
    'the tokens of an adopted pool are accepted',
    'adopted pool',
    'ApiGatewayV2::Authorizer',
    { JwtConfiguration: { Audience: ['app', 'machine'] } },
  ],
  [
    'the adopted pool may call the function that adds the tenant',
    'adopted pool',
    'Lambda::Permission claimTenant',
    { Principal: 'cognito-idp.amazonaws.com' },
  ],
  [
    'the adopted pool can limit scopes',
    'adopted pool',
    `${target} claimTenant`,
    {
      Environment: { Variables: { REQUIRE_GROUP: 'true' } },
    },
  ],
  [
    'the tokens of another issuer are accepted',
    'another issuer',
    'ApiGatewayV2::Authorizer',
    { JwtConfiguration: { Audience: ['api', 'other'], Issuer: issuer.authentication } },
  ],
  [
    'the address of AWS is no second entrance',
    'domain',
    'ApiGatewayV2::Api',
    { DisableExecuteApiEndpoint: true },
  ],
  [
    'the domain serves the API',
    'domain',
    'ApiGatewayV2::ApiMapping',
    { DomainName: 'api.example.com', Stage: '$default' },
  ],
  ['the domain is known', 'domain', 'ApiGatewayV2::DomainName', { DomainName: 'api.example.com' }],
  ['the domain has an address', 'domain', 'Route53::RecordSet', { Name: 'api.example.com', Type: 'A' }],
  [
    'a key of the owner encrypts the table',
    'own key',
    globalTable,
    {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [{ SSESpecification: { KMSMasterKeyId: encryptionKey } }],
    },
  ],
  [
    'resources have the tags of the owner',
    'tags',
    pool,
    {
      UserPoolTags: {
        application: 'project-management',
        stage: 'development',
        team: 'platform',
        'cost-centre': '4=2',
      },
    },
  ],
  [
    'backups are kept as long as the settings say',
    'machine only',
    'Backup::BackupPlan',
    { BackupPlan: { BackupPlanRule: [{ Lifecycle: { DeleteAfterDays: 90 } }] } },
  ],
  ['backups outlive the stack', 'machine only', 'Backup::BackupVault', { DeletionPolicy: 'Retain' }],
  [
    'backups can go to a vault that exists',
    'earlier vault',
    'Backup::BackupPlan',
    { BackupPlan: { BackupPlanRule: [{ TargetBackupVault: 'earlier' }] } },
  ],
  [
    'a budget mails the address for alarms',
    'budget',
    'Budgets::Budget',
    {
      Budget: { BudgetLimit: { Amount: 50, Unit: 'USD' } },
      NotificationsWithSubscribers: expect.arrayContaining([
        expect.objectContaining({ Subscribers: [{ Address: 'ops@example.com', SubscriptionType: 'EMAIL' }] }),
      ]),
    },
  ],
  ['traces are complete', 'tracing', `${target} listTasks`, { TracingConfig: { Mode: 'Active' } }],
  [
    'the bus has the name of the stage',
    'bus',
    'Events::EventBus',
    { Name: 'project-management-development' },
  ],
  [
    'the archive keeps events as long as records live',
    'bus',
    'Events::Archive',
    { RetentionDays: 30, EventPattern: { source: ['project-management'] } },
  ],
  [
    'events are published within a second or two',
    'bus',
    'Lambda::EventSourceMapping LogRecords',
    { BatchSize: 100, MaximumBatchingWindowInSeconds: 1, FunctionResponseTypes: ['ReportBatchItemFailures'] },
  ],
  [
    'unpublished events can be published for two weeks',
    'bus',
    'SQS::Queue UnpublishedEvents',
    { SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 86_400 },
  ],
];

const merged = ({ data, api }: Synthesized) => ({ ...data, ...api });

test.each(facts)('%s (%s)', async (_why, settings, resource, properties) => {
  const [type, name = ''] = resource.split(' ');
  const found = ofType(merged(await synthesizeTemplates(variants[settings])), `AWS::${type}`).filter(([id]) =>
    id.includes(name),
  );
  expect(found.length).toBeGreaterThan(0);
  for (const [, { Properties, DeletionPolicy }] of found) {
    expect({ ...Properties, DeletionPolicy }).toMatchObject(properties);
  }
});

type Count = readonly [why: string, settings: keyof typeof variants, types: RegExp, ids: readonly RegExp[]];

/** How many resources of some types there are, by a part of their ids. */
const counts: readonly Count[] = [
  [
    'nothing optional costs money',
    'default',
    /^AWS::(?:Backup|Budgets|Route53)::|ApiMapping|::DomainName|::EventBus$/,
    [],
  ],
  ['production has both clients', 'production', /UserPoolClient$/, [/AppClient/, /MachineClient/]],
  ['the client of programs comes on request', 'default', /UserPoolClient$/, [/AppClient/]],
  ['the client of apps needs an address', 'machine only', /UserPoolClient$/, [/MachineClient/]],
  ['each role has a group', 'production', /UserPoolGroup$/, [/viewer/, /editor/]],
  ['without tokens, there are no users', 'no tokens', /Cognito|Authorizer/, []],
  ['another issuer has the users', 'another issuer', /Cognito/, []],
  ['nothing is created in an adopted pool', 'adopted pool', /Cognito/, []],
  [
    'an adopted pool has the alarms of sign-in',
    'adopted pool',
    /Alarm$/,
    [/SigninFails/, /TokensAreRefused/],
  ],
  ['without tokens, none can be refused', 'no tokens', /Alarm$/, []],
  ['failed sign-ins of another issuer are not ours', 'another issuer', /Alarm$/, [/TokensAreRefused/]],
  [
    'failed backups are noticed',
    'machine only',
    /Alarm$/,
    [/BackupsFail/, /SigninFails/, /TokensAreRefused/],
  ],
  ['a vault that exists is not created', 'earlier vault', /BackupVault$/, []],
];

const conditionalAlarms = /^(?:BackupsFail|SigninFails|TokensAreRefused)/;

test.each(counts)('%s (%s)', async (_why, settings, types, ids) => {
  const found = Object.entries(merged(await synthesizeTemplates(variants[settings])))
    .filter(([id, { Type }]) => types.test(Type) && (!Type.endsWith('Alarm') || conditionalAlarms.test(id)))
    .map(([id]) => id);
  expect(found).toHaveLength(ids.length);
  for (const id of ids) expect(found).toContainEqual(expect.stringMatching(id));
});

test('what Cognito has survives the stack except in a disposable stage: apps know the ids of their clients', async () => {
  for (const [settings, policy] of [
    ['production', 'Retain'],
    ['all clients', 'Delete'],
  ] as const) {
    const { data } = await synthesizeTemplates(variants[settings]);
    const own = Object.values(data).filter(({ Type }) => Type.startsWith('AWS::Cognito::'));
    expect(own).toHaveLength(7);
    expect(new Set(own.map(({ DeletionPolicy }) => DeletionPolicy))).toEqual(new Set([policy]));
  }
});

test('a stage that is not disposable has termination protection, and the others keep nothing', async () => {
  const isProtected = async (settings: object) =>
    (await synthesizeTemplates({ ...settings })).hasTerminationProtection;
  expect(await Promise.all([production, {}, { stage: 'development-ada' }].map(isProtected))).toEqual([
    true,
    false,
    false,
  ]);
  const kept = Object.values((await synthesizeTemplates()).data).filter(
    ({ Properties, DeletionPolicy }) =>
      DeletionPolicy === 'Retain' ||
      /"DeletionProtection\w*":(?:true|"ACTIVE")/.test(JSON.stringify(Properties)),
  );
  expect(kept).toEqual([]);
});

test('the preflight reserves as much concurrency as the functions, which reserve none by default', async () => {
  const reserved = async (settings: object): Promise<number[]> =>
    ofType(merged(await synthesizeTemplates({ ...settings })), 'AWS::Lambda::Function').flatMap(
      ([, { Properties }]) => (Properties['ReservedConcurrentExecutions'] as number | undefined) ?? [],
    );
  expect(await reserved({})).toEqual([]);
  const sum = (await reserved(variants.strict)).reduce((one, other) => one + other);
  expect(reservedConcurrency(readSettings(variants.strict))).toBe(sum);
});

test('the ARN of the function that adds the tenant is an output for the one who sets the trigger of an adopted pool', async () => {
  const { data, templates } = await synthesizeTemplates(variants['adopted pool']);
  const [[id]] = ofType(data, 'AWS::Lambda::Function').filter(([one]) => one.includes('claimTenant')) as [
    [string, Resource],
  ];
  expect(templates.data.Outputs).toMatchObject({
    UserPoolId: { Value: userPoolId },
    ClaimTenantArn: { Value: { 'Fn::GetAtt': [id, 'Arn'] } },
  });
});

test('each function with the table may use the key of the owner', async () => {
  const roles = ofType(merged(await synthesizeTemplates(variants['own key'])), 'AWS::IAM::Role').map(
    ([, role]) => JSON.stringify(role),
  );
  const ofTable = roles.filter((role) => role.includes('dynamodb:'));
  expect(ofTable.length).toBeGreaterThan(0);
  expect(ofTable.filter((role) => !role.includes(encryptionKey))).toEqual([]);
});

test('each role has the permission boundary', async () => {
  const permissionBoundary = 'arn:aws:iam::123456789012:policy/boundary';
  const roles = ofType(
    merged(await synthesizeTemplates({ permissionBoundary, backupDays: 7 })),
    'AWS::IAM::Role',
  );
  expect(roles.length).toBeGreaterThan(routes.length);
  expect(new Set(roles.map(([, { Properties }]) => Properties['PermissionsBoundary']))).toEqual(
    new Set([permissionBoundary]),
  );
});
