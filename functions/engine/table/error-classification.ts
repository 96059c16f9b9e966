/** What errors of the SDK mean: whether a call may succeed when it is made again, and why a transaction was cancelled. */

type ThrottlingReasons = readonly { readonly reason?: string | undefined }[];

export interface SdkError extends Error {
  /** Absent where no response of DynamoDB arrived. */
  readonly $fault?: 'client' | 'server';
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
  /** Why DynamoDB refused a call that is no transaction. The SDK spells the name in two ways. */
  readonly ThrottlingReasons?: ThrottlingReasons | undefined;
  readonly throttlingReasons?: ThrottlingReasons | undefined;
  /** Errors of Node.js's sockets and of its HTTP parser have one. */
  readonly code?: unknown;
}

/** Errors, and reasons to cancel a transaction, by which DynamoDB limits the rate of calls. */
const throttles = [
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingError',
  'ThrottlingException',
];

/** Reasons to cancel a transaction that may be gone at the next attempt. */
const transientReasons = new Set(['TransactionConflict', ...throttles]);

/** Errors with which DynamoDB refuses a call. They may be gone at the next attempt. */
const refusals = new Set([
  ...throttles,
  'TransactionConflictException',
  // DynamoDB refuses signatures that are five minutes off. The SDK has just learned the difference from the response.
  'InvalidSignatureException',
]);

/** Errors of DynamoDB with `$fault` "client" that may be gone at the next attempt. */
const transientErrors = new Set([
  ...refusals,
  // The first attempt with this token is still in progress: its response was lost.
  'TransactionInProgressException',
]);

/** Errors of the SDK's HTTP handler. */
const connectionErrors = new Set(['TimeoutError', 'AbortError']);

/** A successful response without consumed capacity, which every call asks for: it is not DynamoDB's, or only its head arrived. */
export class ForeignResponse extends Error {
  constructor() {
    super('The response is not from DynamoDB.');
    this.name = 'ForeignResponse';
  }
}

/** The beginning of Node.js's codes for arguments of a wrong type or value: the same call fails again. */
const argumentErrors = 'ERR_INVALID_';

/** Returns whether no response arrived, or only a part of one. */
const isConnectionError = ({ name, $fault, code }: SdkError): boolean =>
  connectionErrors.has(name) ||
  ($fault === undefined && typeof code === 'string' && !code.startsWith(argumentErrors));

/** Returns why each write of a cancelled transaction was refused, by position; an empty array for any other error. */
const cancellationReasons = ({ CancellationReasons = [] }: SdkError): string[] =>
  CancellationReasons.map(({ Code }) => Code ?? 'None');

/** Returns whether DynamoDB refused a call because it receives too many. */
export const isThrottle = (error: SdkError): boolean =>
  [error.name, ...cancellationReasons(error)].some((name) => throttles.includes(name));

/** The end of the reasons that concern one partition: `TableReadKeyRangeThroughputExceeded`, `IndexWriteKeyRangeThroughputExceeded`. */
const keyLimit = 'KeyRangeThroughputExceeded';

/**
 * Returns whether DynamoDB refused a call because of its keys: their partition receives too many calls. Of a transaction, DynamoDB says only which
 * writes it refused. A table on demand has no other limit below 40,000 units a second, so it is that of their partition.
 */
export const isKeyThrottle = (error: SdkError): boolean =>
  [...(error.ThrottlingReasons ?? []), ...(error.throttlingReasons ?? [])].some(({ reason = '' }) =>
    reason.endsWith(keyLimit),
  ) || cancellationReasons(error).some((reason) => throttles.includes(reason));

/** Returns whether DynamoDB refused a call because other transactions changed the same items at that time. */
export const isConflict = (error: SdkError): boolean =>
  error.name === 'TransactionConflictException' || cancellationReasons(error).includes('TransactionConflict');

export function isRetryable(error: SdkError): boolean {
  if (error.name === 'TransactionCanceledException') {
    return cancellationReasons(error).every((reason) => reason === 'None' || transientReasons.has(reason));
  }
  return (
    error.$fault === 'server' ||
    transientErrors.has(error.name) ||
    isConnectionError(error) ||
    // The SDK's JSON parser throws it for a response that is not DynamoDB's.
    error instanceof SyntaxError ||
    error instanceof ForeignResponse
  );
}

/**
 * Returns the positions of writes whose conditions do not hold, and whether the attempt may have been applied, or be applied later: no response of DynamoDB says
 * that it refused the attempt.
 */
export function explainFailure(error: SdkError) {
  if (error.name === 'ConditionalCheckFailedException') return { failed: [0], mayBeApplied: false };
  const reasons = cancellationReasons(error);
  const failed = reasons.flatMap((reason, position) =>
    reason === 'ConditionalCheckFailed' ? [position] : [],
  );
  return { failed, mayBeApplied: reasons.length === 0 && !refusals.has(error.name) };
}
