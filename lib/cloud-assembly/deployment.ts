/** Reads what a cloud assembly deploys. This file depends on the templates only, not on the source of the functions. */

import { join } from 'node:path';
import type { CrossOrigin } from '../hosting/cors.ts';
import type { Authentication } from '../local/authorizer.ts';
import type { TableShape } from '../local/table.ts';
import type { FunctionBundle } from './function-bundle.ts';
import { Policy, type Statement } from './policy.ts';
import type { QueueProperties } from './queue.ts';
import { type Place, Templates } from './templates.ts';

export interface DeployedFunction extends FunctionBundle {
  readonly policy: Policy;
}

interface DeployedRoute {
  /** `GET /v1/projects/{id}` or `$default`. */
  readonly key: string;
  readonly function: DeployedFunction;
  /** The token needs one of these scopes; any token suffices when there are none. Without them, requests need no token. */
  readonly scopes: readonly string[] | undefined;
}

export interface EventSource {
  readonly function: DeployedFunction;
  readonly batchSize: number;
  /** Filter patterns. A record must match one of them. */
  readonly patterns: readonly unknown[];
  /** Retries of records before they are discarded. */
  readonly retries: number;
  /** Milliseconds for which records are collected. */
  readonly windowMs: number;
}

export type Deployment = ReturnType<typeof readDeployment>;

const place: Place = { region: process.env['AWS_REGION'] || 'us-east-1', account: '000000000000' };

type Properties = Record<string, unknown>;

function functionBy(functions: readonly DeployedFunction[], reference: unknown): DeployedFunction {
  const found = functions.find(({ name }) => String(reference).split(':').includes(name));
  if (!found) throw new Error(`The templates have no function ${String(reference)}.`);
  return found;
}

function policyOf(role: Properties): Policy {
  const documents = (role['Policies'] ?? []) as { PolicyDocument: { Statement: Statement[] } }[];
  if (role['ManagedPolicyArns'])
    throw new Error(
      'Roles with managed policies are not supported: their statements are not in the templates.',
    );
  return new Policy(documents.flatMap(({ PolicyDocument }) => PolicyDocument.Statement));
}

/** Returns the role with an ARN. The ARN of a resource ends with its logical id. */
const roleBy = (roles: ReadonlyMap<string, Properties>, arn: unknown): Properties | undefined =>
  roles.get(String(arn).split(':').at(-1) ?? '');

function functionsOf(templates: Templates, assembly: string): DeployedFunction[] {
  const roles = templates.ofType('AWS::IAM::Role');
  return [...templates.ofType('AWS::Lambda::Function')].map(([name, properties]) => {
    const role = roleBy(roles, properties['Role']);
    if (!role) throw new Error(`${name} has no role.`);
    const { S3Key } = properties['Code'] as { S3Key: string };
    return {
      name,
      policy: policyOf(role),
      folder: join(assembly, `asset.${S3Key.replace(/\.zip$/, '')}`),
      handler: String(properties['Handler']),
      timeoutMs: Number(properties['Timeout']) * 1_000,
      environment: ((properties['Environment'] as Properties | undefined)?.['Variables'] ?? {}) as Record<
        string,
        string
      >,
    };
  });
}

/** Checks that API Gateway may call the function of a route: one of the permissions of the function has a pattern for the route. */
function requirePermission(templates: Templates, key: string, functionArn: string): void {
  const [apiId] = templates.theOnly('AWS::ApiGatewayV2::Api');
  const { region, account } = templates.place;
  const resource = `arn:aws:execute-api:${region}:${account}:${apiId}/$default/${key.replace(' ', '')}`;
  const action = 'lambda:InvokeFunction';
  const permissions = [...templates.ofType('AWS::Lambda::Permission').values()].filter(
    ({ FunctionName, Principal }) => FunctionName === functionArn && Principal === 'apigateway.amazonaws.com',
  );
  const policy = new Policy(
    permissions.map(({ SourceArn }) => ({ Effect: 'Allow', Action: action, Resource: String(SourceArn) })),
  );
  if (!policy.permissionFor({ action, resource }))
    throw new Error(`API Gateway has no permission to call ${functionArn} for ${key}.`);
}

function routesOf(templates: Templates, functions: readonly DeployedFunction[]): DeployedRoute[] {
  const integrations = templates.ofType('AWS::ApiGatewayV2::Integration');
  return [...templates.ofType('AWS::ApiGatewayV2::Route').values()].map((properties) => {
    const integration = integrations.get(String(properties['Target']).split('/')[1] ?? '');
    const route = {
      key: String(properties['RouteKey']),
      function: functionBy(functions, integration?.['IntegrationUri']),
      scopes:
        properties['AuthorizationType'] === 'JWT'
          ? ((properties['AuthorizationScopes'] ?? []) as string[])
          : undefined,
    };
    requirePermission(templates, route.key, String(integration?.['IntegrationUri']));
    return route;
  });
}

function tableOf(properties: Properties): TableShape {
  const keys = (schema: unknown) => {
    const named = (type: string): string =>
      (schema as { KeyType: string; AttributeName: string }[]).find(({ KeyType }) => KeyType === type)
        ?.AttributeName ?? '';
    return { partitionKey: named('HASH'), sortKey: named('RANGE') };
  };
  const indexes = properties['GlobalSecondaryIndexes'] as { IndexName: string; KeySchema: unknown }[];
  return {
    ...keys(properties['KeySchema']),
    timeToLive: (properties['TimeToLiveSpecification'] as { AttributeName: string }).AttributeName,
    indexes: Object.fromEntries(indexes.map(({ IndexName, KeySchema }) => [IndexName, keys(KeySchema)])),
  };
}

function crossOriginOf(api: Properties): CrossOrigin {
  const cors = api['CorsConfiguration'] as Record<string, string[]> & { MaxAge: number };
  return {
    origins: cors['AllowOrigins'] ?? [],
    methods: cors['AllowMethods'] ?? [],
    requestHeaders: cors['AllowHeaders'] ?? [],
    exposedHeaders: cors['ExposeHeaders'] ?? [],
    maxAgeSeconds: cors.MaxAge,
  };
}

/** Returns the mappings of the table's stream, or the others. */
const mappings = (templates: Templates, ofStream = true) =>
  [...templates.ofType('AWS::Lambda::EventSourceMapping').values()].filter(
    ({ FilterCriteria }) => (FilterCriteria !== undefined) === ofStream,
  );

function streamsOf(templates: Templates, functions: readonly DeployedFunction[]): EventSource[] {
  return mappings(templates).map((mapping) => {
    const { Filters } = mapping['FilterCriteria'] as { Filters: { Pattern: string }[] };
    return {
      function: functionBy(functions, mapping['FunctionName']),
      batchSize: Number(mapping['BatchSize']),
      patterns: Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown),
      retries: Number(mapping['MaximumRetryAttempts']),
      windowMs: 1_000 * Number(mapping['MaximumBatchingWindowInSeconds'] ?? 0),
    };
  });
}

/** Returns the function that the queue of unpublished events calls. There is none without an event bus. */
function queueOf(templates: Templates, functions: readonly DeployedFunction[]) {
  const [mapping] = mappings(templates, false);
  const name = String(mapping?.['EventSourceArn']).split(':').at(-1) ?? '';
  const properties: QueueProperties = { ...templates.ofType('AWS::SQS::Queue').get(name), ...mapping };
  return mapping && { properties, function: functionBy(functions, mapping['FunctionName']) };
}

function authenticationOf(templates: Templates): Authentication | undefined {
  if (templates.ofType('AWS::ApiGatewayV2::Authorizer').size === 0) return undefined;
  const [, authorizer] = templates.theOnly('AWS::ApiGatewayV2::Authorizer');
  const { Issuer, Audience } = authorizer['JwtConfiguration'] as { Issuer: string; Audience: string[] };
  return { issuer: Issuer, audience: Audience };
}

/**
 * Returns the namespace that has all channels, and the function that decides about subscriptions; `undefined` where changes are not announced.
 * @throws Error when a subscription would not wait for the decision of the function, or when AppSync has no permission to call it.
 */
function liveOf(templates: Templates, functions: readonly DeployedFunction[]) {
  if (templates.ofType('AWS::AppSync::ChannelNamespace').size === 0) return undefined;
  const [apiId] = templates.theOnly('AWS::AppSync::Api');
  const [, { Name, HandlerConfigs }] = templates.theOnly('AWS::AppSync::ChannelNamespace');
  const [, source] = templates.theOnly('AWS::AppSync::DataSource');
  const { OnSubscribe } = HandlerConfigs as { OnSubscribe: { Behavior: string; Integration: Properties } };
  const { InvokeType } = OnSubscribe.Integration['LambdaConfig'] as { InvokeType: string };
  if (OnSubscribe.Behavior !== 'DIRECT' || InvokeType !== 'REQUEST_RESPONSE')
    throw new Error('AppSync does not wait for the decision on a subscription.');
  const { LambdaFunctionArn: arn } = source['LambdaConfig'] as { LambdaFunctionArn: string };
  const role = roleBy(templates.ofType('AWS::IAM::Role'), source['ServiceRoleArn']);
  const isAllowed =
    role &&
    JSON.stringify(role['AssumeRolePolicyDocument']).includes('"appsync.amazonaws.com"') &&
    policyOf(role).permissionFor({ action: 'lambda:InvokeFunction', resource: arn });
  if (!isAllowed) throw new Error(`AppSync has no permission to call ${arn}.`);
  const { region, account } = templates.place;
  return {
    namespaceArn: `arn:aws:appsync:${region}:${account}:apis/${apiId}/channelNamespace/${String(Name)}`,
    authorize: functionBy(functions, arn),
  };
}

function tableNameOf(functions: readonly DeployedFunction[]): string {
  const names = new Set(functions.flatMap(({ environment }) => environment['TABLE_NAME'] ?? []));
  const [name = ''] = names;
  if (names.size !== 1) throw new Error(`The functions use ${names.size} tables; they must use one.`);
  return name;
}

/** @throws Error that names what is missing or not supported. */
export function readDeployment(assembly: string) {
  const templates = new Templates(assembly, place);
  const functions = functionsOf(templates, assembly);
  const [, api] = templates.theOnly('AWS::ApiGatewayV2::Api');
  // The canary has a rule too, and nothing here has its address.
  const targets = [...templates.ofType('AWS::Events::Rule').values()].flatMap(
    ({ Targets }) => Targets as { Arn: string }[],
  );
  const [, table] = templates.theOnly('AWS::DynamoDB::GlobalTable');
  return {
    place,
    table: tableOf(table),
    tableName: tableNameOf(functions),
    streamArn: String(mappings(templates)[0]?.['EventSourceArn'] ?? ''),
    functions,
    routes: routesOf(templates, functions),
    crossOrigin: crossOriginOf(api),
    authentication: authenticationOf(templates),
    streams: streamsOf(templates, functions),
    queue: queueOf(templates, functions),
    schedule: functionBy(functions, targets.find(({ Arn }) => Arn.includes('onSchedule'))?.Arn),
    live: liveOf(templates, functions),
  };
}
