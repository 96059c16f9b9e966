import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnRoute,
  type CfnStage,
  type HttpApi,
  type HttpRoute,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { routeLimits } from '../site/limits.ts';
import { accessLogName } from './names.ts';
import type { Settings } from './settings.ts';

/** Returns one JSON line per request, without query string, and without IP address unless the setting asks for it: both can be personal data. */
const accessLog = ({ logSourceIp }: Settings): AccessLogFormat =>
  AccessLogFormat.custom(
    JSON.stringify({
      requestId: '$context.requestId',
      time: '$context.requestTime',
      ...(logSourceIp && { sourceIp: '$context.identity.sourceIp' }),
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

/** Limits of each route that needs no token: everyone can call it, and each call costs money. */
const openRouteLimits = { rate: 50, burst: 100 };

/**
 * @param openRoutes the routes that need no token, besides `$default`. They are the same with all settings: API Gateway merges the settings of
 * routes, and can refuse every later update of a stage that has settings of a route which is gone.
 */
export function createStage(api: HttpApi, settings: Settings, openRoutes: readonly HttpRoute[]): void {
  const { throttlingRate, throttlingBurst } = settings;
  const logGroup = LogGroup.fromLogGroupName(api, 'AccessLog', accessLogName(settings));
  const stage = new HttpStage(api, 'Stage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    throttle: { rateLimit: throttlingRate, burstLimit: throttlingBurst },
    accessLogSettings: { destination: new LogGroupLogDestination(logGroup), format: accessLog(settings) },
  });
  const limitsOf = (key: string) => {
    const [, path = ''] = key.split(' ');
    const { rate, burst } =
      (routeLimits as Readonly<Record<string, typeof openRouteLimits>>)[path] ?? openRouteLimits;
    return {
      ThrottlingRateLimit: Math.min(throttlingRate, rate),
      ThrottlingBurstLimit: Math.min(throttlingBurst, burst),
    };
  };
  // API Gateway refuses settings of a route that does not exist yet.
  const routes = [...openRoutes, api.node.findChild('DefaultRoute')];
  for (const route of routes) stage.node.addDependency(route);
  const keys = openRoutes.map(({ node }) => (node.defaultChild as CfnRoute).routeKey);
  (stage.node.defaultChild as CfnStage).routeSettings = Object.fromEntries(
    [...keys, '$default'].map((key) => [key, limitsOf(key)]),
  );
}
