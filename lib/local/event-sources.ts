/** What calls functions that no request is for: the table's stream, and the clock. */
import { setTimeout as delay } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { type StreamFunction, StreamReader } from './stream-reader.ts';
import { endStream, hasStream } from './table.ts';

/** Milliseconds between two calls of the schedule's function. In the cloud it is a minute; here someone may be watching. */
const pauses = {
  besideStream: 5_000,
  /** What the stream would tell of at once must not wait much longer. */
  withoutStream: 1_000,
};

export interface EventFunctions {
  readonly onStream: StreamFunction;
  readonly onSchedule: () => Promise<void>;
  /** How the stream is read; without it, what it would tell of is left to the schedule. */
  readonly streams: DynamoDBStreamsClient | undefined;
}

/** The table whose stream is read. */
export interface StreamedTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** Records that the engine can keep; a stream that holds more is ended for good. Any number, unless it is said. */
  readonly longestStream?: number | undefined;
}

const lastNumber = ({ Records }: DynamoDBStreamEvent): number =>
  Number(Records.at(-1)?.dynamodb?.SequenceNumber ?? 0);

export class EventSources {
  readonly #functions: EventFunctions;
  readonly #table: StreamedTable;
  readonly #stopped = new AbortController();
  /** While there is a stream to read. */
  #reader: StreamReader | undefined;
  #leaving: Promise<void> | undefined;
  #schedule: Promise<void> = Promise.resolve();

  constructor(functions: EventFunctions, table: StreamedTable) {
    this.#functions = functions;
    this.#table = table;
  }

  /** @throws Error when the table has no stream, and none was ended. */
  async start(): Promise<void> {
    const { streams } = this.#functions;
    const { client, tableName, longestStream } = this.#table;
    if (streams && (longestStream === undefined || (await hasStream(client, tableName)))) {
      this.#reader = new StreamReader(streams, tableName, (event) => this.#deliver(event));
      await this.#reader.start();
    }
    this.#schedule = this.#callOnSchedule();
  }

  /** Ends after what is under way. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([this.#reader?.stop(), this.#schedule, this.#leaving]);
  }

  async #callOnSchedule(): Promise<void> {
    const { signal } = this.#stopped;
    for (;;) {
      const pause = this.#reader ? pauses.besideStream : pauses.withoutStream;
      await delay(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#functions.onSchedule();
      } catch (error) {
        console.error('The schedule failed:', error);
      }
    }
  }

  #deliver(event: DynamoDBStreamEvent): ReturnType<StreamFunction> {
    const { longestStream = Number.POSITIVE_INFINITY } = this.#table;
    if (lastNumber(event) > longestStream) this.#leaving ??= this.#leaveStream();
    return this.#functions.onStream(event);
  }

  /** Leaves to the schedule what the stream would tell of. */
  async #leaveStream(): Promise<void> {
    const { client, tableName } = this.#table;
    try {
      await endStream(client, tableName);
      await this.#reader?.stop();
      this.#reader = undefined;
    } catch (error) {
      console.error('The stream could not be ended:', error);
    }
  }
}
