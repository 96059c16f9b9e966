import { Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  CorsHttpMethod,
  HttpApi,
  HttpIntegrationType,
  HttpMethod,
  type HttpRoute,
  HttpRouteIntegration,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type Contract, needsToken, scopeOf } from '../../functions/contract/contract.ts';
import { documentationMethods, documentationPaths } from '../../functions/documentation/paths.ts';
import { methodsByPath, routes } from '../../functions/routes.ts';
import { crossOrigin } from '../hosting/cors.ts';
import {
  defaultTenantRate,
  documentationFile,
  fallbackFile,
  requestTimeoutMs,
} from '../hosting/functions.ts';
import type { Accounts } from './accounts.ts';
import { createStage } from './api-stage.ts';
import { type Authorization, authorization } from './authorization.ts';
import { allowedTableArns, isDisposable, requestNamespace } from './names.ts';
import {
  ServiceFunction,
  type ServiceFunctionContext,
  type ServiceFunctionProperties,
} from './service-function.ts';
import type { Settings } from './settings.ts';
import { accessOf } from './table-access.ts';
import { rateStatements } from './table-statements.ts';

const payloadFormatVersion = PayloadFormatVersion.VERSION_2_0;

/** CDK's own integration creates a permission per route. A permission per function saves a fifth of the resources. */
class FunctionIntegration extends HttpRouteIntegration {
  readonly #function: IFunction;

  constructor(id: string, target: IFunction) {
    super(id);
    this.#function = target;
  }

  bind() {
    return { type: HttpIntegrationType.AWS_PROXY, payloadFormatVersion, uri: this.#function.functionArn };
  }
}

/** Allows the gateway to call a function for a path, with any method; without a path, for all paths. */
function allowCall(api: HttpApi, target: IFunction, path = ''): void {
  const { partition, region, account } = Stack.of(api);
  target.addPermission('Gateway', {
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    sourceArn: `arn:${partition}:execute-api:${region}:${account}:${api.apiId}/*/*${path}`,
  });
}

/** Returns the methods of each path that has a function. */
const methodsOfDeployment = ({ documentation }: Settings) =>
  Object.fromEntries(
    Object.entries(methodsByPath).filter(
      ([path]) => documentation || !(documentationPaths as readonly string[]).includes(path),
    ),
  );

const metricsEnvironment = (settings: Settings): Record<string, string> =>
  settings.requestMetrics ? { REQUEST_METRICS: requestNamespace(settings) } : {};

interface Gateway {
  readonly api: HttpApi;
  /** Responds to all requests without a function of their own. */
  readonly fallback: FunctionIntegration;
}

/** Creates the gateway. The fallback function handles requests without a route, so that 404 and 405 are problem responses. */
function httpApi(scope: Construct, context: ServiceFunctionContext): Gateway {
  const { settings } = context;
  const fallback = new ServiceFunction(scope, 'rejectUnmatched', {
    ...context,
    file: fallbackFile,
    description: 'Responds to requests that match no operation.',
    timeoutMs: requestTimeoutMs,
    access: { actions: [] },
    environment: { ...metricsEnvironment(settings), ROUTES: JSON.stringify(methodsOfDeployment(settings)) },
  });
  const integration = new FunctionIntegration('rejectUnmatched', fallback.function);
  const api = new HttpApi(scope, 'Api', {
    // With a domain, the address of AWS would be a second entrance, for example around a web application firewall.
    disableExecuteApiEndpoint: settings.domainName !== '',
    apiName: `project-management-${settings.stage}`,
    createDefaultStage: false,
    defaultIntegration: integration,
    corsPreflight: {
      allowOrigins: [...settings.corsOrigins],
      allowMethods: crossOrigin.methods.map((method) => CorsHttpMethod[method]),
      allowHeaders: [...crossOrigin.requestHeaders],
      exposeHeaders: [...crossOrigin.exposedHeaders],
      maxAge: Duration.seconds(crossOrigin.maxAgeSeconds),
    },
  });
  allowCall(api, fallback.function);
  return { api, fallback: integration };
}

const methodsOf = (methods: readonly (keyof typeof HttpMethod)[]): HttpMethod[] =>
  methods.map((method) => HttpMethod[method]);

/**
 * Adds the routes of the documentation. In a deployment without it, they have no function of their own and respond with 404: API Gateway
 * merges the settings of routes, and can refuse every later update of a stage that has settings of a route which is gone.
 */
function addDocumentation(
  scope: Construct,
  { api, fallback }: Gateway,
  context: ServiceFunctionContext,
): HttpRoute[] {
  const { settings } = context;
  let integration = fallback;
  if (settings.documentation) {
    const handler = new ServiceFunction(scope, 'readDocumentation', {
      ...context,
      file: documentationFile,
      description: 'Responds with the pages and files of the documentation.',
      timeoutMs: requestTimeoutMs,
      environment: metricsEnvironment(settings),
    });
    allowCall(api, handler.function);
    integration = new FunctionIntegration('readDocumentation', handler.function);
  }
  return documentationPaths.flatMap((path) =>
    api.addRoutes({ path, methods: methodsOf(documentationMethods), integration }),
  );
}

/** Returns the capacity units per second that the requests of a tenant may use; 0 without a limit. */
function tenantRateOf(settings: Settings): number {
  if (settings.tenantRate !== '') return settings.tenantRate;
  return isDisposable(settings) ? 0 : defaultTenantRate;
}

function extrasOf(
  { settings }: ServiceFunctionContext,
  contract: Contract,
  auth: Authorization | undefined,
): Pick<ServiceFunctionProperties, 'environment' | 'statements'> {
  const tenantRate = tenantRateOf(settings);
  const isGuarded = needsToken(contract);
  const isLimited = isGuarded && tenantRate > 0;
  return {
    environment: {
      ...metricsEnvironment(settings),
      ...(contract.method !== 'GET' && { HISTORY_DAYS: String(settings.historyDays) }),
      ...(isGuarded && auth?.environment),
      ...(isLimited && { TENANT_RATE: String(tenantRate) }),
    },
    statements: isLimited ? rateStatements(allowedTableArns(settings), accessOf(contract)) : [],
  };
}

/** Creates the gateway, and the function and routes of each operation. HEAD and GET share a function. */
export function gateway(
  scope: Construct,
  context: ServiceFunctionContext,
  accounts: Accounts | undefined,
): HttpApi {
  const { settings } = context;
  const gatewayWithFallback = httpApi(scope, context);
  const { api } = gatewayWithFallback;
  const auth = authorization(settings, accounts);
  const openRoutes: HttpRoute[] = [];
  for (const { contract, file, methods } of routes) {
    const { operation, path, summary } = contract;
    const scopeName = scopeOf(contract);
    const handler = new ServiceFunction(scope, operation, {
      ...context,
      file,
      description: summary,
      timeoutMs: requestTimeoutMs,
      access: accessOf(contract),
      ...extrasOf(context, contract, auth),
    });
    allowCall(api, handler.function, path);
    const added = api.addRoutes({
      path,
      methods: methodsOf(methods),
      integration: new FunctionIntegration(operation, handler.function),
      ...(auth &&
        needsToken(contract) && {
          authorizer: auth.authorizer,
          ...(scopeName && { authorizationScopes: [auth.scopeName(scopeName)] }),
        }),
    });
    if (!needsToken(contract)) openRoutes.push(...added);
  }
  openRoutes.push(...addDocumentation(scope, gatewayWithFallback, context));
  createStage(api, settings, openRoutes);
  Validations.of(api).acknowledge({
    id: 'AwsSolutions-APIG4',
    reason:
      settings.authentication === 'none'
        ? 'The deployment sets authentication to "none".'
        : 'Operations without user data, for example checkHealth, and the fallback need no token.',
  });
  return api;
}
