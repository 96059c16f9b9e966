import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needsToken, scopeOf } from '#functions/contract/contract.ts';
import { methodsByPath, routes } from '#functions/routes.ts';
import { crossOrigin } from '#lib/hosting/cors.ts';
import { streamRetries } from '#lib/hosting/functions.ts';
import {
  type Access,
  accessOf,
  compactionAccess,
  jobsAccess,
  scheduleAccess,
} from '#lib/infrastructure/table-access.ts';
import { bundles } from './bundles.ts';
import { ofType, referenceOf, synthesize, synthesizeTemplates, temporaryFolder } from './stacks.ts';
import type { Resource, Synthesized } from './synthesis.ts';

const assembly = temporaryFolder();
let synthesized: Synthesized;

beforeAll(async () => {
  synthesized = await synthesize({}, assembly);
});

/** Returns the resources of both stacks. Their logical ids differ. */
const resources = () => ({ ...synthesized.data, ...synthesized.api });

const all = (type: string): Resource[] => ofType(resources(), type).map(([, resource]) => resource);

function resourceAt(reference: unknown): Resource {
  const resource = resources()[referenceOf(reference)];
  if (!resource) throw new Error(`Nothing is referred to by ${JSON.stringify(reference)}.`);
  return resource;
}

/** Returns the id of the construct of a function, which is the name of its operation. */
const owner = ({ Metadata }: Resource): string => Metadata['aws:cdk:path']?.split('/').at(-3) ?? '';

const functionNamed = (name: string): Resource => {
  const found = all('AWS::Lambda::Function').find((resource) => owner(resource) === name);
  if (!found) throw new Error(`There is no function ${name}.`);
  return found;
};

const functionsByRoute = (): Map<string, Resource> =>
  new Map(
    all('AWS::ApiGatewayV2::Route').map(({ Properties }) => {
      const integration = resourceAt(Properties['Target']);
      return [String(Properties['RouteKey']), resourceAt(integration.Properties['IntegrationUri'])];
    }),
  );

interface Statement {
  readonly Action: string | readonly string[];
  readonly Effect: string;
  readonly Resource: unknown;
}

interface Policy {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

function permitted(name: string): string[] {
  const { Properties } = resourceAt(functionNamed(name).Properties['Role']);
  expect(Properties['ManagedPolicyArns']).toBeUndefined();
  const statements = (Properties['Policies'] as Policy[]).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );
  expect(new Set(statements.map(({ Effect }) => Effect))).toEqual(new Set(['Allow']));
  return statements
    .flatMap(({ Action, Resource }) =>
      [Action]
        .flat()
        .flatMap((action) => [Resource].flat().map((resource) => `${action} ${place(resource)}`)),
    )
    .sort();
}

/** Returns a short name for a resource in a statement. */
function place(resource: unknown): string {
  const text = JSON.stringify(resource);
  if (text === '"*"') return 'anywhere';
  if (/StreamArn/.test(text)) return 'stream';
  const [isTable, index] = /:table\/project-management-development(?:\/index\/([\w-]+))?"/.exec(text) ?? [];
  if (index) return `index ${index}`;
  if (isTable) return 'table';
  const { Type } = resources()[referenceOf(resource)] ?? {};
  if (text.includes(':log-group:project-management-development:*')) return 'log';
  if (Type === 'AWS::SQS::Queue') return 'dead letters';
  return text;
}

const telling = ['logs:CreateLogStream log', 'logs:PutLogEvents log'];

const allowed = ({ actions, indexes = [] }: Access): string[] =>
  [
    ...actions.map((action) => `dynamodb:${action} table`),
    ...indexes.map((index) => `dynamodb:Query index ${index}`),
    ...telling,
  ].sort();

describe('operations', () => {
  test('have one route per method, to the function of their name, and there are no other routes', () => {
    const found = [...functionsByRoute()].map(([key, resource]) => `${key} is ${owner(resource)}`);
    const expected = routes.flatMap(({ contract, methods }) =>
      methods.map((method) => `${method} ${contract.path} is ${contract.operation}`),
    );
    expect(found.sort()).toEqual([...expected, '$default is rejectUnmatched'].sort());
  });

  test.each(routes)('$contract.operation deploys the bundle of its own file', ({ contract, file }) => {
    const asset = functionNamed(contract.operation).Metadata['aws:asset:path'] ?? '';
    const shipped = readFileSync(join(assembly, asset, 'index.js'), 'utf8');
    const bundle = join(bundles().directory, file.replace(/\.ts$/, ''), 'index.js');
    expect(shipped).toBe(readFileSync(bundle, 'utf8'));
  });

  test.each(routes)('$contract.operation has exactly the permissions of its contract', ({ contract }) => {
    expect(permitted(contract.operation)).toEqual(allowed(accessOf(contract)));
  });

  test('allow calls by the gateway for their own path only', () => {
    const found = all('AWS::Lambda::Permission')
      .filter(({ Properties }) => Properties['Principal'] === 'apigateway.amazonaws.com')
      .map(({ Properties }) => {
        const source = /\/\*\/\*(.*?)"/.exec(JSON.stringify(Properties['SourceArn']))?.[1];
        return `${owner(resourceAt(Properties['FunctionName']))} ${source}`;
      });
    const expected = routes.map(({ contract }) => `${contract.operation} ${contract.path}`);
    expect([...new Set(found)].sort()).toEqual([...expected, 'rejectUnmatched '].sort());
  });
});

describe('functions', () => {
  test('run on Node.js 24 on ARM', () => {
    for (const { Properties } of all('AWS::Lambda::Function')) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    }
  });

  test('have 1,024 MB, and 1,769 MB where they load columns of the list engine', () => {
    const memory = all('AWS::Lambda::Function').map((resource) => [
      owner(resource),
      resource.Properties['MemorySize'],
    ]);
    const ofRoutes = routes.map(({ contract }) => [
      contract.operation,
      accessOf(contract).usesListEngine ? 1_769 : 1_024,
    ]);
    expect(Object.fromEntries(memory)).toEqual({
      ...Object.fromEntries(ofRoutes),
      rejectUnmatched: 1_024,
      claimTenant: 1_024,
      onStream: 1_769,
      onLogRecords: 1_769,
      onSchedule: 1_769,
    });
    expect(Object.fromEntries(ofRoutes)).toMatchObject({
      listTasks: 1_769,
      listTagTasks: 1_769,
      deleteTag: 1_769,
      deleteProject: 1_769,
      createTask: 1_024,
      readTask: 1_024,
      checkHealth: 1_024,
    });
  });

  test('have 10 seconds for a request and 30 for a job', () => {
    const timeouts = all('AWS::Lambda::Function').map((resource) => [
      owner(resource),
      resource.Properties['Timeout'],
    ]);
    expect(Object.fromEntries(timeouts)).toEqual({
      ...Object.fromEntries(routes.map(({ contract }) => [contract.operation, 10])),
      rejectUnmatched: 10,
      claimTenant: 5,
      onStream: 30,
      onLogRecords: 30,
      onSchedule: 30,
    });
  });

  test('have one JSON log, and tracing when asked for', async () => {
    const logs = all('AWS::Lambda::Function').map((resource) => {
      const { LogGroup, LogFormat } = resource.Properties['LoggingConfig'] as Record<string, unknown>;
      expect(LogFormat).toBe('JSON');
      expect(resource.Properties['TracingConfig']).toBeUndefined();
      return LogGroup;
    });
    expect(new Set(logs)).toEqual(new Set(['project-management-development']));
    const { api } = await synthesizeTemplates({ tracing: true });
    for (const [, { Properties }] of ofType(api, 'AWS::Lambda::Function')) {
      expect(Properties['TracingConfig']).toEqual({ Mode: 'Active' });
    }
    expect(JSON.stringify(ofType(api, 'AWS::IAM::Role'))).toContain('xray:PutTraceSegments');
  });

  test('have the table name, the tenant claim when they need a token, and the routes for the fallback', () => {
    const variables = (name: string): string[] => {
      const { Variables } = functionNamed(name).Properties['Environment'] as {
        Variables: Record<string, unknown>;
      };
      return Object.keys(Variables).sort();
    };
    for (const { contract } of routes) {
      // Static pages say whether requests need a token.
      const knowsTokens = needsToken(contract) || contract.success === 'staticPage';
      const token = knowsTokens ? ['TENANT_CLAIM', 'SCOPE_PREFIX'] : [];
      const history = contract.method === 'GET' ? [] : ['HISTORY_DAYS'];
      expect(variables(contract.operation)).toEqual(
        [...token, ...history, 'REQUEST_METRICS', 'TABLE_NAME'].sort(),
      );
    }
    expect(variables('onStream')).toEqual(['HISTORY_DAYS', 'JOB_CHANGES_PER_SECOND', 'TABLE_NAME']);
    expect(variables('onLogRecords')).toEqual(['TABLE_NAME']);
    expect(variables('onSchedule')).toEqual(['HISTORY_DAYS', 'JOB_CHANGES_PER_SECOND', 'TABLE_NAME']);
    expect(variables('rejectUnmatched')).toEqual(['REQUEST_METRICS', 'ROUTES', 'TABLE_NAME']);
    const { Variables } = functionNamed('rejectUnmatched').Properties['Environment'] as {
      Variables: { ROUTES: string };
    };
    expect(JSON.parse(Variables.ROUTES)).toEqual(methodsByPath);
  });

  test('without a contract have no access to the table, except the jobs', () => {
    const stream = ['DescribeStream', 'GetRecords', 'GetShardIterator'].map(
      (action) => `dynamodb:${action} stream`,
    );
    expect(permitted('rejectUnmatched')).toEqual(telling);
    expect(permitted('onSchedule')).toEqual(
      [...allowed(scheduleAccess), 'sqs:SendMessage dead letters'].sort(),
    );
    for (const [name, access] of [
      ['onStream', jobsAccess],
      ['onLogRecords', compactionAccess],
    ] as const) {
      expect(permitted(name)).toEqual(
        [
          ...allowed(access),
          ...stream,
          'dynamodb:ListStreams anywhere',
          'sqs:SendMessage dead letters',
        ].sort(),
      );
    }
  });
});

describe('the gateway', () => {
  const stage = (): Resource => {
    const [found] = all('AWS::ApiGatewayV2::Stage') as [Resource];
    return found;
  };

  test('requires a token with the scope of the operation', () => {
    const authorizer = ofType(synthesized.api, 'AWS::ApiGatewayV2::Authorizer');
    expect(authorizer).toHaveLength(1);
    const [[authorizerId, { Properties }]] = authorizer as [[string, Resource]];
    expect(Properties).toMatchObject({
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
    });
    const byKey = new Map(
      all('AWS::ApiGatewayV2::Route').map((route) => [route.Properties['RouteKey'], route]),
    );
    for (const { contract, methods } of routes) {
      const scope = scopeOf(contract);
      for (const method of methods) {
        const { AuthorizationType, AuthorizerId, AuthorizationScopes } =
          byKey.get(`${method} ${contract.path}`)?.Properties ?? {};
        expect([AuthorizationType, AuthorizerId, AuthorizationScopes]).toEqual(
          needsToken(contract)
            ? ['JWT', { Ref: authorizerId }, scope && [`project-management/${scope}`]]
            : ['NONE', undefined, undefined],
        );
      }
    }
  });

  test('requires no token when authentication is off', async () => {
    const { api } = await synthesizeTemplates({ authentication: 'none' });
    expect(ofType(api, 'AWS::ApiGatewayV2::Authorizer')).toEqual([]);
    expect(JSON.stringify(api)).not.toContain('TENANT_CLAIM');
  });

  test('throttles routes without a token more than the others, and those of large pages most', () => {
    const open = routes.flatMap(({ contract, methods }) =>
      needsToken(contract) ? [] : methods.map((method) => `${method} ${contract.path}`),
    );
    const limits = { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 };
    const limitsOfPages = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 50 };
    const settings = stage().Properties['RouteSettings'] as Record<string, object>;
    expect(Object.keys(settings).sort()).toEqual([...open, '$default'].sort());
    for (const [key, found] of Object.entries(settings)) {
      const isSmall = ['GET /', 'HEAD /', 'GET /v1/health', 'HEAD /v1/health', '$default'].includes(key);
      expect([key, found]).toEqual([key, isSmall ? limits : limitsOfPages]);
    }
  });

  test('throttles requests, and writes a JSON log without query string and IP address', () => {
    expect(stage().Properties['DefaultRouteSettings']).toEqual({
      ThrottlingBurstLimit: 1_000,
      ThrottlingRateLimit: 500,
    });
    const { Format, DestinationArn } = stage().Properties['AccessLogSettings'] as Record<string, string>;
    expect(Object.keys(JSON.parse(Format ?? '') as object)).toContain('requestId');
    expect(Format).not.toMatch(/sourceIp|claims|query/i);
    expect(JSON.stringify(DestinationArn)).toContain(
      ':log-group:/aws/vendedlogs/project-management-development:*',
    );
  });

  test('has the CORS settings of the local gateway', () => {
    const [api] = all('AWS::ApiGatewayV2::Api') as [Resource];
    expect(api.Properties['CorsConfiguration']).toEqual({
      AllowOrigins: ['*'],
      AllowMethods: crossOrigin.methods,
      AllowHeaders: crossOrigin.requestHeaders,
      ExposeHeaders: crossOrigin.exposedHeaders,
      MaxAge: crossOrigin.maxAgeSeconds,
    });
  });
});

describe('jobs', () => {
  const mappingOf = (name: string): Resource['Properties'] => {
    const found = all('AWS::Lambda::EventSourceMapping').filter(
      ({ Properties }) => owner(resourceAt(Properties['FunctionName'])) === name,
    );
    expect(found).toHaveLength(1);
    return (found[0] as Resource).Properties;
  };

  const patternsOf = (mapping: Resource['Properties']): unknown[] => {
    const { Filters } = mapping['FilterCriteria'] as { Filters: { Pattern: string }[] };
    return Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown);
  };

  const failureQueueOf = (mapping: Resource['Properties']): Resource => {
    const { OnFailure } = mapping['DestinationConfig'] as { OnFailure: { Destination: unknown } };
    return resourceAt(OnFailure.Destination);
  };

  test('start from the stream', () => {
    const mapping = mappingOf('onStream');
    expect(mapping).toMatchObject({
      BatchSize: 10,
      ParallelizationFactor: 10,
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 3_600,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      StartingPosition: 'LATEST',
    });
    // A failing record blocks its shard until its retries are used up.
    expect(mapping['MaximumRetryAttempts']).toBe(streamRetries);
    expect(failureQueueOf(mapping)).toMatchObject({
      Type: 'AWS::SQS::Queue',
      Properties: { SqsManagedSseEnabled: true },
    });
    expect(patternsOf(mapping)).toEqual([
      { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: ['job'] } } } },
      { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { sk: { S: ['wake-up'] } } } },
    ]);
  });

  test('compact the logs of new records, collected for 15 seconds, with retries of calls that fail', () => {
    const mapping = mappingOf('onLogRecords');
    expect(mapping).toMatchObject({
      BatchSize: 1_000,
      MaximumBatchingWindowInSeconds: 15,
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 3_600,
      MaximumRetryAttempts: streamRetries,
      StartingPosition: 'LATEST',
    });
    expect(failureQueueOf(mapping)).toBe(failureQueueOf(mappingOf('onStream')));
    expect(patternsOf(mapping)).toEqual([
      { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'r#' }] } } } },
    ]);
  });

  test('run by the schedule every minute', () => {
    const [rule] = all('AWS::Events::Rule') as [Resource];
    expect(rule.Properties['ScheduleExpression']).toBe('rate(1 minute)');
    expect(owner(resourceAt(rule.Properties['Targets']))).toBe('onSchedule');
  });

  test('of the schedule that throw reach the dead-letter queue after two retries', () => {
    // EventBridge sees no failure: Lambda accepts the event and calls the function later.
    const [config] = all('AWS::Lambda::EventInvokeConfig') as [Resource];
    expect(owner(resourceAt(config.Properties['FunctionName']))).toBe('onSchedule');
    expect(config.Properties).toMatchObject({ MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 300 });
    expect(failureQueueOf(config.Properties)).toBe(failureQueueOf(mappingOf('onStream')));
  });
});

describe('the stacks', () => {
  test('stay well below the limit of 500 resources per stack', () => {
    for (const resources of [synthesized.data, synthesized.api]) {
      expect(Object.keys(resources).length).toBeLessThanOrEqual(450);
    }
  });

  test('have no separate policies and no custom resources', () => {
    const types = new Set(Object.values(synthesized.api).map(({ Type }) => Type));
    expect(types).not.toContain('AWS::IAM::Policy');
    expect([...types].filter((type) => type.startsWith('Custom::'))).toEqual([]);
  });

  test('are the same in every synthesis, code included', async () => {
    const again = temporaryFolder();
    await synthesize({}, again);
    const templates = (folder: string) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.template.json'))
        .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
    expect(templates(again)).toHaveLength(2);
    expect(templates(again)).toEqual(templates(assembly));
  });
});
