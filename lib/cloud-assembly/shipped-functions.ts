/** The functions as they would be shipped, behind the gateway of this machine and the door to the database. */
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { APIGatewayProxyEventV2, Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { Authorizer } from '../local/authorizer.ts';
import { functionContext, scheduledEvent } from '../local/context.ts';
import { isAws, setCredentials } from '../local/engine-environment.ts';
import { newRequestId } from '../local/event.ts';
import type { GatewayRoute, LambdaFunction } from '../local/gateway.ts';
import type { FunctionHost } from '../local/hosted-functions.ts';
import { type DeployedFunction, type Deployment, type EventSource, readDeployment } from './deployment.ts';
import { openDoor, type Usage } from './door.ts';
import { fits } from './event-pattern.ts';
import { callable } from './shipped-function.ts';
import { type StreamFunction, StreamReader } from './stream-reader.ts';

export interface SynthesizedOptions {
  /** The folder that `npm run synth` writes. */
  readonly assembly: string;
  /** Leaves the stream unread, so that the schedule does the work. */
  readonly withoutStream?: boolean;
  /** Told at the end what functions did with what they may do. */
  readonly onUsage: (usage: Usage[]) => void;
}

type Environment = Readonly<Record<string, string>>;

/** Calls a function with the time that the template gives it. */
function invoker<Event, Result>(target: DeployedFunction, environment: Environment) {
  const call = callable<Event, Context, Result>(target, environment);
  return (event: Event, requestId = newRequestId()): Promise<Result> =>
    call(event, functionContext(requestId, target.timeout));
}

/** Delivers records as the event source mapping says: those that fit its patterns, in its batches. */
function streamFunction(
  { function: target, batchSize, patterns }: EventSource,
  environment: Environment,
): StreamFunction {
  const invoke = invoker<DynamoDBStreamEvent, DynamoDBBatchResponse>(target, environment);
  return async ({ Records }) => {
    const wanted = Records.filter((record) => patterns.some((pattern) => fits(pattern, record)));
    for (let start = 0; start < wanted.length; start += batchSize) {
      const answer = await invoke({ Records: wanted.slice(start, start + batchSize) });
      if (answer.batchItemFailures.length > 0) return answer;
    }
    return { batchItemFailures: [] };
  };
}

function gatewayRoutes(deployment: Deployment, environment: Environment) {
  // A HEAD and its GET share a function: it is loaded once.
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
  if (!fallback) throw new Error('There is no $default route.');
  return { routes, fallback };
}

/** Makes what `startService` takes to run what was synthesized. */
export const shippedFunctions =
  ({ assembly, withoutStream = false, onUsage }: SynthesizedOptions): FunctionHost =>
  async ({ endpoint, tableName }, { authentication }) => {
    if (isAws(endpoint))
      throw new Error('The door to the database signs for nobody: AWS would not let it through.');
    setCredentials(endpoint);
    const deployment = readDeployment(assembly, tableName);
    const { place, streamArn, functions, stream, schedule } = deployment;
    const policies = new Map(functions.map(({ name, policy }) => [name, policy]));
    const door = await openDoor({ engine: endpoint, place, streamArn, policies });
    const environment = {
      AWS_REGION: place.region,
      AWS_ENDPOINT_URL_DYNAMODB: door.endpoint,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      SERVER_TIMING: 'true',
    };
    // The event source mapping reads the stream in the function's name.
    const streams = new DynamoDBStreamsClient({
      endpoint: door.endpoint,
      credentials: { accessKeyId: stream.function.name, secretAccessKey: 'local' },
    });
    const reader = new StreamReader(streams, tableName, streamFunction(stream, environment));
    const onSchedule = invoker<ReturnType<typeof scheduledEvent>, void>(schedule, environment);
    const asked = deployment.authentication && (authentication ?? deployment.authentication);
    return {
      table: deployment.table,
      needsStream: !withoutStream,
      gateway: {
        ...gatewayRoutes(deployment, environment),
        timeoutMs: Math.max(...functions.map(({ timeout }) => timeout)),
        crossOrigin: deployment.crossOrigin,
        authorizer: asked && new Authorizer(asked),
      },
      onSchedule: () => onSchedule(scheduledEvent()),
      startEventSources: async () => {
        if (!withoutStream) await reader.start();
      },
      stop: async () => {
        await reader.stop();
        streams.destroy();
        onUsage(door.usage());
        await door.stop();
      },
    };
  };
