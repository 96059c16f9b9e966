/** The tokens of transactions: DynamoDB applies a transaction once that it receives several times with one token. */
import { createHash } from 'node:crypto';
import { types } from 'node:util';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableError } from './errors.ts';

/** Milliseconds for which DynamoDB knows a token. */
const tokenMs = 600_000;

interface Attempt {
  readonly until: number;
  readonly digest: string;
  /** What a repetition costs. Absent while the transaction is in progress. */
  replayUnits?: number;
}

const toText = (_: string, value: unknown): unknown =>
  types.isUint8Array(value) ? Buffer.from(value).toString('base64') : value;

/** `v8.serialize` is no base: it writes equal numbers and texts in several ways. */
const digestOf = ({ TransactItems }: TransactWriteCommandInput): string =>
  createHash('sha256')
    .update(JSON.stringify(TransactItems ?? [], toText))
    .digest('base64');

export class Tokens {
  /** By token, in the order of time. */
  readonly #attempts = new Map<string, Attempt>();

  /**
   * Returns what the repetition of a transaction costs; `undefined` when it is none.
   * @throws IdempotentParameterMismatchException, TransactionInProgressException.
   */
  replayUnits(input: TransactWriteCommandInput, now: number): number | undefined {
    for (const [token, { until }] of this.#attempts) {
      if (until > now) break;
      this.#attempts.delete(token);
    }
    const earlier = this.#attempts.get(input.ClientRequestToken ?? '');
    if (!earlier) return undefined;
    if (earlier.digest !== digestOf(input))
      throw new TableError('IdempotentParameterMismatchException', 'The token belongs to other parameters');
    if (earlier.replayUnits === undefined)
      throw new TableError(
        'TransactionInProgressException',
        'The transaction with this token is in progress',
      );
    return earlier.replayUnits;
  }

  /** @returns functions to call when the transaction is applied, or cancelled: then it can be sent again with its token. */
  begin(input: TransactWriteCommandInput, now: number) {
    const { ClientRequestToken: token } = input;
    const attempt: Attempt = { until: now + tokenMs, digest: token === undefined ? '' : digestOf(input) };
    if (token !== undefined) this.#attempts.set(token, attempt);
    return {
      applied: (replayUnits: number): void => {
        attempt.replayUnits = replayUnits;
      },
      cancelled: (): void => {
        this.#attempts.delete(token ?? '');
      },
    };
  }

  clear(): void {
    this.#attempts.clear();
  }
}
