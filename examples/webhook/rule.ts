/** Deploys the webhook: a rule of the event bus, the function, and a queue for events that could not be delivered. */
import { fileURLToPath } from 'node:url';
import { App, Duration, SecretValue, Stack } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Architecture, Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { buildSync } from 'esbuild';

const app = new App();

/** @throws Error when the command does not pass the value. */
function context(name: string): string {
  const value: unknown = app.node.tryGetContext(name);
  if (typeof value !== 'string') throw new Error(`Pass -c ${name}=…`);
  return value;
}

const url = context('url');
if (!url.startsWith('https://'))
  throw new Error('The url must begin with https://: events have data of users.');

const folder = fileURLToPath(new URL('dist', import.meta.url));
buildSync({
  entryPoints: [fileURLToPath(new URL('webhook.ts', import.meta.url))],
  outfile: `${folder}/index.js`,
  bundle: true,
  platform: 'node',
  target: 'node24',
});

const stack = new Stack(app, 'project-management-webhook');
const undelivered = new Queue(stack, 'Undelivered', { retentionPeriod: Duration.days(14), enforceSSL: true });
const webhook = new Lambda(stack, 'Webhook', {
  code: Code.fromAsset(folder),
  handler: 'index.handler',
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  timeout: Duration.seconds(15),
  environment: {
    WEBHOOK_URL: url,
    // CloudFormation reads it from Secrets Manager. Who may read the configuration of the function sees it.
    WEBHOOK_SECRET: SecretValue.secretsManager(context('secret')).unsafeUnwrap(),
  },
});
// Lambda tries again after one and after two minutes.
webhook.configureAsyncInvoke({ retryAttempts: 2, onFailure: new SqsDestination(undelivered) });
new Rule(stack, 'Rule', {
  eventBus: EventBus.fromEventBusName(stack, 'Bus', context('bus')),
  eventPattern: {
    source: ['project-management'],
    detailType: ['task.created', 'task.updated', 'task.deleted', 'task.restored'],
  },
  targets: [new LambdaFunction(webhook, { deadLetterQueue: undelivered })],
});
