/** Delivers stream records to a function with the retries of Lambda's event source mapping (`lib/infrastructure/jobs.ts`). */
import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBBatchResponse } from 'aws-lambda';

interface Delivery {
  readonly call: (records: readonly StreamRecord[]) => Promise<DynamoDBBatchResponse>;
  /** Receives the records whose retries are used up. In the cloud they go to the dead-letter queue. */
  readonly onDiscarded: (records: readonly StreamRecord[], error: unknown) => void;
  readonly isStopped: () => boolean;
  /** Retries of records before they are discarded. */
  readonly retries: number;
}

interface Batch {
  readonly records: readonly StreamRecord[];
  /** Number of deliveries, including the next one. */
  readonly attempt: number;
}

const numberOf = ({ dynamodb }: StreamRecord): string => dynamodb?.SequenceNumber ?? '';

/**
 * Delivers a batch once.
 * @returns the remaining records: the first failed record and all after it.
 * @throws Error when the function fails, or reports records that it did not receive.
 */
async function deliverOnce(
  records: readonly StreamRecord[],
  { call }: Delivery,
): Promise<readonly StreamRecord[]> {
  const { batchItemFailures } = await call(records);
  const positions = batchItemFailures.map(({ itemIdentifier }) =>
    records.findIndex((record) => numberOf(record) === itemIdentifier),
  );
  if (positions.includes(-1)) throw new Error('The function reported records that it did not receive.');
  return positions.length === 0 ? [] : records.slice(Math.min(...positions));
}

function retriesOf({ records, attempt }: Batch, remaining: readonly StreamRecord[]): Batch[] {
  // Lambda bisects a batch that failed as a whole. A bisection does not count as a retry.
  if (remaining === records && records.length > 1) {
    const middle = Math.ceil(records.length / 2);
    return [records.slice(0, middle), records.slice(middle)].map((half) => ({ records: half, attempt }));
  }
  return [{ records: remaining, attempt: attempt + 1 }];
}

/**
 * Delivers records in order until each one succeeds or its retries are used up. A record that always fails does not
 * block the records after it.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export async function deliverAll(records: readonly StreamRecord[], delivery: Delivery): Promise<void> {
  const waiting: Batch[] = [{ records, attempt: 1 }];
  for (let batch = waiting.shift(); batch && !delivery.isStopped(); batch = waiting.shift()) {
    let remaining = batch.records;
    let failure: unknown;
    try {
      remaining = [...(await deliverOnce(batch.records, delivery))];
    } catch (error) {
      failure = error;
    }
    if (remaining.length === 0) continue;
    if (batch.attempt > delivery.retries && (remaining !== batch.records || remaining.length === 1)) {
      delivery.onDiscarded(remaining, failure);
    } else {
      waiting.unshift(...retriesOf(batch, remaining));
    }
  }
}
