/** Records of a stream, handed to a function as Lambda's event source mapping of `lib/infrastructure/jobs.ts` does. */
import type { DynamoDBBatchResponse } from 'aws-lambda';
import { streamRetries } from '../hosting/functions.ts';

/** What is told apart by the number that it has in its shard. */
interface Numbered {
  readonly dynamodb?: { readonly SequenceNumber?: string | undefined } | undefined;
}

export interface Delivery<StreamRecord> {
  /** Calls the function. */
  readonly call: (records: readonly StreamRecord[]) => Promise<DynamoDBBatchResponse>;
  /** Hears of records that were delivered as often as they are. In the cloud a queue has a letter of it. */
  readonly setAside: (records: readonly StreamRecord[], error: unknown) => void;
  readonly isStopped: () => boolean;
}

interface Batch<StreamRecord> {
  readonly records: readonly StreamRecord[];
  /** Deliveries, this one included. */
  readonly delivery: number;
}

const numberOf = ({ dynamodb }: Numbered): string => dynamodb?.SequenceNumber ?? '';

/**
 * Delivers a batch once.
 * @returns the records that are left: from the first that failed on.
 * @throws Error when the function failed as a whole, or names records that it was not given.
 */
async function deliverOnce<StreamRecord extends Numbered>(
  records: readonly StreamRecord[],
  { call }: Delivery<StreamRecord>,
): Promise<readonly StreamRecord[]> {
  const { batchItemFailures } = await call(records);
  const places = batchItemFailures.map(({ itemIdentifier }) =>
    records.findIndex((record) => numberOf(record) === itemIdentifier),
  );
  if (places.includes(-1)) throw new Error('The function names records that it was not given.');
  return places.length === 0 ? [] : records.slice(Math.min(...places));
}

/** What comes next of a batch in which something failed. */
function next<StreamRecord>(
  { records, delivery }: Batch<StreamRecord>,
  left: readonly StreamRecord[],
): Batch<StreamRecord>[] {
  // What failed as a whole is halved until what is to blame is alone; that does not count as another delivery.
  if (left === records && records.length > 1) {
    const middle = Math.ceil(records.length / 2);
    return [records.slice(0, middle), records.slice(middle)].map((half) => ({ records: half, delivery }));
  }
  return [{ records: left, delivery: delivery + 1 }];
}

/**
 * Delivers records, in their order, until each is done or set aside: one that cannot be done keeps none behind it waiting
 * for ever.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export async function deliverAll<StreamRecord extends Numbered>(
  records: readonly StreamRecord[],
  delivery: Delivery<StreamRecord>,
): Promise<void> {
  const waiting: Batch<StreamRecord>[] = [{ records, delivery: 1 }];
  for (let batch = waiting.shift(); batch && !delivery.isStopped(); batch = waiting.shift()) {
    let left = batch.records;
    let failure: unknown;
    try {
      left = [...(await deliverOnce(batch.records, delivery))];
    } catch (error) {
      failure = error;
    }
    if (left.length === 0) continue;
    if (batch.delivery > streamRetries && (left !== batch.records || left.length === 1)) {
      delivery.setAside(left, failure);
    } else {
      waiting.unshift(...next(batch, left));
    }
  }
}
