/** Compacts the logs of which the table's stream reports new records. A log with few records waits for its reminder. */

import type { Context, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { compactBusyLog, lookAgain } from '../engine/due-work/compact-log.ts';
import { type LogIdentity, parseLogPartition } from '../engine/model/change-log.ts';
import { openDatabase } from '../open-database.ts';
import { environment } from '../runtime/environment.ts';
import { forEach } from '../runtime/for-each.ts';
import { logMetrics } from '../runtime/logger.ts';
import { monotonic } from '../runtime/time-and-chance.ts';
import { jobMetrics } from './job-metrics.ts';
import { runLogged } from './job-session.ts';
import { announcing, isLogRecord } from './publish-pokes.ts';

function logsOf(records: readonly DynamoDBRecord[]): LogIdentity[] {
  const partitions = new Set(records.map(({ dynamodb }) => dynamodb?.Keys?.['pk']?.S));
  return [...partitions].flatMap((partition) => parseLogPartition(partition) ?? []);
}

const concurrency = 8;

/** Milliseconds of compaction where changes are announced: the next ones of a log wait for the call, and a busy log always has a further step. */
const maxStepsMs = 250;

/** Milliseconds that are kept for telling the schedule of a log that could not be compacted. */
const reminderReserveMs = 3_000;

/**
 * Compacts the logs that have new records. A log that cannot be compacted does not fail the batch, because a retry would delay all other logs: the
 * schedule looks at it.
 */
export async function compactLogs(Records: readonly DynamoDBRecord[], context: Context): Promise<void> {
  const reserve = openDatabase(context);
  const database = openDatabase(context, reserve.deadline.remaining() - reminderReserveMs);
  const added = Records.filter(isLogRecord);
  const invocation = {
    operation: 'onLogRecords',
    requestId: context.awsRequestId,
    started: monotonic(),
  };
  const forMs = environment.liveEndpoint() === undefined ? undefined : maxStepsMs;
  let pending = 0;
  const compactOne = async ({ tenant, kind }: LogIdentity): Promise<void> => {
    await runLogged(invocation, { tenant, kind }, async () => {
      try {
        const look = await compactBusyLog({ tenant, database }, kind, forMs);
        pending = Math.max(pending, look.pending);
        return look.hasStepped;
      } catch (error) {
        await lookAgain({ tenant, database: reserve }, kind);
        throw error;
      }
    });
  };
  await forEach(logsOf(added), concurrency, compactOne);
  // Most batches have few records of a log.
  if (pending > 0) logMetrics(['FunctionName', context.functionName], { [jobMetrics.pending]: pending });
}

export const handler = ({ Records }: DynamoDBStreamEvent, context: Context): Promise<void> =>
  announcing(Records, context, () => compactLogs(Records, context));
