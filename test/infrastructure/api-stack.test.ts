import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectionOf, needsToken, scopeOf } from '#functions/contract/contract.ts';
import { documentationMethods, documentationPaths } from '#functions/documentation/paths.ts';
import { authorizationPaths } from '#functions/mcp/paths.ts';
import { methodsByPath, type Route, routes } from '#functions/routes.ts';
import { unpackRoutes } from '#functions/runtime/packed-routes.ts';
import {
  type Access,
  accessOf,
  compactionAccess,
  jobsAccess,
  scheduleAccess,
} from '#lib/infrastructure/table-access.ts';
import { routeLimits } from '#lib/site/limits.ts';
import { expectComplete } from '../support/complete.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { bundles } from './bundles.ts';
import {
  ofType,
  permissionsOf,
  type ReadableStacks,
  readable,
  stacksOf,
  synthesize,
  synthesizeTemplates,
} from './stacks.ts';
import type { Resource, Synthesized } from './synthesis.ts';

/** What follows from the contracts: the function of each operation, its routes, its role and its environment. */

const assembly = temporaryFolder();
let stacks: ReadableStacks;

beforeAll(async () => {
  stacks = readable(await synthesize({}, assembly));
});

const all = (type: string): [string, Resource['Properties']][] =>
  ofType(stacks.resources, type).map(([id, { Properties }]) => [id, Properties]);

const table = 'table/project-management-development';
const log = 'log-group:project-management-development:*';
const ofLog = [`logs:CreateLogStream ${log}`, `logs:PutLogEvents ${log}`];

const allowedBy = ({ actions, indexes = [] }: Access): string[] => [
  ...actions.map((action) => `dynamodb:${action} ${table}`),
  ...indexes.map((index) => `dynamodb:Query ${table}/index/${index}`),
  ...ofLog,
];

/** Returns what a function may do, sorted. */
const permitted = (name: string, of = stacks): string[] =>
  permissionsOf(of, name)
    .flatMap(({ allowed }) => allowed)
    .sort();

const environment = (name: string, { resources } = stacks): Readonly<Record<string, string>> => {
  const { Properties } = resources[`${name}Function`] as Resource;
  return (Properties['Environment'] as { Variables: Record<string, string> }).Variables;
};

const routeKeys = routes.flatMap(({ contract, methods }) =>
  methods.map((method) => ({ contract, key: `${method} ${contract.path}` })),
);

const authorizationKeys = Object.values(authorizationPaths).map((path) => `GET ${path}`);

const documentationKeys = documentationPaths.flatMap((path) =>
  documentationMethods.map((method) => `${method} ${path}`),
);

test('each operation has a route per method to its function, the documentation has one function, and there are no other routes', () => {
  const found = all('AWS::ApiGatewayV2::Route').map(([, { RouteKey, Target }]) => {
    const integration = stacks.resources[/<(\w+)>/.exec(String(Target))?.[1] ?? ''];
    return [RouteKey, integration?.Properties['IntegrationUri']];
  });
  expect(Object.fromEntries(found)).toEqual({
    ...Object.fromEntries(routeKeys.map(({ key, contract }) => [key, `<${contract.operation}Function.Arn>`])),
    ...Object.fromEntries(documentationKeys.map((key) => [key, '<readDocumentationFunction.Arn>'])),
    ...Object.fromEntries(authorizationKeys.map((key) => [key, '<readAuthorizationFunction.Arn>'])),
    'POST /mcp': '<serveToolsFunction.Arn>',
    $default: '<rejectUnmatchedFunction.Arn>',
  });
});

test('each operation deploys the bundle of its own file, without its source map', () => {
  for (const { contract, file } of routes) {
    const asset = stacks.resources[`${contract.operation}Function`]?.Metadata['aws:asset:path'] ?? '';
    const bundle = join(bundles().directory, file.replace(/\.ts$/, ''), 'index.js');
    expect(readdirSync(join(assembly, asset))).toEqual(['index.js']);
    expect([file, readFileSync(join(assembly, asset, 'index.js'), 'utf8')]).toEqual([
      file,
      readFileSync(bundle, 'utf8'),
    ]);
  }
});

test.each(routes)('$contract.operation has exactly the permissions of its contract', ({ contract }) => {
  expect(permitted(contract.operation)).toEqual(allowedBy(accessOf(contract)).sort());
});

const ofStream = [
  ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map(
    (action) => `dynamodb:${action} <Table.StreamArn>`,
  ),
  'dynamodb:ListStreams *',
];
const toDeadLetters = 'sqs:SendMessage <DeadLetters.Arn>';

test.each([
  ['rejectUnmatched', ofLog],
  ['readDocumentation', ofLog],
  ['serveTools', ofLog],
  ['readAuthorization', ofLog],
  ['onSchedule', [...allowedBy(scheduleAccess), toDeadLetters]],
  ['onStream', [...allowedBy(jobsAccess), ...ofStream, toDeadLetters]],
  ['authorizeSubscription', ofLog],
  [
    'onLogRecords',
    [
      ...allowedBy(compactionAccess),
      ...ofStream,
      toDeadLetters,
      'appsync:EventPublish <LiveApi.ApiArn>/channelNamespace/changes',
    ],
  ],
])('%s has no contract, and exactly the permissions that it needs', (name, expected) => {
  expect(permitted(name)).toEqual(expected.sort());
});

test('the function that compacts may publish, and no other one', async () => {
  const production = await stacksOf('production');
  const publishing = [
    'events:PutEvents event-bus/project-management-production',
    ...['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage', 'SendMessage'].map(
      (action) => `sqs:${action} <UnpublishedEvents.Arn>`,
    ),
  ];
  const able = ofType(production.resources, 'AWS::IAM::Role').filter(([, role]) =>
    /PutEvents|UnpublishedEvents/.test(JSON.stringify(role)),
  );
  expect(able.map(([id]) => id)).toEqual(['onLogRecordsRole']);
  expect(permitted('onLogRecords', production)).toEqual(expect.arrayContaining(publishing));
});

test('functions of the API with the same permissions share a role, whose name says what it allows', () => {
  expect(Object.keys(stacks.resources).filter((id) => id.startsWith('Allow')).length).toBeLessThan(
    routes.length / 2,
  );
  expect(stacks.resources['readTaskFunction']?.Properties['Role']).toBe(
    '<AllowBatchGetItemGetItemQuery.Arn>',
  );
});

test('the gateway may call the functions of the API and no others, each by one permission for all its routes', () => {
  const permissions = all('AWS::Lambda::Permission')
    .map(([, one]) => one)
    .filter(({ Principal }) => Principal === 'apigateway.amazonaws.com');
  const others = ['readDocumentation', 'rejectUnmatched', 'serveTools', 'readAuthorization'];
  const ofApi = [...routes.map(({ contract }) => contract.operation), ...others];
  expect(permissions.map(({ FunctionName }) => FunctionName).sort()).toEqual(
    ofApi.map((name) => `<${name}Function.Arn>`).sort(),
  );
  for (const { SourceArn } of permissions)
    expect(SourceArn).toBe('arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<Api>/*/*');
});

test('a route comes after the permission to call its function', async () => {
  const { api } = await synthesizeTemplates();
  const found = ofType(api, 'AWS::ApiGatewayV2::Route');
  expect(found.length).toBeGreaterThan(100);
  const unordered = found.filter(
    ([, { DependsOn = [] }]) => ![DependsOn].flat().some((id) => api[id]?.Type === 'AWS::Lambda::Permission'),
  );
  expect(unordered.map(([id]) => id)).toEqual([]);
});

test('functions run on ARM, with 10 seconds for a request and 30 for a job, and more memory for columns', () => {
  const ofRoutes = routes.map(({ contract }) => [
    `${contract.operation}Function`,
    [accessOf(contract).usesListEngine ? 1_769 : 1_024, 10],
  ]);
  const found = all('AWS::Lambda::Function').map(([id, properties]) => {
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      LoggingConfig: {
        LogFormat: 'JSON',
        LogGroup: 'project-management-development',
        ApplicationLogLevel: 'INFO',
        SystemLogLevel: 'WARN',
      },
    });
    return [id, [properties['MemorySize'], properties['Timeout']]] as const;
  });
  expect(Object.fromEntries(found)).toEqual({
    ...Object.fromEntries(ofRoutes),
    rejectUnmatchedFunction: [1_024, 10],
    readDocumentationFunction: [1_024, 10],
    readAuthorizationFunction: [1_024, 10],
    // It can send a request to the API twice.
    serveToolsFunction: [1_024, 25],
    AccountsclaimTenantFunction: [1_024, 5],
    authorizeSubscriptionFunction: [1_024, 5],
    onStreamFunction: [1_769, 30],
    onLogRecordsFunction: [1_769, 30],
    onScheduleFunction: [1_769, 30],
  });
});

test('functions that load columns have as much more memory as columns may take', async () => {
  const { resources } = await stacksOf('strict');
  const memories = ofType(resources, 'AWS::Lambda::Function').map(([, { Properties: properties }]) => [
    (properties['Environment'] as { Variables?: Record<string, unknown> })?.Variables?.['COLUMN_MEMORY_MB'],
    properties['MemorySize'],
  ]);
  const kinds = new Set(memories.map((one) => JSON.stringify(one)));
  expect([...kinds].sort()).toEqual(['["2048",3305]', '[null,1024]']);
});

test('the fallback knows all routes', () => {
  expect(unpackRoutes(environment('rejectUnmatched')['ROUTES'] ?? '')).toEqual(methodsByPath);
});

test('the stacks set each environment variable that functions read', async () => {
  const text = readFileSync(join(__dirname, '../../functions/runtime/environment.ts'), 'utf8');
  const read = [...text.matchAll(/(?:env\[|required\()'(\w+)'/g)].map(([, name = '']) => name);
  // Lambda sets some, and others are for the local service.
  const ofHosts = /^(?:AWS_|LAMBDA_)|^(?:SITE_FOLDER|LOCAL_ISSUER|LOG_LEVEL|SERVER_TIMING)$/;
  const set = await Promise.all((['production', 'strict'] as const).map(stacksOf));
  const names = set
    .flatMap(({ resources }) => ofType(resources, 'AWS::Lambda::Function'))
    .flatMap(([, { Properties }]) =>
      Object.keys((Properties['Environment'] as { Variables?: object } | undefined)?.Variables ?? {}),
    );
  expectComplete(
    names.filter((name) => !ofHosts.test(name)),
    read.filter((name) => !ofHosts.test(name)),
    {
      missing:
        'Set it where a stack makes the functions that read it (lib/infrastructure), and in lib/local/function-environment.ts.',
      unneeded: 'Read it in functions/runtime/environment.ts, or do not set it.',
    },
  );
});

test('each route requires a token with the scope of its operation, or none', async () => {
  const withAuthentication = Object.fromEntries(
    all('AWS::ApiGatewayV2::Route').map(([, route]) => [
      route['RouteKey'],
      [route['AuthorizationType'], route['AuthorizerId'], route['AuthorizationScopes']],
    ]),
  );
  for (const key of documentationKeys)
    expect(withAuthentication[key]).toEqual(['NONE', undefined, undefined]);
  for (const { contract, key } of routeKeys) {
    const scope = scopeOf(contract);
    expect([key, withAuthentication[key]]).toEqual([
      key,
      needsToken(contract)
        ? ['JWT', '<ApiAuthorizer>', scope && [`project-management/${scope}`]]
        : ['NONE', undefined, undefined],
    ]);
  }
  expect(JSON.stringify(await stacksOf('without tokens'))).not.toContain('TENANT_CLAIM');
});

/** Returns the limits of each route that has its own. */
const routeSettings = ({ resources }: ReadableStacks) =>
  resources['ApiStage']?.Properties['RouteSettings'] as Record<string, object>;

test('routes without a token have a lower limit than the others, those of the documentation their own, and they keep it', async () => {
  const open = routeKeys.flatMap(({ contract, key }) => (needsToken(contract) ? [] : key));
  const limits = new Map<string, { rate: number; burst: number }>(Object.entries(routeLimits));
  const settings = routeSettings(stacks);
  expect(Object.keys(settings).sort()).toEqual(
    [...open, ...documentationKeys, ...authorizationKeys, '$default'].sort(),
  );
  for (const [key, found] of Object.entries(settings)) {
    const { rate, burst } = limits.get(key.split(' ')[1] ?? '') ?? { rate: 50, burst: 100 };
    expect([key, found]).toEqual([key, { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }]);
  }
  // API Gateway can refuse every later update of a stage that lacks some.
  const withoutDocumentation = await stacksOf('strict');
  expect(Object.keys(routeSettings(withoutDocumentation))).toEqual(Object.keys(settings));
  expect(withoutDocumentation.resources).not.toHaveProperty('readDocumentationFunction');
});

describe('a limit of the units of each tenant', () => {
  const key = 'dynamodb:LeadingKeys';
  const condition = { 'ForAllValues:StringLike': { [key]: ['#rate#*'] }, Null: { [key]: 'false' } };

  test('is known to the functions that know a tenant, and permits what they lack for its keys, and no other key', async () => {
    const limited = await stacksOf('strict');
    for (const { contract, file } of routes) {
      const isMissing = !(accessOf(contract).actions as readonly string[]).includes('UpdateItem');
      const conditional = permissionsOf(limited, contract.operation).filter(({ condition }) => condition);
      // While the table switches, roles allow both.
      const allowed = [`dynamodb:UpdateItem ${table}`, 'dynamodb:UpdateItem table/restored'];
      const expected = needsToken(contract) && isMissing ? [{ allowed, condition }] : [];
      expect([file, environment(contract.operation, limited)['TENANT_RATE'], conditional]).toEqual([
        file,
        needsToken(contract) ? '5' : undefined,
        expected,
      ]);
    }
  });

  test('is the default of a stage that is not disposable, and no other one', async () => {
    const production = await stacksOf('production');
    expect(environment('listTasks', production)['TENANT_RATE']).toBe('5000');
    expect(environment('listTasks')).not.toHaveProperty('TENANT_RATE');
    expect(JSON.stringify(stacks)).not.toContain('#rate#');
  });
});

const sizes = ({ templates }: Synthesized) => ({
  data: Object.keys(templates.data.Resources).length,
  api: Object.keys(templates.api.Resources).length,
  nested: Object.values(templates.nested).map(({ Resources }) => Object.keys(Resources).length),
});

const collections = [...new Set(routes.flatMap(({ contract }) => collectionOf(contract) ?? []))];

test('each collection has a nested stack, and each stack has room to grow', async () => {
  const { templates } = await synthesizeTemplates();
  expect(Object.keys(templates.nested)).toEqual(collections);
  const { data, api, nested } = sizes(await synthesizeTemplates());
  expect(data + api).toBeLessThanOrEqual(150);
  expect(Math.max(...nested)).toBeLessThanOrEqual(120);
});

test('nested stacks are deployed one after the other: API Gateway refuses changes at the same time', async () => {
  const stacks = ofType((await synthesizeTemplates()).templates.api.Resources, 'AWS::CloudFormation::Stack');
  expect(stacks).toHaveLength(collections.length);
  const withoutFirst = stacks.slice(1).map(([, { DependsOn = [] }]) => DependsOn);
  expect(withoutFirst).toEqual(stacks.slice(0, -1).map(([id]) => expect.arrayContaining([id])));
});

test('twenty resources of twelve operations can be deployed: stacks, variables and policies stay below the limits of AWS', async () => {
  const ofTags = routes.filter(({ contract }) => contract.path.startsWith('/v1/tags'));
  expect(ofTags).toHaveLength(12);
  const others = routes.filter(({ contract }) => !ofTags.some((one) => one.contract === contract));
  const copies = Array.from({ length: 20 }, (_, copy) =>
    ofTags.map(
      (route): Route => ({
        ...route,
        contract: {
          ...route.contract,
          operation: `${route.contract.operation}${copy}`,
          path: route.contract.path.replace('/v1/tags', `/v1/attachments${copy}`),
        },
      }),
    ),
  );
  const health = others.filter(({ contract }) => !needsToken(contract));
  const large = await synthesize({ 'aws:cdk:disable-asset-staging': true }, temporaryFolder(), [
    ...copies.flat(),
    ...health,
  ]);
  const { api, nested } = sizes(large);
  expect(nested).toHaveLength(20);
  expect(Math.max(api, ...nested)).toBeLessThan(250);
  for (const [, { Properties }] of ofType(large.api, 'AWS::Lambda::Function')) {
    // https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
    expect(JSON.stringify(Properties['Environment'] ?? {}).length).toBeLessThan(4_096);
  }
  for (const [, { Properties }] of ofType(large.api, 'AWS::IAM::Role')) {
    // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    expect(JSON.stringify(Properties['Policies']).length).toBeLessThan(10_240);
  }
});

test('a new resource changes no stack of another one', async () => {
  const without = routes.filter(({ contract }) => !contract.path.startsWith('/v1/tags'));
  const { templates } = await synthesize(
    { 'aws:cdk:disable-asset-staging': true },
    temporaryFolder(),
    without,
  );
  const { tags, ...others } = (await synthesizeTemplates()).templates.nested;
  expect(tags).toBeDefined();
  expect(templates.nested).toEqual(others);
});

test('the stacks are the same in every synthesis, code included', async () => {
  const again = temporaryFolder();
  await synthesize({}, again);
  const templates = (folder: string) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.template.json'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  // That of live is the nested stack of the data stack.
  expect(templates(again)).toHaveLength(3 + collections.length);
  expect(templates(again)).toEqual(templates(assembly));
});
