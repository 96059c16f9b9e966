/** The table's stream, read and handed to a function as Lambda's event source mapping does. */
import { setTimeout as delay } from 'node:timers/promises';
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
import { deliverAll } from './stream-delivery.ts';

/** Milliseconds between looks at a stream on which nothing happens. */
const pause = 100;

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

/** Where a shard is read. */
interface Position {
  readonly iterator: string;
  /** Where it began. */
  readonly from: ShardIteratorType;
  /** The number of the last record that was delivered. */
  readonly last?: string | undefined;
}

export class StreamReader {
  readonly #client: DynamoDBStreamsClient;
  readonly #tableName: string;
  readonly #deliver: StreamFunction;
  readonly #stopped = new AbortController();
  /** Where to read on, by shard. */
  readonly #positions = new Map<string, Position>();
  readonly #known = new Set<string>();
  #streamArn = '';
  #running: Promise<void> = Promise.resolve();

  constructor(client: DynamoDBStreamsClient, tableName: string, deliver: StreamFunction) {
    this.#client = client;
    this.#tableName = tableName;
    this.#deliver = deliver;
  }

  /**
   * Begins with what is written from now on.
   * @throws Error when the table has no stream.
   */
  async start(): Promise<void> {
    const { Streams = [] } = await this.#client.send(new ListStreamsCommand({ TableName: this.#tableName }));
    // A table can have had others before; the last is the one that goes on.
    this.#streamArn =
      Streams.map(({ StreamArn = '' }) => StreamArn)
        .sort()
        .at(-1) ?? '';
    if (!this.#streamArn) throw new Error(`The table "${this.#tableName}" has no stream.`);
    await this.#openShards('LATEST');
    this.#running = this.#run();
  }

  /** Ends after the batch that is under way. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #openShards(ShardIteratorType: ShardIteratorType): Promise<void> {
    const StreamArn = this.#streamArn;
    const { StreamDescription } = await this.#client.send(new DescribeStreamCommand({ StreamArn }));
    for (const { ShardId } of StreamDescription?.Shards ?? []) {
      if (!ShardId || this.#known.has(ShardId)) continue;
      await this.#open(ShardId, ShardIteratorType);
      this.#known.add(ShardId);
    }
  }

  /** Reads a shard from somewhere, or behind a record. */
  async #open(ShardId: string, from: ShardIteratorType, last?: string): Promise<void> {
    const { ShardIterator: iterator } = await this.#client.send(
      new GetShardIteratorCommand({
        StreamArn: this.#streamArn,
        ShardId,
        ...(last === undefined
          ? { ShardIteratorType: from }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: last }),
      }),
    );
    if (iterator) this.#positions.set(ShardId, { iterator, from, last });
  }

  /**
   * Reads on where an iterator is good no more: after 15 minutes, which a machine may sleep, or where records were kept
   * for their 24 hours. What a reader misses that had not seen any is left to the schedule.
   */
  async #reopen(shard: string, { from, last }: Position, error: unknown): Promise<void> {
    try {
      if (!(error instanceof ExpiredIteratorException)) throw error;
      await this.#open(shard, from, last);
    } catch (reason) {
      if (!(reason instanceof TrimmedDataAccessException)) throw reason;
      await this.#open(shard, 'TRIM_HORIZON');
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        const found = await this.#readShards();
        if (!found) await delay(pause, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        console.error('The stream could not be read:', error);
        await delay(1_000, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Reads each shard once; true when there was anything. */
  async #readShards(): Promise<boolean> {
    let found = false;
    let closed = false;
    for (const [shard, position] of this.#positions) {
      let output: GetRecordsCommandOutput;
      try {
        const request = new GetRecordsCommand({ ShardIterator: position.iterator, Limit: 100 });
        output = await this.#client.send(request);
      } catch (error) {
        await this.#reopen(shard, position, error);
        continue;
      }
      const { Records: records = [], NextShardIterator: iterator } = output;
      if (records.length > 0) {
        found = true;
        await this.#deliverUntilDone(records);
      }
      if (iterator) {
        const last = records.at(-1)?.dynamodb?.SequenceNumber ?? position.last;
        this.#positions.set(shard, { ...position, iterator, last });
      } else {
        this.#positions.delete(shard);
        closed = true;
      }
    }
    // A shard that ends has children; they began when it ended.
    if (closed) await this.#openShards('TRIM_HORIZON');
    return found;
  }

  #deliverUntilDone(records: readonly StreamRecord[]): Promise<void> {
    return deliverAll(records, {
      call: (batch) => this.#deliver(toEvent(batch, this.#streamArn)),
      setAside: (batch, error) => {
        const numbers = batch.map(({ dynamodb }) => dynamodb?.SequenceNumber);
        console.error('Records of the stream were set aside:', numbers.join(', '), error ?? '');
      },
      isStopped: () => this.#stopped.signal.aborted,
    });
  }
}
