import { Duration, NestedStack, Stack, Validations } from 'aws-cdk-lib';
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpRoute,
  type HttpRouteIntegrationBindOptions,
  HttpRouteKey,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { collectionOf, needsToken, scopeOf } from '../../functions/contract/contract.ts';
import { documentationMethods, documentationPaths } from '../../functions/documentation/paths.ts';
import { authorizationPaths, toolsPath } from '../../functions/mcp/paths.ts';
import { methodsOf, type Route } from '../../functions/routes.ts';
import { packRoutes } from '../../functions/runtime/packed-routes.ts';
import { crossOrigin } from '../hosting/cors.ts';
import {
  authorizationFile,
  defaultTenantRate,
  documentationFile,
  fallbackFile,
  requestTimeoutMs,
  toolsFile,
  toolsTimeoutMs,
} from '../hosting/functions.ts';
import { apiScopes } from '../hosting/scopes.ts';
import { createStage } from './api-stage.ts';
import { type Authorization, authorization } from './authorization.ts';
import { urlOf } from './domain.ts';
import { sharedRole } from './function-roles.ts';
import type { Live } from './live.ts';
import { isDisposable, requestNamespace, signInUrl } from './names.ts';
import {
  ServiceFunction,
  type ServiceFunctionContext,
  type ServiceFunctionProperties,
} from './service-function.ts';
import { hasOwnPool, type Settings } from './settings.ts';
import { accessOf } from './table-access.ts';

interface Gateway {
  readonly context: ServiceFunctionContext;
  readonly api: HttpApi;
  /** The API stack itself. It has the functions without a collection. */
  readonly own: Construct;
  /** Responds to all requests without a function of their own. */
  readonly fallback: HttpLambdaIntegration;
  readonly data: { readonly accounts: Parameters<typeof authorization>[1]; readonly live: Live | undefined };
}

const needsNoToken = {
  id: 'AwsSolutions-APIG4',
  reason: 'The operation has no user data, for example checkHealth, or "authentication" is "none".',
};

/** Calls a function, by one permission for all its routes, which come after it. CDK's own class adds one for each route, and nothing waits for it. */
class FunctionCall extends HttpLambdaIntegration {
  readonly #target: IFunction;
  #permission: CfnPermission | undefined;

  constructor(id: string, target: IFunction) {
    super(id, target);
    this.#target = target;
  }

  protected override completeBind({ route, scope }: HttpRouteIntegrationBindOptions): void {
    const stack = Stack.of(scope);
    this.#permission ??= new CfnPermission(stack, `${this.#target.node.scope?.node.id}Permission`, {
      action: 'lambda:InvokeFunction',
      functionName: this.#target.functionArn,
      principal: 'apigateway.amazonaws.com',
      // Any stage and route, also `$default`, which has no method and no path.
      sourceArn: stack.formatArn({
        service: 'execute-api',
        resource: route.httpApi.apiId,
        resourceName: '*/*',
      }),
    });
    route.node.addDependency(this.#permission);
  }
}

/** Creates a function that responds to requests, and returns how the gateway calls it. */
function integrate(
  scope: Construct,
  id: string,
  properties: Omit<ServiceFunctionProperties, 'timeoutMs'> & { readonly timeoutMs?: number },
): HttpLambdaIntegration {
  const { settings, environment } = properties;
  const metrics = settings.requestMetrics && { REQUEST_METRICS: requestNamespace(settings) };
  const { function: target } = new ServiceFunction(scope, id, {
    timeoutMs: requestTimeoutMs,
    ...properties,
    environment: { ...metrics, ...environment },
  });
  // Another id than in release 0.9, whose integrations had a role: an update of one may keep it.
  return new FunctionCall(`${id}Call`, target);
}

/** Returns the methods of each path that has a function. */
const methodsOfDeployment = ({ documentation }: Settings, operations: readonly Route[]) =>
  Object.fromEntries(
    Object.entries(methodsOf(operations)).filter(
      ([path]) => documentation || !(documentationPaths as readonly string[]).includes(path),
    ),
  );

/** Creates the gateway. The fallback function handles requests without a route, so that 404 and 405 are problem responses. */
function httpApi(
  scope: Construct,
  context: ServiceFunctionContext,
  data: Gateway['data'],
  operations: readonly Route[],
): Gateway {
  const { settings } = context;
  const fallback = integrate(scope, 'rejectUnmatched', {
    ...context,
    file: fallbackFile,
    description: 'Responds to requests that match no operation.',
    role: sharedRole(scope, settings, { actions: [] }, false),
    environment: { ROUTES: packRoutes(methodsOfDeployment(settings, operations)) },
  });
  const api = new HttpApi(scope, 'Api', {
    // With a domain, the address of AWS would be a second entrance, for example around a web application firewall.
    disableExecuteApiEndpoint: settings.domainName !== '',
    apiName: `project-management-${settings.stage}`,
    createDefaultStage: false,
    defaultIntegration: fallback,
    corsPreflight: {
      allowOrigins: [...settings.corsOrigins],
      allowMethods: crossOrigin.methods.map((method) => CorsHttpMethod[method]),
      allowHeaders: [...crossOrigin.requestHeaders],
      exposeHeaders: [...crossOrigin.exposedHeaders],
      maxAge: Duration.seconds(crossOrigin.maxAgeSeconds),
    },
  });
  Validations.of(api).acknowledge(needsNoToken);
  return { context, api, own: scope, fallback, data };
}

function addRoutes(
  scope: Construct,
  httpApi: HttpApi,
  path: string,
  methods: readonly (keyof typeof HttpMethod)[],
  properties: Pick<
    ConstructorParameters<typeof HttpRoute>[2],
    'integration' | 'authorizer' | 'authorizationScopes'
  >,
): HttpRoute[] {
  return methods.map((method) => {
    const routeKey = HttpRouteKey.with(path, HttpMethod[method]);
    const route = new HttpRoute(scope, `${method}${path}`, { httpApi, routeKey, ...properties });
    if (!properties.authorizer) Validations.of(route).acknowledge(needsNoToken);
    return route;
  });
}

/**
 * Adds the routes of the documentation. In a deployment without it, they have no function of their own and respond with 404: API Gateway
 * merges the settings of routes, and can refuse every later update of a stage that has settings of a route which is gone.
 */
function addDocumentation({ context, api, own, fallback }: Gateway): HttpRoute[] {
  const integration = context.settings.documentation
    ? integrate(own, 'readDocumentation', {
        ...context,
        file: documentationFile,
        description: 'Responds with the pages and files of the documentation.',
        role: sharedRole(own, context.settings, { actions: [] }, false),
      })
    : fallback;
  return documentationPaths.flatMap((path) =>
    addRoutes(own, api, path, documentationMethods, { integration }),
  );
}

/** Adds the tools for agents, and the documents that say where users sign in. Without tokens, the routes of the documents respond with 404. */
function addAgents({ context, api, own, fallback }: Gateway, auth: Authorization | undefined): HttpRoute[] {
  const { settings } = context;
  const role = sharedRole(own, settings, { actions: [] }, false);
  const address = { API_URL: urlOf(settings, api) };
  const integration = integrate(own, 'serveTools', {
    ...context,
    file: toolsFile,
    description: 'Offers the API as tools to agents.',
    role,
    timeoutMs: toolsTimeoutMs,
    environment: { ...address, ALLOWED_ORIGINS: settings.corsOrigins.join(',') },
  });
  addRoutes(own, api, toolsPath, ['POST'], { integration, ...(auth && { authorizer: auth.authorizer }) });
  const documents = auth
    ? integrate(own, 'readAuthorization', {
        ...context,
        file: authorizationFile,
        description: 'Says where users of agents sign in.',
        role,
        environment: {
          ...address,
          ISSUER: auth.issuer,
          ...(hasOwnPool(settings) && { SIGN_IN_URL: signInUrl(settings) }),
          SCOPES: apiScopes.map(auth.scopeName).join(','),
        },
      })
    : fallback;
  return Object.values(authorizationPaths).flatMap((path) =>
    addRoutes(own, api, path, ['GET'], { integration: documents }),
  );
}

/** Returns the capacity units per second that the requests of a tenant may use; 0 without a limit. */
function tenantRateOf(settings: Settings): number {
  if (settings.tenantRate !== '') return settings.tenantRate;
  return isDisposable(settings) ? 0 : defaultTenantRate;
}

/** Adds the function and the routes of an operation. HEAD and GET share a function. */
function addOperation(
  { context, api, own, data: { live } }: Gateway,
  stack: Construct,
  { contract, file, methods }: Route,
  auth: Authorization | undefined,
): HttpRoute[] {
  const { settings } = context;
  const { operation, path, summary } = contract;
  const access = accessOf(contract);
  const tenantRate = tenantRateOf(settings);
  const isGuarded = needsToken(contract);
  const isLimited = isGuarded && tenantRate > 0;
  const scopeName = scopeOf(contract);
  const integration = integrate(stack, operation, {
    ...context,
    file,
    description: summary,
    access,
    role: sharedRole(own, settings, access, isLimited),
    environment: {
      ...(contract.method !== 'GET' && { HISTORY_DAYS: String(settings.historyDays) }),
      ...(contract.method !== 'GET' &&
        'members' in (contract.resource?.access ?? {}) && { CLOSE_PROJECTS: settings.closeProjects }),
      ...(isGuarded && auth?.environment),
      ...(contract.success === 'live' && live?.clientEnvironment),
      ...(isLimited && { TENANT_RATE: String(tenantRate) }),
    },
  });
  return addRoutes(stack, api, path, methods, {
    integration,
    ...(auth &&
      isGuarded && {
        authorizer: auth.authorizer,
        ...(scopeName && { authorizationScopes: [auth.scopeName(scopeName)] }),
      }),
  });
}

/**
 * Creates the gateway, and the function and routes of each operation. The operations of a collection have a nested stack, because a stack has at
 * most 500 resources. A new collection changes no other one.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 */
export function gateway(
  scope: Construct,
  context: ServiceFunctionContext,
  data: Gateway['data'],
  operations: readonly Route[],
): HttpApi {
  const { settings } = context;
  const parent = httpApi(scope, context, data, operations);
  const { api, own } = parent;
  const auth = authorization(settings, data.accounts);
  const nested = new Map<string, Construct>();
  let previous: NestedStack | undefined;
  const nestedStack = (collection: string): Construct => {
    const stack = new NestedStack(scope, collection, { description: `The operations of ${collection}.` });
    // One after the other: API Gateway takes ten changes a second of an account, and refuses what changes an API at the same time.
    if (previous) stack.addStackDependency(previous);
    previous = stack;
    return stack;
  };
  const openRoutes: HttpRoute[] = [];
  for (const route of operations) {
    const collection = collectionOf(route.contract);
    const stack = collection === undefined ? own : (nested.get(collection) ?? nestedStack(collection));
    if (collection !== undefined) nested.set(collection, stack);
    const added = addOperation(parent, stack, route, auth);
    if (!needsToken(route.contract)) openRoutes.push(...added);
  }
  openRoutes.push(...addDocumentation(parent), ...addAgents(parent, auth));
  createStage(api, settings, openRoutes);
  return api;
}
