/**
 * The messages of the queue of what was not published: the function sends the keys of records, and Lambda the times of a batch that the function
 * could not handle.
 */
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Key } from '../../functions/engine/model/writes.ts';
import type { UnpublishedRecords } from '../../functions/jobs/unpublished-queue.ts';
import type { Period } from './stored-records.ts';

/** Seconds for which nobody else receives a message: longer than the table is read. A command that is stopped hides its messages for as long. */
const visibilitySeconds = 900;

/** Seconds that SQS looks for messages. Without them, it asks only some of its servers. */
const waitSeconds = 2;

/** Milliseconds before and after the times of a batch, which are those of the stream, in which its records were written. */
const aroundMs = 60_000;

/** What a message says was not published. */
type Contents = { readonly records: readonly Key[] } | { readonly period: Period };

/** Either kind of body. Lambda's is that of https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html. */
interface Body extends Partial<UnpublishedRecords> {
  readonly DDBStreamBatchInfo?: {
    readonly approximateArrivalOfFirstRecord?: string;
    readonly approximateArrivalOfLastRecord?: string;
  };
}

function parse(text: string): Body {
  try {
    return (JSON.parse(text) as Body | null) ?? {};
  } catch {
    return {};
  }
}

const isKey = (key: Partial<Key> | null): boolean =>
  typeof key?.pk === 'string' && typeof key.sk === 'string';

/** Returns what a message says. @throws Error when it is of another kind. */
export function contentsOf({ MessageId, Body = '' }: Message): Contents {
  const { records, DDBStreamBatchInfo: batch } = parse(Body);
  if (Array.isArray(records) && records.every(isKey)) return { records };
  const fromMs = Date.parse(batch?.approximateArrivalOfFirstRecord ?? '') - aroundMs;
  const toMs = Date.parse(batch?.approximateArrivalOfLastRecord ?? '') + aroundMs;
  if (!Number.isNaN(fromMs + toMs)) return { period: { fromMs, toMs } };
  throw new Error(`The message ${MessageId} has neither the keys of records nor the times of a batch.`);
}

/** A queue, as the command uses it. */
export class UnpublishedMessages {
  readonly #client: SQSClient;
  readonly #QueueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#QueueUrl = queueUrl;
  }

  /** Receives messages until there are no more. It does not receive the same one again, unless it takes too long. */
  async *receive(): AsyncGenerator<Message, void, undefined> {
    for (;;) {
      const { Messages = [] } = await this.#client.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#QueueUrl,
          MaxNumberOfMessages: 10,
          VisibilityTimeout: visibilitySeconds,
          WaitTimeSeconds: waitSeconds,
        }),
      );
      if (Messages.length === 0) return;
      yield* Messages;
    }
  }

  async delete({ ReceiptHandle }: Message): Promise<void> {
    await this.#client.send(new DeleteMessageCommand({ QueueUrl: this.#QueueUrl, ReceiptHandle }));
  }

  /** Lets others receive a message at once. */
  async giveBack({ ReceiptHandle }: Message): Promise<void> {
    await this.#client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: this.#QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
    );
  }
}
