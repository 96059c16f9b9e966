/**
 * Announces new positions of change logs to the clients that are connected: a poke says that a log has changed, never what. The feed is the only truth, so a poke that is
 * lost costs time and nothing else. The only file that signs requests: the SDK has no client that publishes on AppSync Events.
 * @see https://docs.aws.amazon.com/appsync/latest/eventapi/publish-http.html
 */
import { json } from 'node:stream/consumers';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Context, DynamoDBRecord } from 'aws-lambda';
import { parseLogPartition, positionOf, recordPrefix } from '../engine/model/change-log.ts';
import { channelOf } from '../http/live-channels.ts';
import { environment } from '../runtime/environment.ts';
import { forEach } from '../runtime/for-each.ts';
import { lazy } from '../runtime/lazy.ts';
import { logError, logMetrics } from '../runtime/logger.ts';
import { requestHandler } from '../runtime/request-handler.ts';
import { monotonic, startTimer } from '../runtime/time-and-chance.ts';
import { resources } from '../schema.ts';
import { logContextOf } from './job-session.ts';

/** The metric of pokes that were not sent, as the alarm uses it. */
export const lostPokes = 'LostPokes';

/** Requests at the same time. */
const concurrency = 10;

/** Milliseconds that pokes have after the work of the function has ended. The stream waits meanwhile. */
const extraMs = 500;

/** Returns whether a record of the stream is a new record of a log, a filler too: it closes a hole that clients wait for. */
export const isLogRecord = ({ eventName, dynamodb }: DynamoDBRecord): boolean =>
  eventName === 'INSERT' && dynamodb?.Keys?.['sk']?.S?.startsWith(recordPrefix) === true;

/** Returns the newest position of each log that has new records, by channel. */
function pokesOf(records: readonly DynamoDBRecord[]): Map<string, number> {
  const pokes = new Map<string, number>();
  for (const { dynamodb } of records.filter(isLogRecord)) {
    const log = parseLogPartition(dynamodb?.Keys?.['pk']?.S);
    const resource = resources.find(({ kind }) => kind === log?.kind);
    if (!log || !resource) continue;
    const channel = channelOf(log.tenant, resource.plural);
    const position = positionOf(dynamodb?.Keys?.['sk']?.S ?? '');
    pokes.set(channel, Math.max(position, pokes.get(channel) ?? 0));
  }
  return pokes;
}

/** Returns the process's one connection: it stays open. */
const connection = lazy(() => new NodeHttpHandler(requestHandler));

const signer = lazy(
  () =>
    new SignatureV4({
      service: 'appsync',
      region: environment.region(),
      credentials: environment.credentials(),
      sha256: Sha256,
    }),
);

/** Sends one poke, once. @throws Error when it was not accepted. */
async function publish(channel: string, position: number, abortSignal: AbortSignal): Promise<void> {
  const { protocol, hostname, port, host, pathname } = new URL(environment.liveEndpoint() ?? '');
  const request = new HttpRequest({
    method: 'POST',
    ...{ protocol, hostname, path: pathname },
    ...(port && { port: Number(port) }),
    headers: { host, 'content-type': 'application/json' },
    body: JSON.stringify({ channel, events: [JSON.stringify({ position })] }),
  });
  const signed = (await signer().sign(request)) as HttpRequest;
  const { response } = await connection().handle(signed, { abortSignal });
  const { failed = [] } = (await json(response.body)) as { readonly failed?: readonly unknown[] };
  if (response.statusCode !== 200 || failed.length > 0)
    throw new Error(`AppSync refused a poke with the status ${response.statusCode}.`);
}

/**
 * Does the work of a function, and beside it announces the new records of its batch. The work does not wait for them: those that are not sent soon after it has
 * ended are given up. None is repeated.
 */
export async function announcing<Result>(
  records: readonly DynamoDBRecord[],
  { awsRequestId: requestId, functionName }: Context,
  work: () => Promise<Result>,
): Promise<Result> {
  if (environment.liveEndpoint() === undefined) return work();
  const started = monotonic();
  const pokes = pokesOf(records);
  const stop = new AbortController();
  let sent = 0;
  let failure: unknown;
  const publishing = forEach(pokes, concurrency, async ([channel, position]) => {
    if (stop.signal.aborted) return;
    try {
      await publish(channel, position, stop.signal);
      sent += 1;
    } catch (error) {
      failure = error;
    }
  });
  try {
    return await work();
  } finally {
    const cancel = startTimer(extraMs, () => stop.abort());
    await publishing;
    cancel();
    const lost = pokes.size - sent;
    if (lost > 0) {
      const line = logContextOf({ operation: 'onLogRecords', requestId, started });
      logError('Pokes were not published.', line, failure, { lost });
      logMetrics(['FunctionName', functionName], { [lostPokes]: lost });
    }
  }
}
