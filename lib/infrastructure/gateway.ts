import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  HttpApi,
  HttpIntegrationType,
  HttpMethod,
  HttpRouteIntegration,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { methodsByPath, routes } from '../../functions/routes.ts';
import { scopeOf } from '../../functions/shared/contract/contract.ts';
import { crossOrigin } from '../hosting/cors.ts';
import { fallbackFile, requestTimeoutMs } from '../hosting/functions.ts';
import { authorization } from './authorization.ts';
import type { DataStack } from './data-stack.ts';
import { ServiceFunction, type ServiceFunctionContext } from './service-function.ts';
import type { Settings } from './settings.ts';

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

/** Allows the gateway to call a function for a path, with any method. Without a path, it is the permission of `$default`. */
function allowCall(api: HttpApi, target: IFunction, path = ''): void {
  const { partition, region, account } = Stack.of(api);
  target.addPermission('Gateway', {
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    sourceArn: `arn:${partition}:execute-api:${region}:${account}:${api.apiId}/*/*${path}`,
  });
}

/** One JSON line per request, without query string and IP address, which can be personal data. */
const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTime',
    route: '$context.routeKey',
    path: '$context.path',
    status: '$context.status',
    latency: '$context.responseLatency',
    integrationLatency: '$context.integrationLatency',
    responseBytes: '$context.responseLength',
    authorizerError: '$context.authorizer.error',
    integrationError: '$context.integrationErrorMessage',
  }),
);

function stage(api: HttpApi, settings: Settings): void {
  const logGroup = new LogGroup(api, 'AccessLog', {
    retention: settings.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  new HttpStage(api, 'Stage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    throttle: { rateLimit: settings.throttlingRate, burstLimit: settings.throttlingBurst },
    accessLogSettings: { destination: new LogGroupLogDestination(logGroup), format: accessLog },
  });
}

/** Creates the gateway. The fallback function handles requests without a route, so that 404 and 405 are problem responses. */
function httpApi(scope: Construct, context: ServiceFunctionContext, { table }: DataStack): HttpApi {
  const { settings } = context;
  const fallback = new ServiceFunction(scope, 'answerUnmatched', {
    ...context,
    file: fallbackFile,
    description: 'Responds to requests that match no operation.',
    timeoutMs: requestTimeoutMs,
    data: { table, access: { actions: [] } },
    environment: { ROUTES: JSON.stringify(methodsByPath) },
  });
  const api = new HttpApi(scope, 'Api', {
    apiName: `project-management-${settings.stage}`,
    createDefaultStage: false,
    defaultIntegration: new FunctionIntegration('answerUnmatched', fallback.function),
    corsPreflight: {
      allowOrigins: [...settings.corsOrigins],
      allowMethods: crossOrigin.methods.map((method) => CorsHttpMethod[method]),
      allowHeaders: [...crossOrigin.requestHeaders],
      exposeHeaders: [...crossOrigin.exposedHeaders],
      maxAge: Duration.seconds(crossOrigin.maxAgeSeconds),
    },
  });
  allowCall(api, fallback.function);
  stage(api, settings);
  return api;
}

/** Creates the gateway, and the function and routes of each operation. HEAD and GET share a function. */
export function gateway(scope: Construct, context: ServiceFunctionContext, data: DataStack): HttpApi {
  const { settings } = context;
  const api = httpApi(scope, context, data);
  const auth = authorization(scope, settings, data.accounts);
  for (const { contract, file, methods } of routes) {
    const { operation, path, summary, access } = contract;
    const scopeName = scopeOf(contract);
    const handler = new ServiceFunction(scope, operation, {
      ...context,
      file,
      description: summary,
      timeoutMs: requestTimeoutMs,
      data: { table: data.table, access },
      ...(auth && scopeName && { environment: auth.environment }),
    });
    allowCall(api, handler.function, path);
    api.addRoutes({
      path,
      methods: methods.map((method) => HttpMethod[method]),
      integration: new FunctionIntegration(operation, handler.function),
      ...(auth &&
        scopeName && { authorizer: auth.authorizer, authorizationScopes: [auth.scopeName(scopeName)] }),
    });
  }
  Validations.of(api).acknowledge({
    id: 'AwsSolutions-APIG4',
    reason:
      settings.authentication === 'none'
        ? 'The deployment sets authentication to "none".'
        : 'Operations without user data, for example checkHealth, and the fallback need no token.',
  });
  return api;
}
