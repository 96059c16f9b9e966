import { Duration } from 'aws-cdk-lib';
import { CorsHttpMethod, HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Construct } from 'constructs';
import { methodsByPath, routes } from '../../functions/routes.ts';
import { crossOrigin } from '../cross-origin.ts';
import { fallbackFile, requestTimeout } from '../functions.ts';
import { ServiceFunction, type ServiceFunctionContext } from './service-function.ts';

const timeout = Duration.millis(requestTimeout);

/** The gateway itself: what no operation has, it hands to the fallback, so that a 404 or 405 has our form. */
function httpApi(scope: Construct, context: ServiceFunctionContext): HttpApi {
  const fallback = new ServiceFunction(scope, 'answerUnmatched', {
    ...context,
    file: fallbackFile,
    description: 'Answers what no operation has.',
    access: { actions: [] },
    timeout,
    environment: { ROUTES: JSON.stringify(methodsByPath) },
  });
  return new HttpApi(scope, 'Api', {
    apiName: 'project-management',
    defaultIntegration: new HttpLambdaIntegration('answerUnmatched', fallback.function),
    corsPreflight: {
      allowOrigins: [...crossOrigin.origins],
      allowMethods: crossOrigin.methods.map((method) => CorsHttpMethod[method]),
      allowHeaders: [...crossOrigin.requestHeaders],
      exposeHeaders: [...crossOrigin.exposedHeaders],
      maxAge: Duration.seconds(crossOrigin.maximumAge),
    },
  });
}

/** Makes the gateway and, for each operation, its function and its routes. A `HEAD` is its `GET`'s function. */
export function gateway(scope: Construct, context: ServiceFunctionContext): HttpApi {
  const api = httpApi(scope, context);
  for (const { contract, file, methods } of routes) {
    const { operation, path, summary, access } = contract;
    const handler = new ServiceFunction(scope, operation, {
      ...context,
      file,
      description: summary,
      access,
      timeout,
    });
    api.addRoutes({
      path,
      methods: methods.map((method) => HttpMethod[method]),
      integration: new HttpLambdaIntegration(operation, handler.function),
    });
  }
  return api;
}
