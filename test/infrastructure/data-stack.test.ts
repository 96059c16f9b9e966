import { scopeOf } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';
import { table } from '#functions/store/model/table.ts';
import { readSettings } from '#lib/infrastructure/read-settings.ts';
import { reservedConcurrency } from '#lib/preflight/concurrency.ts';
import { ofType, synthesizeTemplates } from './stacks.ts';
import type { Resource, Resources, Synthesized } from './synthesis.ts';

const keySchema = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

/** A stage that keeps its data, with both clients. */
const production = {
  stage: 'production',
  callbackUrls: 'https://app.example.com/',
  machineClient: true,
  alarmEmail: 'none',
};

let resources: Resources;

beforeAll(async () => {
  resources = (await synthesizeTemplates(production)).data;
});

const one = (type: string): Resource => {
  const found = ofType(resources, type);
  expect(found).toHaveLength(1);
  return (found[0] as [string, Resource])[1];
};

describe('the table', () => {
  const type = 'AWS::DynamoDB::GlobalTable';

  test('has the keys and indexes of the store', () => {
    expect(one(type).Properties['KeySchema']).toEqual(keySchema(table.partitionKey, table.sortKey));
    expect(one(type).Properties['GlobalSecondaryIndexes']).toEqual(
      Object.entries(table.indexes).map(([IndexName, { partitionKey, sortKey }]) => ({
        IndexName,
        KeySchema: keySchema(partitionKey, sortKey),
        Projection: { ProjectionType: 'ALL' },
      })),
    );
  });

  test('has a time to live and a stream', () => {
    expect(one(type).Properties['TimeToLiveSpecification']).toEqual({
      AttributeName: table.timeToLive,
      Enabled: true,
    });
    expect(one(type).Properties['StreamSpecification']).toEqual({ StreamViewType: 'KEYS_ONLY' });
  });

  test('is billed per request', () => {
    expect(one(type).Properties['BillingMode']).toBe('PAY_PER_REQUEST');
  });

  test('is encrypted with a key that AWS owns and that costs nothing', () => {
    // DynamoDB encrypts every table. With `true`, it would use a key of KMS in this account.
    expect(one(type).Properties['SSESpecification']).toEqual({ SSEEnabled: false });
  });

  test('survives its deletion, the deletion of the stack and wrong writes', () => {
    expect(one(type).DeletionPolicy).toBe('Retain');
    expect(one(type).Properties['Replicas']).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    ]);
  });
});

describe('the user pool', () => {
  test('survives its deletion and the deletion of the stack', () => {
    const pool = one('AWS::Cognito::UserPool');
    expect(pool.DeletionPolicy).toBe('Retain');
    expect(pool.Properties['DeletionProtection']).toBe('ACTIVE');
  });

  test('ignores case in addresses, keeps an address until its new one is confirmed, and offers a second factor', () => {
    expect(one('AWS::Cognito::UserPool').Properties).toMatchObject({
      UsernameConfiguration: { CaseSensitive: false },
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
      MfaConfiguration: 'OPTIONAL',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
    });
  });

  test('has no sign-up, and users cannot write their tenant', () => {
    const { Properties } = one('AWS::Cognito::UserPool');
    expect(Properties['AdminCreateUserConfig']).toEqual({ AllowAdminCreateUserOnly: true });
    expect(Properties['Schema']).toContainEqual(expect.objectContaining({ Name: 'tenant' }));
    for (const [, client] of ofType(resources, 'AWS::Cognito::UserPoolClient')) {
      expect(client.Properties['WriteAttributes']).toEqual(['email']);
    }
  });

  test('has the scopes of all operations', () => {
    const scopes = one('AWS::Cognito::UserPoolResourceServer').Properties['Scopes'] as {
      ScopeName: string;
    }[];
    const asked = routes.flatMap(({ contract }) => scopeOf(contract) ?? []);
    expect(scopes.map(({ ScopeName }) => ScopeName).sort()).toEqual([...new Set(asked)].sort());
  });

  test('adds the tenant to access tokens', () => {
    const { LambdaConfig } = one('AWS::Cognito::UserPool').Properties as {
      LambdaConfig: { PreTokenGenerationConfig: { LambdaVersion: string } };
    };
    expect(LambdaConfig.PreTokenGenerationConfig.LambdaVersion).toBe('V3_0');
  });

  test('has a group for each role, whose members are data', async () => {
    const groups = (from: Resources) =>
      ofType(from, 'AWS::Cognito::UserPoolGroup').map(([, { Properties, DeletionPolicy }]) => [
        Properties['GroupName'],
        DeletionPolicy,
      ]);
    expect(groups(resources)).toEqual([
      ['viewer', 'Retain'],
      ['editor', 'Retain'],
    ]);
    expect(groups((await synthesizeTemplates()).data)).toEqual([
      ['viewer', 'Delete'],
      ['editor', 'Delete'],
    ]);
  });

  test('takes all scopes from users without a role only if the setting says so', async () => {
    const variables = (from: Resources): unknown[] =>
      ofType(from, 'AWS::Lambda::Function')
        .filter(([id]) => id.includes('claimTenant'))
        .map(
          ([, { Properties }]) =>
            (Properties['Environment'] as { Variables?: object } | undefined)?.Variables,
        );
    expect(variables(resources)).toEqual([undefined]);
    expect(variables((await synthesizeTemplates({ requireGroup: true })).data)).toEqual([
      { REQUIRE_GROUP: 'true' },
    ]);
    await expect(synthesizeTemplates({ authentication: 'none', requireGroup: true })).rejects.toThrow(
      'requireGroup',
    );
  });

  test.each(['none', 'https://issuer.example.com/'])(
    'are not made with authentication %s',
    async (authentication) => {
      const audience = authentication === 'none' ? '' : 'api';
      const { data } = await synthesizeTemplates({ authentication, audience });
      expect(Object.values(data).filter(({ Type }) => Type.startsWith('AWS::Cognito::'))).toEqual([]);
    },
  );
});

describe('the clients', () => {
  const clients = (from: Resources) =>
    Object.fromEntries(
      ofType(from, 'AWS::Cognito::UserPoolClient').map(([id, { Properties }]) => [
        /App|Machine/.exec(id)?.[0],
        Properties,
      ]),
    );

  test('allow no flow that nobody asked for, and hide which users exist', () => {
    for (const client of Object.values(clients(resources))) {
      expect(client).toMatchObject({
        ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
        PreventUserExistenceErrors: 'ENABLED',
      });
    }
  });

  test('redirect to no page on the machine of a user, except in a disposable stage', async () => {
    expect(clients(resources)['App']).toMatchObject({ CallbackURLs: ['https://app.example.com/'] });
    const { data } = await synthesizeTemplates();
    expect(clients(data)['App']).toMatchObject({
      CallbackURLs: ['http://localhost:3000/', 'http://localhost:8976/'],
    });
  });

  test('include the one for programs only when asked for, with tokens for a day', async () => {
    expect(clients(resources)['Machine']).toMatchObject({
      AccessTokenValidity: 1_440,
      TokenValidityUnits: { AccessToken: 'minutes' },
    });
    expect(Object.keys(clients((await synthesizeTemplates()).data))).toEqual(['App']);
    const { data } = await synthesizeTemplates({
      stage: 'production',
      machineClient: true,
      alarmEmail: 'none',
    });
    expect(Object.keys(clients(data))).toEqual(['Machine']);
  });

  test('allow SRP when asked for', async () => {
    const { data } = await synthesizeTemplates({ srpSignIn: true });
    expect(clients(data)['App']).toMatchObject({
      ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH', 'ALLOW_USER_SRP_AUTH'],
    });
  });
});

describe('reserved concurrency', () => {
  const reservedBy = (from: Resources): Record<string, unknown> =>
    Object.fromEntries(
      ofType(from, 'AWS::Lambda::Function').map(([id, { Properties }]) => [
        /claimTenant|onStream|onLogRecords|onSchedule/.exec(id)?.[0],
        Properties['ReservedConcurrentExecutions'],
      ]),
    );

  test('is off by default: a new account has ten executions', () => {
    expect(new Set(Object.values(reservedBy(resources)))).toEqual(new Set([undefined]));
  });

  test('is set for sign-in, the schedule, and each function of the stream', async () => {
    const settings = { signInConcurrency: 5, scheduleConcurrency: 1, streamConcurrency: 20 };
    expect(reservedBy((await synthesizeTemplates(settings)).data)).toEqual({
      claimTenant: 5,
      onSchedule: 1,
      onStream: 20,
      onLogRecords: 20,
    });
    const functions = Object.keys(reservedBy(resources)).length;
    expect(reservedConcurrency(readSettings(settings))).toBe(5 + 1 + (functions - 2) * 20);
  });
});

test('all that Cognito has survives the deletion of the stack, because apps know the ids of their clients', async () => {
  const policies = (from: Resources): [string, unknown][] =>
    Object.values(from)
      .filter(({ Type }) => Type.startsWith('AWS::Cognito::'))
      .map(({ Type, DeletionPolicy }) => [Type.replace('AWS::Cognito::', ''), DeletionPolicy]);
  const kinds = [
    'UserPool',
    'UserPoolClient',
    'UserPoolClient',
    'UserPoolDomain',
    'UserPoolGroup',
    'UserPoolGroup',
    'UserPoolResourceServer',
  ];
  expect(policies(resources).sort()).toEqual(kinds.map((kind) => [kind, 'Retain']));
  const { data } = await synthesizeTemplates({ machineClient: true });
  expect(policies(data).sort()).toEqual(kinds.map((kind) => [kind, 'Delete']));
});

describe('an existing user pool', () => {
  const userPoolId = 'eu-central-1_a1B2c3D4e';
  let adopted: Synthesized;

  beforeAll(async () => {
    const { callbackUrls: _, machineClient: __, ...settings } = production;
    adopted = await synthesizeTemplates({
      ...settings,
      userPoolId,
      audience: 'app,machine',
      requireGroup: true,
    });
  });

  test('is used as it is: nothing is created in it', () => {
    const { data, api } = adopted;
    const types = Object.values({ ...data, ...api }).map(({ Type }) => Type);
    expect(types.filter((type) => type.startsWith('AWS::Cognito::'))).toEqual([]);
    const [[, authorizer]] = ofType(api, 'AWS::ApiGatewayV2::Authorizer') as [[string, Resource]];
    const { Audience, Issuer } = authorizer.Properties['JwtConfiguration'] as Record<string, unknown>;
    expect(Audience).toEqual(['app', 'machine']);
    expect(JSON.stringify(Issuer)).toContain(`/${userPoolId}`);
  });

  test('may call the function that adds the tenant, whose ARN is an output for the one who sets the trigger', () => {
    const { data, templates } = adopted;
    const [[id, trigger]] = ofType(data, 'AWS::Lambda::Function').filter(([one]) =>
      one.includes('claimTenant'),
    ) as [[string, Resource]];
    expect(trigger.Properties['Environment']).toEqual({ Variables: { REQUIRE_GROUP: 'true' } });
    const [[, permission]] = ofType(data, 'AWS::Lambda::Permission').filter(([one]) =>
      one.includes('claimTenant'),
    ) as [[string, Resource]];
    expect(permission.Properties).toMatchObject({ Principal: 'cognito-idp.amazonaws.com' });
    expect(JSON.stringify(permission.Properties['SourceArn'])).toContain(`userpool/${userPoolId}`);
    expect(templates.data.Outputs).toMatchObject({
      UserPoolId: { Value: userPoolId },
      ClaimTenantArn: { Value: { 'Fn::GetAtt': [id, 'Arn'] } },
    });
  });

  test('has the alarm of its trigger', () => {
    const ids = ofType(adopted.api, 'AWS::CloudWatch::Alarm').map(([id]) => id);
    expect(ids.filter((id) => /SigninFails|TokensAreRefused/.test(id))).toHaveLength(2);
  });
});

describe('the logs', () => {
  test('are two groups with the retention of the settings', () => {
    expect(ofType(resources, 'AWS::Logs::LogGroup').map(([, { Properties }]) => Properties)).toMatchObject([
      { LogGroupName: 'project-management-production', RetentionInDays: 30 },
      { LogGroupName: '/aws/vendedlogs/project-management-production', RetentionInDays: 30 },
    ]);
  });
});

describe('a stage', () => {
  test('keeps its data and has termination protection, unless it is disposable', async () => {
    for (const [settings, isProtected] of [
      [production, true],
      [{}, false],
      [{ stage: 'development-ada' }, false],
    ] as const) {
      const { hasTerminationProtection } = await synthesizeTemplates(settings);
      expect(hasTerminationProtection).toBe(isProtected);
    }
  });

  test('that is disposable is deleted with its data', async () => {
    const { data } = await synthesizeTemplates();
    const kept = Object.values(data).filter(
      ({ Properties, DeletionPolicy }) =>
        DeletionPolicy === 'Retain' ||
        /"DeletionProtection\w*":(?:true|"ACTIVE")/.test(JSON.stringify(Properties)),
    );
    expect(kept).toEqual([]);
  });
});
