/** The errors of DynamoDB, as the SDK throws them. */

export interface CancellationReason {
  readonly Code: string;
  readonly Message?: string;
}

interface Details {
  readonly CancellationReasons?: readonly CancellationReason[];
  readonly ThrottlingReasons?: readonly { readonly reason: string; readonly resource?: string }[];
}

/** An error with which DynamoDB responds. All that this table has are the client's, in the sense of `$fault`. */
export class TableError extends Error {
  readonly $fault: 'client' | 'server';

  constructor(name: string, message: string, details: Details & { readonly $fault?: 'server' } = {}) {
    super(message);
    this.name = name;
    this.$fault = 'client';
    Object.assign(this, details);
  }
}

export const invalid = (message: string): TableError => new TableError('ValidationException', message);

export const conditionFailed = (): TableError =>
  new TableError('ConditionalCheckFailedException', 'The conditional request failed');

/** @param CancellationReasons one for each write, by position. */
export function cancelled(CancellationReasons: readonly CancellationReason[]): TableError {
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return new TableError('TransactionCanceledException', message, { CancellationReasons });
}

const none: CancellationReason = { Code: 'None' };

const conflict: CancellationReason = {
  Code: 'TransactionConflict',
  Message: 'Transaction is ongoing for the item',
};

/**
 * Returns the error of a write that another transaction is in conflict with.
 * @param isConflicting for each write, by position.
 */
export const conflicted = (isConflicting: readonly boolean[], isTransaction: boolean): TableError =>
  isTransaction
    ? cancelled(isConflicting.map((isOne) => (isOne ? conflict : none)))
    : new TableError('TransactionConflictException', 'Transaction is ongoing for the item');
