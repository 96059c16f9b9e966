/** A look from outside: a function that uses the service through its public address, with a client of its own. */
import { Duration, NestedStack, SecretValue, Validations } from 'aws-cdk-lib';
import { CfnUserPoolClient } from 'aws-cdk-lib/aws-cognito';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { canaryFile } from '../hosting/functions.ts';
import { resourceServer } from '../hosting/scopes.ts';
import type { Accounts } from './accounts.ts';
import { isDisposable, signInUrl } from './names.ts';
import { ServiceFunction, type ServiceFunctionContext } from './service-function.ts';
import { hasOwnPool, type Settings } from './settings.ts';

export interface CanaryClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const hasCanary = (settings: Settings): boolean =>
  settings.canary === '' ? !isDisposable(settings) && hasOwnPool(settings) : settings.canary;

/** Returns the client of the canary: one of the pool of the stack, or that of the settings. @returns undefined without a canary. */
export function canaryClient(
  scope: Construct,
  settings: Settings,
  accounts: Accounts | undefined,
): CanaryClient | undefined {
  if (!hasCanary(settings)) return undefined;
  if (accounts && hasOwnPool(settings)) {
    const client = new CfnUserPoolClient(scope, 'CanaryClient', {
      userPoolId: accounts.userPoolId,
      generateSecret: true,
      allowedOAuthFlowsUserPoolClient: true,
      allowedOAuthFlows: ['client_credentials'],
      allowedOAuthScopes: ['read', 'write'].map((verb) => `${resourceServer}/tags:${verb}`),
      explicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
      accessTokenValidity: 24,
    });
    const tokenUrl = `${signInUrl(settings)}/oauth2/token`;
    return { tokenUrl, clientId: client.ref, clientSecret: client.attrClientSecret };
  }
  const field = (jsonField: string): string =>
    SecretValue.secretsManager(settings.canaryClient, { jsonField }).unsafeUnwrap();
  return { tokenUrl: field('tokenUrl'), clientId: field('clientId'), clientSecret: field('clientSecret') };
}

/**
 * Creates the function, which runs every minute. Its environment has the secret of its client: whoever reads it can use the tenant of the canary alone, which
 * has one tag.
 */
export function createCanary(
  scope: Construct,
  context: ServiceFunctionContext,
  url: string,
  { tokenUrl, clientId, clientSecret }: CanaryClient,
): LambdaFunction {
  const { function: target } = new ServiceFunction(scope, 'useService', {
    ...context,
    file: canaryFile,
    description: 'Uses the service from outside, as an app does.',
    timeoutMs: 50_000,
    environment: { API_URL: url, TOKEN_URL: tokenUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret },
  });
  // The next run comes a minute later, and two at once would change the same tag.
  target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  Validations.of(target).acknowledge({
    id: 'Serverless-LambdaAsyncFailureDestination',
    reason: 'What fails raises an alarm, and the next run comes a minute later.',
  });
  const rule = new Rule(scope, 'Canary', {
    description: 'Uses the service from outside.',
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new FunctionTarget(target, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
  });
  // Its operations are in nested stacks.
  rule.node.addDependency(...scope.node.children.filter((one) => NestedStack.isNestedStack(one)));
  Validations.of(rule).acknowledge({
    id: 'Serverless-EventBusDLQ',
    reason: 'A run that does not come raises an alarm, and the next one comes a minute later.',
  });
  return target;
}
