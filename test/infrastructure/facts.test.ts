import { scopeOf } from '#functions/contract/contract.ts';
import { table } from '#functions/engine/model/table.ts';
import { routes } from '#functions/routes.ts';
import { crossOrigin } from '#lib/hosting/cors.ts';
import { streamRetries } from '#lib/hosting/functions.ts';
import { readSettings } from '#lib/infrastructure/read-settings.ts';
import { reservedConcurrency } from '#lib/preflight/concurrency.ts';
import { type Combination, combinations } from './combinations.ts';
import { ofType, stacksOf, synthesizeTemplates } from './stacks.ts';
import type { Resource } from './synthesis.ts';

/** Facts of resources: what data outlives, what is safe, what jobs survive, and what each optional setting adds. */

const { encryptionKey, userPoolId } = combinations['adopted pool'];
const { permissionsBoundary, tableStreamArn } = combinations['restored table'];

const keySchema = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

const scopes = ['all-projects', ...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? []))];

const keys = (eventName: readonly string[], sk: unknown) => ({
  Pattern: JSON.stringify({ eventName, dynamodb: { Keys: { sk: { S: [sk] } } } }),
});

const toDeadLetters = { OnFailure: { Destination: '<DeadLetters.Arn>' } };

/** What both readers of the stream have: a record that always fails blocks its shard until its retries are used up. */
const reader = {
  BisectBatchOnFunctionError: true,
  MaximumRecordAgeInSeconds: 3_600,
  MaximumRetryAttempts: streamRetries,
  ParallelizationFactor: 10,
  StartingPosition: 'LATEST',
};

const ofLogRecords = { ...reader, FilterCriteria: { Filters: [keys(['INSERT'], { prefix: 'r#' })] } };

const client = {
  PreventUserExistenceErrors: 'ENABLED',
  WriteAttributes: ['email'],
};

const variables = (Variables: object) => ({ Environment: { Variables } });

/** Properties of resources, and their deletion policy, by the settings, the id of the resource, and why it must be so. */
const facts: Partial<Record<Combination, Record<string, Record<string, object>>>> = {
  default: {
    AccountsPoolAppClient: {
      'a disposable stage redirects to the machine of a user': {
        CallbackURLs: ['http://localhost:3000/', 'http://localhost:8976/'],
      },
    },
    AccountsclaimTenantFunction: { 'users without a role keep their scopes': { Environment: undefined } },
    AccountsPool: { 'Cognito sends the mails of a small stage': { EmailConfiguration: undefined } },
    ApiAuthorizer: {
      'tokens are of the own pool': {
        AuthorizerType: 'JWT',
        IdentitySource: ['$request.header.Authorization'],
        JwtConfiguration: {
          Audience: ['<AccountsPoolAppClient>'],
          Issuer: 'https://cognito-idp.<AWS::Region>.<AWS::URLSuffix>/<AccountsPool>',
        },
      },
    },
    Api: {
      'browsers may send what they may send to the local gateway': {
        CorsConfiguration: {
          AllowOrigins: ['*'],
          AllowMethods: crossOrigin.methods,
          AllowHeaders: crossOrigin.requestHeaders,
          ExposeHeaders: crossOrigin.exposedHeaders,
          MaxAge: crossOrigin.maxAgeSeconds,
        },
      },
    },
    ApiStage: {
      'all callers together have a limit': {
        DefaultRouteSettings: { ThrottlingBurstLimit: 1_000, ThrottlingRateLimit: 500 },
      },
      'the access log has no query string, no token and no IP address': {
        AccessLogSettings: {
          DestinationArn: expect.stringMatching(
            /:log-group:\/aws\/vendedlogs\/project-management-development:\*$/,
          ),
          Format: expect.not.stringMatching(/sourceIp|claims|query/i),
        },
      },
    },
    Stream: {
      'jobs start when they are created, and when they are woken': {
        ...reader,
        FunctionName: '<onStreamFunction>',
        EventSourceArn: '<Table.StreamArn>',
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        DestinationConfig: toDeadLetters,
        FilterCriteria: { Filters: [keys(['INSERT'], 'job'), keys(['INSERT', 'MODIFY'], 'wake-up')] },
      },
    },
    LogRecords: {
      'new records are announced at once, and a call that fails is repeated': {
        ...ofLogRecords,
        FunctionName: '<onLogRecordsFunction>',
        EventSourceArn: '<Table.StreamArn>',
        BatchSize: 1_000,
        MaximumBatchingWindowInSeconds: 0,
        FunctionResponseTypes: undefined,
        DestinationConfig: toDeadLetters,
      },
    },
    Schedule: {
      'what is due is done every minute': {
        ScheduleExpression: 'rate(1 minute)',
        Targets: [{ Arn: '<onScheduleFunction.Arn>' }],
      },
    },
    onScheduleFunctionEventInvokeConfig: {
      // EventBridge sees no failure: Lambda accepts the event and calls the function later.
      'a schedule that fails is noticed': {
        FunctionName: '<onScheduleFunction>',
        MaximumRetryAttempts: 2,
        MaximumEventAgeInSeconds: 300,
        DestinationConfig: toDeadLetters,
      },
    },
    DeadLetters: { 'dead letters are encrypted': { SqsManagedSseEnabled: true } },
  },
  production: {
    Table: {
      'the store finds its keys and indexes': {
        KeySchema: keySchema(table.partitionKey, table.sortKey),
        GlobalSecondaryIndexes: Object.entries(table.indexes).map(([IndexName, index]) => ({
          IndexName,
          KeySchema: keySchema(index.partitionKey, index.sortKey),
          Projection: { ProjectionType: 'ALL' },
        })),
      },
      'DynamoDB deletes expired items': {
        TimeToLiveSpecification: { AttributeName: table.timeToLive, Enabled: true },
      },
      'readers of the stream see no entity': { StreamSpecification: { StreamViewType: 'KEYS_ONLY' } },
      'an idle table costs nothing': { BillingMode: 'PAY_PER_REQUEST' },
      'the key that AWS owns costs nothing, that of KMS does': { SSESpecification: { SSEEnabled: false } },
      'the table survives its stack, its deletion and wrong writes': {
        DeletionPolicy: 'Retain',
        Replicas: [
          {
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          },
        ],
      },
    },
    AccountsPool: {
      'the user pool survives': { DeletionPolicy: 'Retain', DeletionProtection: 'ACTIVE' },
      'addresses ignore case, and stay until the new one is confirmed': {
        UsernameConfiguration: { CaseSensitive: false },
        UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
      },
      'users may have a second factor': { MfaConfiguration: 'OPTIONAL', EnabledMfas: ['SOFTWARE_TOKEN_MFA'] },
      'mails have the sender of the settings': {
        EmailConfiguration: {
          EmailSendingAccount: 'DEVELOPER',
          From: 'no-reply@example.com',
          SourceArn: 'arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/example.com',
        },
      },
      'nobody signs up: they would be a new tenant': {
        AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      },
      'users and their access tokens have a tenant': {
        Schema: expect.arrayContaining([expect.objectContaining({ Name: 'tenant' })]),
        LambdaConfig: { PreTokenGenerationConfig: { LambdaVersion: 'V3_0' } },
      },
    },
    AccountsPoolResourceServer: {
      'the pool has the scopes of the operations, and no others': {
        Scopes: scopes.toSorted().map((ScopeName) => ({ ScopeName })),
      },
    },
    AccountsPoolAppClient: {
      'users do not write their tenant': client,
      'a refresh token is used once, and callers without credentials of AWS have no flow but the page': {
        ExplicitAuthFlows: ['ALLOW_ADMIN_USER_PASSWORD_AUTH'],
        RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 60 },
      },
      'production redirects to no machine of a user': {
        CallbackURLs: ['https://app.example.com/', 'com.example.app://signed-in'],
      },
    },
    AccountsPoolMachineClient: {
      'programs do not write their tenant either, and have no flow for users': {
        ...client,
        ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
        RefreshTokenRotation: undefined,
      },
      'tokens of programs cost money, so they live for a day': {
        AccessTokenValidity: 1_440,
        TokenValidityUnits: { AccessToken: 'minutes' },
      },
    },
    FunctionLog: {
      'functions log to one group, which does not cost more every month': {
        LogGroupName: 'project-management-production',
        RetentionInDays: 30,
      },
    },
    AccessLog: {
      'the gateway logs to a group whose policy AWS shares': {
        LogGroupName: '/aws/vendedlogs/project-management-production',
        RetentionInDays: 30,
      },
    },
    BackupPlan: {
      'backups are kept as long as the settings say': {
        BackupPlan: { BackupPlanRule: [{ Lifecycle: { DeleteAfterDays: 90 } }] },
      },
      'copies are kept in another account for as long': {
        BackupPlan: {
          BackupPlanName: 'project-management-production',
          BackupPlanRule: [
            {
              CopyActions: [
                {
                  DestinationBackupVaultArn: combinations.production.backupCopyVaultArn,
                  Lifecycle: { DeleteAfterDays: 90 },
                },
              ],
            },
          ],
        },
      },
    },
    Backups: { 'backups outlive the stack': { DeletionPolicy: 'RetainExceptOnCreate' } },
    BackupPlanTable: {
      'the table is what is backed up': {
        BackupSelection: { Resources: [expect.stringMatching(/:table\/project-management-production$/)] },
      },
    },
    Budget: {
      'a budget mails the address for alarms': {
        Budget: { BudgetLimit: { Amount: 50, Unit: 'USD' } },
        NotificationsWithSubscribers: expect.arrayContaining([
          expect.objectContaining({
            Subscribers: [{ Address: 'ops@example.com', SubscriptionType: 'EMAIL' }],
          }),
        ]),
      },
    },
    ApiStage: {
      'the access log can have the address of the caller': {
        AccessLogSettings: { Format: expect.stringContaining('"sourceIp":"$context.identity.sourceIp"') },
      },
    },
    listTasksFunction: { 'traces are complete': { TracingConfig: { Mode: 'Active' } } },
    EventBus: { 'the bus has the name of the stage': { Name: 'project-management-production' } },
    EventArchive: {
      'the archive keeps the events of the bus as long as records live': {
        ArchiveName: 'project-management-production',
        SourceArn: '<EventBus.Arn>',
        RetentionDays: 30,
        EventPattern: { source: ['project-management'] },
      },
    },
    LogRecords: {
      'events are published as soon as changes are announced, in batches of their size': {
        ...ofLogRecords,
        BatchSize: 100,
        MaximumBatchingWindowInSeconds: 2,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
    onLogRecordsFunction: {
      'the function that compacts also publishes': variables({
        EVENT_BUS_NAME: 'project-management-production',
        UNPUBLISHED_QUEUE_URL: '<UnpublishedEvents>',
      }),
    },
    UnpublishedEvents: {
      'unpublished events are kept for two weeks, with an attempt each three minutes': {
        SqsManagedSseEnabled: true,
        MessageRetentionPeriod: 14 * 86_400,
        VisibilityTimeout: 180,
      },
    },
    Unpublished: {
      'unpublished events are published again, by two calls at the same time at most': {
        EventSourceArn: '<UnpublishedEvents.Arn>',
        BatchSize: 1,
        ScalingConfig: { MaximumConcurrency: 2 },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
    readAuthorizationFunction: {
      'agents sign in at the page of the pool, with the scopes of its tokens': {
        Environment: {
          Variables: expect.objectContaining({
            API_URL: '<Api.ApiEndpoint>',
            ISSUER: 'https://cognito-idp.<AWS::Region>.<AWS::URLSuffix>/<AccountsPool>',
            SIGN_IN_URL:
              'https://project-management-production-<AWS::AccountId>.auth.<AWS::Region>.amazoncognito.com',
            SCOPES: expect.stringMatching(
              /^project-management\/all-projects,.*project-management\/users:write$/,
            ),
          }),
        },
      },
    },
    CanaryClient: {
      'the canary may change tags, and has tokens of its own for a day': {
        AllowedOAuthFlows: ['client_credentials'],
        AllowedOAuthScopes: ['project-management/tags:read', 'project-management/tags:write'],
        GenerateSecret: true,
        AccessTokenValidity: 24,
      },
    },
    useServiceFunction: {
      'the canary uses the public address, with a client of the pool': {
        Environment: {
          Variables: {
            API_URL: '<Api.ApiEndpoint>',
            TOKEN_URL:
              'https://project-management-production-<AWS::AccountId>.auth.<AWS::Region>.amazoncognito.com/oauth2/token',
            CLIENT_ID: '<CanaryClient>',
            CLIENT_SECRET: '<CanaryClient.ClientSecret>',
          },
        },
      },
    },
    EventsAreNotPublished: {
      'unpublished events are noticed, also between two attempts': {
        Metrics: expect.arrayContaining(
          ['Visible', 'NotVisible'].map((state) =>
            expect.objectContaining({
              MetricStat: expect.objectContaining({
                Metric: expect.objectContaining({ MetricName: `ApproximateNumberOfMessages${state}` }),
              }),
            }),
          ),
        ),
      },
    },
  },
  'without tokens': {
    RequestsFail: {
      'alarms can go to a topic of the owner': {
        AlarmActions: ['arn:aws:sns:eu-central-1:123456789012:urgent'],
      },
    },
    LogRecords: {
      'without announcements, logs are compacted at most four times a minute': {
        ...ofLogRecords,
        BatchSize: 1_000,
        MaximumBatchingWindowInSeconds: 15,
      },
    },
    Api: {
      'pages of other origins are refused': {
        CorsConfiguration: { AllowOrigins: ['https://app.example.com'] },
      },
    },
  },
  'another issuer': {
    serveToolsFunction: {
      'the tools of agents call the domain': {
        Environment: { Variables: { API_URL: 'https://api.example.com', ALLOWED_ORIGINS: '*' } },
      },
    },
    useServiceFunction: {
      'the canary has the client of the settings, whose secret is read at the deployment, and the address of the domain':
        {
          Environment: {
            Variables: {
              API_URL: 'https://api.example.com',
              ...Object.fromEntries(
                Object.entries({
                  TOKEN_URL: 'tokenUrl',
                  CLIENT_ID: 'clientId',
                  CLIENT_SECRET: 'clientSecret',
                }).map(([name, field]) => [
                  name,
                  `{{resolve:secretsmanager:${combinations['another issuer'].canaryClient}:SecretString:${field}::}}`,
                ]),
              ),
            },
          },
        },
    },
    ApiAuthorizer: {
      'the tokens of another issuer are accepted': {
        JwtConfiguration: { Audience: ['api', 'other'], Issuer: 'https://issuer.example.com/' },
      },
    },
    GETv1tasks: { 'its scopes have no prefix': { AuthorizationScopes: ['tasks:read'] } },
    listTasksFunction: { 'its claim is the tenant': variables({ TENANT_CLAIM: 'org_id', SCOPE_PREFIX: '' }) },
    Api: { 'the address of AWS is no second entrance': { DisableExecuteApiEndpoint: true } },
    Mapping: { 'the domain serves the API': { DomainName: 'api.example.com', Stage: '$default' } },
    Domain: { 'the domain is known': { DomainName: 'api.example.com' } },
    Record: { 'the domain has an address': { Name: 'api.example.com', Type: 'A' } },
    Alarms: {
      'resources have the tags of the owner': {
        Tags: [
          { Key: 'application', Value: 'project-management' },
          { Key: 'cost-centre', Value: '4=2' },
          { Key: 'stage', Value: 'development-ada' },
          { Key: 'team', Value: 'platform' },
        ],
      },
    },
  },
  'adopted pool': {
    ApiAuthorizer: {
      'the tokens of an adopted pool are accepted': {
        JwtConfiguration: {
          Audience: ['app', 'machine'],
          Issuer: expect.stringMatching(new RegExp(`/${userPoolId}$`)),
        },
      },
    },
    AccountsclaimTenantFunctionCognito: {
      'the adopted pool, and no other, may call the function that adds the tenant': {
        Principal: 'cognito-idp.amazonaws.com',
        SourceArn: expect.stringMatching(new RegExp(`:userpool/${userPoolId}$`)),
      },
    },
    AccountsclaimTenantFunction: {
      'users without a role lose their scopes on request': variables({ REQUIRE_GROUP: 'true' }),
    },
    Table: {
      'a key of the owner encrypts the table': {
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
        Replicas: [{ SSESpecification: { KMSMasterKeyId: encryptionKey } }],
      },
    },
  },
  'restored table': {
    BackupPlan: {
      'backups can go to a vault that exists': {
        BackupPlan: { BackupPlanRule: [{ TargetBackupVault: 'earlier' }] },
      },
      'copies of backups come on request': {
        BackupPlan: {
          BackupPlanRule: [expect.not.objectContaining({ CopyActions: expect.anything() })],
        },
      },
    },
    BackupPlanTable: {
      'the restored table is what is backed up': {
        BackupSelection: { Resources: [expect.stringMatching(/:table\/restored$/)] },
      },
    },
    Stream: { 'jobs start from its stream': { EventSourceArn: tableStreamArn } },
    LogRecords: { 'its records are compacted': { EventSourceArn: tableStreamArn } },
    listTasksFunction: {
      'tenants can have no limit': variables(expect.not.objectContaining({ TENANT_RATE: expect.anything() })),
    },
    Table: { 'the stack keeps its own table': { TableName: 'project-management-production' } },
    AccountsPool: { 'a second factor can be refused': { MfaConfiguration: 'OFF' } },
  },
  strict: {
    AccountsPool: { 'a second factor can be required': { MfaConfiguration: 'ON' } },
    AccountsclaimTenantFunction: { 'sign-in keeps its executions': { ReservedConcurrentExecutions: 5 } },
    onScheduleFunction: { 'the schedule keeps its executions': { ReservedConcurrentExecutions: 1 } },
    onStreamFunction: {
      'jobs keep their executions': { ReservedConcurrentExecutions: 20 },
      'jobs have the settings': variables({ JOB_CHANGES_PER_SECOND: '20', HISTORY_DAYS: '7' }),
    },
    createProjectFunction: {
      'administrators alone make private projects': variables({ CLOSE_PROJECTS: 'all-projects' }),
    },
    onLogRecordsFunction: {
      'compaction keeps its executions': { ReservedConcurrentExecutions: 20 },
      'fillers live as long as records': variables({ HISTORY_DAYS: '7' }),
    },
    createTaskFunction: {
      'requests have no metrics': variables(
        expect.not.objectContaining({ REQUEST_METRICS: expect.anything() }),
      ),
    },
    FunctionLog: { 'the owner says how long logs are kept': { RetentionInDays: 365 } },
    ApiStage: {
      'open routes have no higher limit than the others': {
        DefaultRouteSettings: { ThrottlingRateLimit: 1, ThrottlingBurstLimit: 1 },
        RouteSettings: { 'GET /v1/health': { ThrottlingRateLimit: 1, ThrottlingBurstLimit: 1 } },
      },
    },
    // API Gateway can refuse every later update of a stage that has settings of a route which is gone.
    GETdocs: {
      'without documentation, its routes respond as those that do not exist': {
        Target: expect.stringContaining('rejectUnmatched'),
      },
    },
    rejectUnmatchedFunction: {
      'without documentation, it is no route of a 405': variables({
        ROUTES: expect.not.stringContaining('/docs'),
      }),
    },
  },
};

const rows = Object.entries(facts).flatMap(([settings, resources]) =>
  Object.entries(resources).flatMap(([id, reasons]) =>
    Object.entries(reasons).map(
      ([why, properties]) => [why, settings as Combination, id, properties] as const,
    ),
  ),
);

test.each(rows)('%s (%s: %s)', async (_why, settings, id, properties) => {
  const { resources } = await stacksOf(settings);
  const { Properties, DeletionPolicy } = resources[id] as Resource;
  const all: Record<string, unknown> = { ...Properties, DeletionPolicy };
  const found = Object.fromEntries(Object.keys(properties).map((name) => [name, all[name]]));
  expect(found).toMatchObject(properties);
});

/** The ids of the resources of some types. */
const resourcesByType: readonly (readonly [
  why: string,
  settings: Combination,
  types: RegExp,
  ids: readonly string[],
])[] = [
  [
    'nothing optional costs money',
    'default',
    /::(?:Backup|Budgets|Route53)::|::ApiMapping|::DomainName|::EventBus$/,
    [],
  ],
  ['announcements can be off', 'strict', /AppSync/, []],
  ['without tokens, nobody could subscribe', 'without tokens', /AppSync/, []],
  ['the topic of the owner is the only one', 'without tokens', /::SNS::/, []],
  ['the client of programs comes on request', 'default', /::UserPoolClient$/, ['AccountsPoolAppClient']],
  [
    'the client of apps needs an address',
    'restored table',
    /::UserPoolClient$/,
    ['AccountsPoolMachineClient', 'CanaryClient'],
  ],
  [
    'each role has a group',
    'production',
    /::UserPoolGroup$/,
    ['AccountsPooladmin', 'AccountsPooleditor', 'AccountsPoolviewer'],
  ],
  ['without tokens, there are no users', 'without tokens', /Cognito|Authorizer/, []],
  ['another issuer has the users', 'another issuer', /Cognito/, []],
  ['nothing is created in an adopted pool', 'adopted pool', /Cognito/, []],
  ['a vault that exists is not created', 'restored table', /BackupVault$/, []],
  ['no policy is a resource of its own', 'production', /::IAM::Policy$|^Custom::/, []],
];

test.each(resourcesByType)('%s (%s)', async (_why, settings, types, ids) => {
  const { resources } = await stacksOf(settings);
  const found = Object.entries(resources).flatMap(([id, { Type }]) => (types.test(Type) ? id : []));
  expect(found.sort()).toEqual(ids);
});

test.each<[string, Combination, readonly string[]]>([
  [
    'all kinds',
    'production',
    [
      'BackupsFail',
      'CopiesOfBackupsFail',
      'EventsAreNotPublished',
      'PokesAreLost',
      'SignInFails',
      'TokensAreRefused',
    ],
  ],
  ['of sign-in, with an adopted pool', 'adopted pool', ['PokesAreLost', 'SignInFails', 'TokensAreRefused']],
  ['of tokens alone, with another issuer', 'another issuer', ['PokesAreLost', 'TokensAreRefused']],
  ['none, without tokens', 'without tokens', []],
])('alarms that depend on settings: %s', async (_, settings, expected) => {
  const alarms = ofType((await stacksOf(settings)).resources, 'AWS::CloudWatch::Alarm').map(([id]) => id);
  expect(alarms.filter((id) => /Backups|NotPublished|Pokes|SignIn|Tokens/.test(id)).sort()).toEqual(expected);
});

test('a stage without alarms has no topic for them, and no graphs of them', async () => {
  const { resources } = await stacksOf('strict');
  for (const type of ['AWS::CloudWatch::Alarm', 'AWS::SNS::Topic'])
    expect(ofType(resources, type)).toEqual([]);
  expect(JSON.stringify(ofType(resources, 'AWS::CloudWatch::Dashboard'))).not.toContain(':alarm:');
});

test.each<[Combination, Record<string, unknown>]>([
  [
    'default',
    {
      Url: '<Api.ApiEndpoint>',
      DocsUrl: '<Api.ApiEndpoint>/docs',
      AlarmTopicArn: '<Alarms>',
      DeadLettersUrl: '<DeadLetters>',
    },
  ],
  [
    'another issuer',
    {
      Url: 'https://api.example.com',
      DocsUrl: 'https://api.example.com/docs',
      // For the one who creates the record of the domain.
      LiveDomainTarget: expect.stringContaining('AppSyncDomainName'),
    },
  ],
  ['strict', { DocsUrl: undefined, AlarmTopicArn: undefined }],
  // For the one who sets the trigger of the pool.
  ['adopted pool', { UserPoolId: userPoolId, ClaimTenantArn: '<AccountsclaimTenantFunction.Arn>' }],
  ['production', { EventBusName: 'project-management-production', LiveDomainTarget: undefined }],
  ['restored table', { TableName: 'restored' }],
])('the outputs of %s', async (settings, expected) => {
  const { outputs } = await stacksOf(settings);
  const names = Object.keys(expected);
  expect(Object.fromEntries(names.map((name) => [name, outputs[name]?.Value]))).toEqual(expected);
});

test('what Cognito has survives the stack except in a disposable stage: apps know the ids of their clients', async () => {
  for (const [settings, count, policy, ofPool] of [
    // A first deployment that fails leaves the pool behind, because nobody can delete it: it has deletion protection.
    ['production', 7, 'RetainExceptOnCreate', 'Retain'],
    ['default', 6, 'Delete', 'Delete'],
  ] as const) {
    const { AccountsPool, ...others } = (await stacksOf(settings)).resources;
    const own = Object.values(others).filter(({ Type }) => Type.startsWith('AWS::Cognito::'));
    expect(own.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(Array(count).fill(policy));
    expect(AccountsPool?.DeletionPolicy).toBe(ofPool);
  }
});

test('a stage that is not disposable has termination protection, and the others keep nothing', async () => {
  const [production, ada, disposable] = await Promise.all(
    [combinations.production, combinations['another issuer'], {}].map((one) => synthesizeTemplates(one)),
  );
  const isProtected = [production, ada, disposable].map((one) => one?.hasTerminationProtection);
  expect(isProtected).toEqual([true, false, false]);
  const kept = Object.values(disposable?.data ?? {}).filter(
    ({ Properties, DeletionPolicy }) =>
      DeletionPolicy === 'Retain' ||
      /"DeletionProtection\w*":(?:true|"ACTIVE")/.test(JSON.stringify(Properties)),
  );
  expect(kept).toEqual([]);
});

test.each<[Combination, string]>([
  ['default', 'aws://unknown-account/unknown-region'],
  ['adopted pool', 'aws://123456789012/eu-central-1'],
])('both stacks of %s are of the account and the region of the settings', async (settings, environment) => {
  const { environments } = await synthesizeTemplates(combinations[settings]);
  expect(environments).toEqual([environment, environment]);
});

test('the preflight reserves as much concurrency as the functions, which reserve none by default', async () => {
  const reserved = async (settings: Combination): Promise<number[]> =>
    ofType((await stacksOf(settings)).resources, 'AWS::Lambda::Function').flatMap(
      ([, { Properties }]) => (Properties['ReservedConcurrentExecutions'] as number | undefined) ?? [],
    );
  expect(await reserved('default')).toEqual([]);
  const sum = (await reserved('strict')).reduce((one, other) => one + other);
  expect(reservedConcurrency(readSettings(combinations.strict))).toBe(sum);
});

test.each<[Combination, readonly string[]]>([
  // It opens a session, as each operation with a token does. A stage without limits of tenants has no permission for it.
  ['default', ['readLiveFunction']],
  ['production', []],
  ['without tokens', []],
])('functions without a permission for the table do not know its name (%s)', async (settings, exceptions) => {
  const { resources } = await stacksOf(settings);
  const named = ofType(resources, 'AWS::Lambda::Function').filter(([, { Properties }]) =>
    JSON.stringify(Properties['Environment'] ?? {}).includes('TABLE_NAME'),
  );
  expect(named.length).toBeGreaterThan(50);
  const withoutPermission = named.filter(([, { Properties }]) => {
    const [, role = ''] = /^<(\w+)\.Arn>$/.exec(String(Properties['Role'])) ?? [];
    return !JSON.stringify(resources[role]).includes('dynamodb:');
  });
  expect(withoutPermission.map(([id]) => id)).toEqual(exceptions);
});

test.each<[string, Combination, (role: string) => unknown]>([
  [
    'with the table may use the key of the owner, by DynamoDB alone, and no other role may',
    'adopted pool',
    (role) =>
      role.includes('dynamodb:') === role.includes(encryptionKey) &&
      role.includes('kms:') === role.includes('"kms:ViaService":"dynamodb.'),
  ],
  [
    'has the permissions boundary',
    'restored table',
    (role) => role.includes(`"PermissionsBoundary":"${permissionsBoundary}"`),
  ],
  [
    'allows tracing',
    'production',
    (role) => !role.includes('lambda.amazonaws.com') || role.includes('xray:PutTraceSegments'),
  ],
])('each role %s (%s)', async (_, settings, isRight) => {
  const roles = ofType((await stacksOf(settings)).resources, 'AWS::IAM::Role');
  expect(roles.length).toBeGreaterThan(15);
  expect(roles.flatMap(([id, role]) => (isRight(JSON.stringify(role)) ? [] : id))).toEqual([]);
});
