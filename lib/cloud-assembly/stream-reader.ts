/** Reads the table's stream and calls a function with its records, as Lambda's event source mapping does. */
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type ShardIteratorType,
  type _Record as StreamRecord,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { monotonic } from '../../functions/runtime/time-and-chance.ts';
import { streamPollMs, streamRetries } from '../hosting/functions.ts';
import { startSchedule } from '../local/schedule.ts';
import { deliverAll } from './stream-delivery.ts';

/** Records that end a window early. */
const maxCollected = 1_000;

export type StreamFunction = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

function toEvent(records: readonly StreamRecord[], eventSourceARN: string): DynamoDBStreamEvent {
  return {
    Records: records.map(({ dynamodb, ...record }) => ({
      ...record,
      eventSourceARN,
      dynamodb: {
        ...dynamodb,
        ApproximateCreationDateTime: (dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0) / 1_000,
      },
    })) as DynamoDBStreamEvent['Records'],
  };
}

export class StreamReader {
  readonly #client: DynamoDBStreamsClient;
  readonly #tableName: string;
  readonly #deliver: StreamFunction;
  readonly #retries: number;
  readonly #windowMs: number;
  /** The records of each shard that are collected, and when the first of them was read. */
  readonly #collected = new Map<string, { readonly records: StreamRecord[]; readonly sinceMs: number }>();
  /** The next iterator of each shard. */
  readonly #iterators = new Map<string, string>();
  /** Shards that were opened, including those that have ended. */
  readonly #opened = new Set<string>();
  #streamArn = '';
  #schedule: ReturnType<typeof startSchedule> | undefined;
  #isStopped = false;

  /**
   * @param mapping.retries of records before they are discarded.
   * @param mapping.windowMs milliseconds for which the records of a shard are collected.
   */
  constructor(
    client: DynamoDBStreamsClient,
    tableName: string,
    deliver: StreamFunction,
    { retries = streamRetries, windowMs = 0 }: { readonly retries?: number; readonly windowMs?: number } = {},
  ) {
    this.#client = client;
    this.#tableName = tableName;
    this.#deliver = deliver;
    this.#retries = retries;
    this.#windowMs = windowMs;
  }

  /**
   * Starts with the records that are written after this call.
   * @throws Error when the table has no stream.
   */
  async start(): Promise<void> {
    const { Streams = [] } = await this.#client.send(new ListStreamsCommand({ TableName: this.#tableName }));
    // ListStreams also returns streams that were disabled. Their labels are timestamps; the newest one is active.
    this.#streamArn =
      Streams.map(({ StreamArn = '' }) => StreamArn)
        .sort()
        .at(-1) ?? '';
    if (!this.#streamArn) throw new Error(`The table "${this.#tableName}" has no stream.`);
    await this.#openShards('LATEST');
    const read = (): Promise<void> =>
      this.#readShards().catch((error) => console.error('The stream could not be read:', error));
    this.#schedule = startSchedule(read, streamPollMs);
  }

  /** Stops after the batch in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#schedule?.stop();
  }

  async #openShards(ShardIteratorType: ShardIteratorType): Promise<void> {
    const StreamArn = this.#streamArn;
    const { StreamDescription } = await this.#client.send(new DescribeStreamCommand({ StreamArn }));
    for (const { ShardId } of StreamDescription?.Shards ?? []) {
      if (!ShardId || this.#opened.has(ShardId)) continue;
      await this.#open(ShardId, ShardIteratorType);
      this.#opened.add(ShardId);
    }
  }

  async #open(ShardId: string, ShardIteratorType: ShardIteratorType): Promise<void> {
    const request = { StreamArn: this.#streamArn, ShardId, ShardIteratorType };
    const { ShardIterator } = await this.#client.send(new GetShardIteratorCommand(request));
    if (ShardIterator) this.#iterators.set(ShardId, ShardIterator);
  }

  /** Reads each shard once. */
  async #readShards(): Promise<void> {
    let closed = false;
    for (const [shard, ShardIterator] of this.#iterators) {
      let output: GetRecordsCommandOutput;
      try {
        output = await this.#client.send(new GetRecordsCommand({ ShardIterator, Limit: 100 }));
      } catch (error) {
        // An iterator expires after 15 minutes, for example while the machine sleeps, and records after 24 hours. Repeated records change nothing twice.
        if (!(error instanceof ExpiredIteratorException || error instanceof TrimmedDataAccessException))
          throw error;
        await this.#open(shard, 'TRIM_HORIZON');
        continue;
      }
      const { Records: records = [], NextShardIterator: next } = output;
      await this.#collect(shard, records, next === undefined);
      if (next) {
        this.#iterators.set(shard, next);
      } else {
        this.#iterators.delete(shard);
        closed = true;
      }
    }
    // The children of a closed shard start where it ended.
    if (closed) await this.#openShards('TRIM_HORIZON');
  }

  /** Delivers the records of a shard, once they have been collected for the time of the window. */
  async #collect(shard: string, records: readonly StreamRecord[], isLast: boolean): Promise<void> {
    const { records: collected, sinceMs } = this.#collected.get(shard) ?? {
      records: [],
      sinceMs: monotonic(),
    };
    collected.push(...records);
    if (collected.length === 0) return;
    this.#collected.set(shard, { records: collected, sinceMs });
    if (!isLast && collected.length < maxCollected && monotonic() - sinceMs < this.#windowMs) return;
    this.#collected.delete(shard);
    await this.#deliverRecords(collected);
  }

  #deliverRecords(records: readonly StreamRecord[]): Promise<void> {
    return deliverAll(records, {
      call: (batch) => this.#deliver(toEvent(batch, this.#streamArn)),
      onDiscarded: (batch, error) => {
        const numbers = batch.map(({ dynamodb }) => dynamodb?.SequenceNumber);
        console.error('Stream records were discarded after all retries:', numbers.join(', '), error ?? '');
      },
      isStopped: () => this.#isStopped,
      retries: this.#retries,
    });
  }
}
