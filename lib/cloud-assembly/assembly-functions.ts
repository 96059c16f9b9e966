/** Loads the functions from a cloud assembly, for the local gateway, with the IAM proxy in front of the database. */
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { APIGatewayProxyEventV2, Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { type Authentication, Authorizer } from '../local/authorizer.ts';
import { setCredentials } from '../local/engine-environment.ts';
import { liveEnvironment } from '../local/function-environment.ts';
import type { FunctionHost } from '../local/hosted-functions.ts';
import type { GatewayRoute, LambdaFunction } from '../local/http-api.ts';
import { functionContext, scheduledEvent } from '../local/lambda-context.ts';
import { newRequestId } from '../local/lambda-event.ts';
import { EventsApi } from '../local/live/events-api.ts';
import { publishPath } from '../local/live/messages.ts';
import { type DeployedFunction, type Deployment, type EventSource, readDeployment } from './deployment.ts';
import { matchesPattern } from './event-pattern.ts';
import { bundleHandler } from './function-bundle.ts';
import { type PermissionReport, startIamProxy } from './iam-proxy.ts';
import { startQueue } from './queue.ts';
import { type StreamFunction, StreamReader } from './stream-reader.ts';

interface AssemblyOptions {
  readonly assembly: string;
  /** Does not read the stream, so that the schedule runs all jobs. */
  readonly withoutStream?: boolean;
  readonly onPermissionReport: (report: PermissionReport[]) => void;
}

/** Variables that Lambda adds to the functions' own. */
type Environment = Readonly<Record<string, string>>;

function invoker<Event, Result>(target: DeployedFunction, environment: Environment) {
  const call = bundleHandler<Event, Context, Result>(target, environment);
  return (event: Event, requestId = newRequestId(), calls = 0): Promise<Result> =>
    call(event, functionContext(requestId, target.timeoutMs), calls);
}

function streamFunction(
  { function: target, batchSize, patterns }: EventSource,
  environment: Environment,
): StreamFunction {
  // A function that does not report failed records returns nothing.
  const invoke = invoker<DynamoDBStreamEvent, DynamoDBBatchResponse | undefined>(target, environment);
  return async ({ Records }) => {
    const records = Records.filter((record) => patterns.some((pattern) => matchesPattern(pattern, record)));
    for (let start = 0; start < records.length; start += batchSize) {
      const response = await invoke({ Records: records.slice(start, start + batchSize) });
      if (response && response.batchItemFailures.length > 0) return response;
    }
    return { batchItemFailures: [] };
  };
}

function gatewayRoutes(deployment: Deployment, environment: Environment) {
  // HEAD and GET share a function, whose bundle is loaded once.
  const loaded = new Map<DeployedFunction, LambdaFunction>();
  const functionOf = (target: DeployedFunction): LambdaFunction => {
    const invoke = invoker<APIGatewayProxyEventV2, Awaited<ReturnType<LambdaFunction>>>(target, environment);
    const known = loaded.get(target) ?? ((event, context) => invoke(event, context.awsRequestId));
    loaded.set(target, known);
    return known;
  };
  const routes: GatewayRoute[] = [];
  let fallback: LambdaFunction | undefined;
  for (const { key, function: target, scopes } of deployment.routes) {
    const [method = '', path] = key.split(' ');
    if (path === undefined) fallback = functionOf(target);
    else routes.push({ method, path, function: functionOf(target), scopes });
  }
  if (!fallback) throw new Error('The templates have no $default route.');
  return { routes, fallback };
}

/** Returns where clients hear of changes. */
function announcements(
  { namespaceArn, authorize }: NonNullable<Deployment['live']>,
  authentication: Authentication | undefined,
) {
  const AUDIENCE = authentication?.audience.join() ?? '';
  const decide = invoker<object, { readonly error: string } | null>(authorize, { AUDIENCE });
  const authorizer = authentication && new Authorizer(authentication);
  return {
    namespaceArn,
    api: new EventsApi({ authorizeSubscription: (event) => decide(event), authorizer }),
  };
}

export const assemblyFunctions =
  ({ assembly, withoutStream = false, onPermissionReport }: AssemblyOptions): FunctionHost =>
  async ({ endpoint }, options) => {
    setCredentials(endpoint);
    const deployment = readDeployment(assembly);
    const { place, tableName, streamArn, functions, streams, queue, schedule } = deployment;
    const { partitionKey } = deployment.table;
    const authentication = deployment.authentication && (options.authentication ?? deployment.authentication);
    const live = deployment.live && announcements(deployment.live, authentication);
    const policies = new Map(functions.map(({ name, policy }) => [name, policy]));
    let send: Parameters<typeof startIamProxy>[0]['send'] = () => ({ status: 400, body: {} });
    const proxied = { engine: endpoint, place, streamArn, partitionKey, policies, live };
    const proxy = await startIamProxy({ ...proxied, send: (...message) => send(...message) });
    const environment: Record<string, string> = {
      ...liveEnvironment(proxy.endpoint + publishPath),
      AWS_REGION: place.region,
      AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      AWS_ENDPOINT_URL_EVENTBRIDGE: proxy.endpoint,
      AWS_ENDPOINT_URL_SQS: proxy.endpoint,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      SERVER_TIMING: 'true',
    };
    const readers = streams.map((source) => {
      // Lambda reads the stream with the role of the function.
      const credentials = { accessKeyId: source.function.name, secretAccessKey: 'local' };
      const client = new DynamoDBStreamsClient({ endpoint: proxy.endpoint, credentials });
      const deliver = streamFunction(source, environment);
      return { client, reader: new StreamReader(client, tableName, deliver, source) };
    });
    if (queue) send = startQueue(queue.properties, invoker(queue.function, environment));
    const onSchedule = invoker<ReturnType<typeof scheduledEvent>, void>(schedule, environment);
    return {
      table: deployment.table,
      tableName,
      needsStream: !withoutStream,
      gateway: {
        ...gatewayRoutes(deployment, environment),
        timeoutMs: Math.max(...functions.map(({ timeoutMs }) => timeoutMs)),
        crossOrigin: deployment.crossOrigin,
        authorizer: authentication && new Authorizer(authentication),
      },
      live: live?.api,
      setAddress: (url) => {
        environment['API_URL'] = url;
      },
      onSchedule: () => onSchedule(scheduledEvent()),
      startEventSources: async () => {
        if (!withoutStream) await Promise.all(readers.map(({ reader }) => reader.start()));
      },
      stop: async () => {
        live?.api.stop();
        await Promise.all(readers.map(({ reader }) => reader.stop()));
        for (const { client } of readers) client.destroy();
        onPermissionReport(proxy.report());
        await proxy.stop();
      },
    };
  };
