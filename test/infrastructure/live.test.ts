import { readDeployment } from '#lib/cloud-assembly/deployment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Combination, combinations } from './combinations.ts';
import { ofType, permissionsOf, readable, stacksOf, synthesize, synthesizeTemplates } from './stacks.ts';
import type { Resource } from './synthesis.ts';

/** Who connects to the API of announcements, who subscribes, and who publishes. */

const withBoth = Object.keys(combinations).filter(
  (name) => !/without tokens|strict/.test(name),
) as Combination[];

/** Returns the properties of a resource. */
async function propertiesOf(settings: Combination, id: string): Promise<Resource['Properties']> {
  const { resources } = await stacksOf(settings);
  return (resources[id] as Resource).Properties;
}

const variablesOf = async (settings: Combination, name: string): Promise<unknown> =>
  ((await propertiesOf(settings, `${name}Function`))['Environment'] as { Variables: unknown }).Variables;

const tokens = [{ AuthType: 'OPENID_CONNECT' }];
const roles = [{ AuthType: 'AWS_IAM' }];

test.each(withBoth)('tokens alone connect and subscribe, and roles alone publish (%s)', async (settings) => {
  const { EventConfig } = await propertiesOf(settings, 'LiveApi');
  expect(EventConfig).toEqual({
    AuthProviders: [{ ...tokens[0], OpenIDConnectConfig: expect.anything() }, roles[0]],
    ConnectionAuthModes: tokens,
    DefaultSubscribeAuthModes: tokens,
    DefaultPublishAuthModes: roles,
  });
  // Modes of the namespace would replace those.
  expect(await propertiesOf(settings, 'LiveNamespace')).not.toHaveProperty('PublishAuthModes');
  expect(await propertiesOf(settings, 'LiveNamespace')).not.toHaveProperty('SubscribeAuthModes');
});

test('a function decides on each subscription, and AppSync waits for it', async () => {
  expect(await propertiesOf('default', 'LiveNamespace')).toMatchObject({
    ApiId: '<LiveApi.ApiId>',
    Name: 'changes',
    HandlerConfigs: {
      // EVENT would ignore the decision.
      OnSubscribe: {
        Behavior: 'DIRECT',
        Integration: {
          DataSourceName: '<LiveDataSource.Name>',
          LambdaConfig: { InvokeType: 'REQUEST_RESPONSE' },
        },
      },
    },
  });
  expect(await propertiesOf('default', 'LiveDataSource')).toEqual({
    ApiId: '<LiveApi.ApiId>',
    Name: 'authorizeSubscription',
    Type: 'AWS_LAMBDA',
    LambdaConfig: { LambdaFunctionArn: '<authorizeSubscriptionFunction.Arn>' },
    ServiceRoleArn: '<LiveRole.Arn>',
  });
});

test('AppSync may call this function, and nothing else', async () => {
  const { AssumeRolePolicyDocument, Policies } = await propertiesOf('default', 'LiveRole');
  expect(JSON.stringify(AssumeRolePolicyDocument)).toContain('"appsync.amazonaws.com"');
  expect(Policies).toEqual([
    expect.objectContaining({
      PolicyDocument: expect.objectContaining({
        Statement: [
          {
            Action: 'lambda:InvokeFunction',
            Effect: 'Allow',
            Resource: '<authorizeSubscriptionFunction.Arn>',
          },
        ],
      }),
    }),
  ]);
});

test.each(withBoth)(
  'one role publishes, in one namespace, and none connects or subscribes (%s)',
  async (settings) => {
    const stacks = await stacksOf(settings);
    const able = ofType(stacks.resources, 'AWS::IAM::Role').filter(([, role]) =>
      /appsync:|"Action":"\*/.test(JSON.stringify(role)),
    );
    expect(able.map(([id]) => id)).toEqual(['onLogRecordsRole']);
    const allowed = permissionsOf(stacks, 'onLogRecords').flatMap((one) => one.allowed);
    expect(allowed.filter((one) => /appsync/.test(one))).toEqual([
      'appsync:EventPublish <LiveApi.ApiArn>/channelNamespace/changes',
    ]);
  },
);

test.each<[Combination, string, string]>([
  [
    'default',
    'https://cognito-idp.<AWS::Region>.<AWS::URLSuffix>/<AccountsPool>',
    '^(?:<AccountsPoolAppClient>)$',
  ],
  [
    'production',
    'https://cognito-idp.<AWS::Region>.<AWS::URLSuffix>/<AccountsPool>',
    '^(?:<AccountsPoolAppClient>|<AccountsPoolMachineClient>)$',
  ],
  [
    'adopted pool',
    `https://cognito-idp.<AWS::Region>.<AWS::URLSuffix>/${combinations['adopted pool'].userPoolId}`,
    '^(?:app|machine)$',
  ],
  ['another issuer', 'https://issuer.example.com/', '^(?:api|other)$'],
])('%s accepts the tokens that the gateway accepts', async (settings, Issuer, ClientId) => {
  const { EventConfig } = await propertiesOf(settings, 'LiveApi');
  const [{ OpenIDConnectConfig }] = (EventConfig as { AuthProviders: [Record<string, unknown>] })
    .AuthProviders;
  expect(OpenIDConnectConfig).toEqual({ Issuer, ClientId });
  const { JwtConfiguration } = await propertiesOf(settings, 'ApiAuthorizer');
  const { Audience, ...gateway } = JwtConfiguration as { Audience: string[]; Issuer: string };
  expect(gateway).toEqual({ Issuer });
  const ofRoutes = (await variablesOf(settings, 'readLive')) as Record<string, string>;
  expect(await variablesOf(settings, 'authorizeSubscription')).toEqual({
    // The canary, a client of the API stack, does not connect.
    AUDIENCE: Audience.filter((client) => client !== '<CanaryClient>').join(','),
    TENANT_CLAIM: ofRoutes['TENANT_CLAIM'],
    SCOPE_PREFIX: ofRoutes['SCOPE_PREFIX'],
  });
});

test('the pattern of clients takes an audience literally', async () => {
  const authentication = 'https://issuer.example.com/';
  const { resources } = readable(
    await synthesizeTemplates({ authentication, audience: 'https://a.example/(x|y),b+' }),
  );
  expect(JSON.stringify(resources['LiveApi'])).toContain(
    JSON.stringify(String.raw`^(?:https://a\.example/\(x\|y\)|b\+)$`),
  );
});

test('the publisher and the clients have the addresses of AppSync, and with a domain the clients have that', async () => {
  expect(await variablesOf('default', 'onLogRecords')).toMatchObject({
    LIVE_ENDPOINT: 'https://<LiveApi.Dns.Http>/event',
  });
  expect(await variablesOf('default', 'readLive')).toMatchObject({
    LIVE_URL: 'wss://<LiveApi.DnsRealtime>/event/realtime',
    LIVE_HOST: '<LiveApi.DnsHttp>',
    LIVE_SPREAD_MS: '0',
  });
  expect(await variablesOf('production', 'readLive')).toMatchObject({ LIVE_SPREAD_MS: '3000' });
  expect(await variablesOf('another issuer', 'readLive')).toMatchObject({
    LIVE_URL: 'wss://live.example.com/event/realtime',
    LIVE_HOST: 'live.example.com',
  });
  expect(await propertiesOf('another issuer', 'LiveDomain')).toMatchObject({
    DomainName: 'live.example.com',
    CertificateArn: combinations['another issuer'].liveCertificateArn,
  });
  expect(await propertiesOf('another issuer', 'LiveMapping')).toEqual({
    ApiId: '<LiveApi.ApiId>',
    DomainName: '<LiveDomain.DomainName>',
  });
});

test('a local run of the stacks has host names that nobody can register', async () => {
  const assembly = temporaryFolder();
  await synthesize({ 'aws:cdk:disable-asset-staging': true }, assembly);
  const set = Object.assign({}, ...readDeployment(assembly).functions.map(({ environment }) => environment));
  expect(set).toMatchObject({
    LIVE_ENDPOINT: 'https://LiveApi.appsync-api.us-east-1.invalid/event',
    LIVE_URL: 'wss://LiveApi.appsync-realtime-api.us-east-1.invalid/event/realtime',
    LIVE_HOST: 'LiveApi.appsync-api.us-east-1.invalid',
  });
});

test.each<Combination>(['strict', 'without tokens'])(
  'where live is off, no function knows of it (%s)',
  async (settings) => {
    expect(JSON.stringify(await stacksOf(settings))).not.toMatch(/LIVE_|appsync|Pokes|ActiveConnections/i);
  },
);
