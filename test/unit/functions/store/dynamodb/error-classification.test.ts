import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  InternalServerError,
  ItemCollectionSizeLimitExceededException,
  ProvisionedThroughputExceededException,
  RequestLimitExceeded,
  ResourceNotFoundException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import {
  explainCancellation,
  ForeignResponse,
  isKeyThrottle,
  isRetryable,
  type SdkError,
} from '#functions/store/dynamodb/error-classification.ts';
import { ConditionFailed } from '#functions/store/model/errors.ts';

const $metadata = {};
const message = 'message';

/** An error that the SDK has no class of. */
const unmodeled = (name: string, $fault: 'client' | 'server' = 'client') =>
  new DynamoDBServiceException({ name, message, $fault, $metadata });

/** The SDK's type allows `undefined` for the reasons, where `SdkError` has none at all. */
const cancelled = (...codes: (string | undefined)[]) =>
  new TransactionCanceledException({
    message,
    $metadata,
    CancellationReasons: codes.map((code) => (code === undefined ? {} : { Code: code })),
  }) as SdkError;

const withCode = (error: Error, code: unknown): SdkError => Object.assign(error, { code });

const named = (name: string): Error => Object.assign(new Error(message), { name });

function thrownBy(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('The call did not throw.');
}

describe('isRetryable', () => {
  test.each([() => new URL('no address'), () => Buffer.from(5 as unknown as string)])(
    'returns false for an argument that Node.js refuses: %s',
    (call) => {
      expect(isRetryable(thrownBy(call))).toBe(false);
    },
  );

  test.each([
    new ProvisionedThroughputExceededException({ message, $metadata }),
    new RequestLimitExceeded({ message, $metadata }),
    new ThrottlingException({ message, $metadata }),
    new TransactionConflictException({ message, $metadata }),
    new TransactionInProgressException({ message, $metadata }),
    new InternalServerError({ message, $metadata }),
    unmodeled('InvalidSignatureException'),
    unmodeled('ServiceUnavailable', 'server'),
  ])('retries $name', (error) => {
    expect(isRetryable(error)).toBe(true);
  });

  test.each([
    new ConditionalCheckFailedException({ message, $metadata }),
    new IdempotentParameterMismatchException({ message, $metadata }),
    new ItemCollectionSizeLimitExceededException({ message, $metadata }),
    new ResourceNotFoundException({ message, $metadata }),
    unmodeled('AccessDeniedException'),
    unmodeled('ExpiredTokenException'),
    unmodeled('UnrecognizedClientException'),
    unmodeled('ValidationException'),
  ])('does not retry $name', (error) => {
    expect(isRetryable(error)).toBe(false);
  });

  test.each([
    [['TransactionConflict']],
    [['ThrottlingError']],
    [['ProvisionedThroughputExceeded']],
    [['ProvisionedThroughputExceededException']],
    [['None', 'TransactionConflict', undefined, 'ThrottlingError']],
    [['None']],
    [[]],
  ])('retries a transaction that was cancelled because of %j', (codes) => {
    expect(isRetryable(cancelled(...codes))).toBe(true);
  });

  test.each([
    [['ConditionalCheckFailed']],
    [['ValidationError']],
    [['ItemCollectionSizeLimitExceeded']],
    [['AccessDenied']],
    [['TransactionConflict', 'ConditionalCheckFailed']],
    [['ValidationError', 'None']],
  ])('does not retry a transaction that was cancelled because of %j', (codes) => {
    expect(isRetryable(cancelled(...codes))).toBe(false);
  });

  test.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'HPE_INVALID_CONSTANT'])(
    'retries an error of the connection with the code %s',
    (code) => {
      expect(isRetryable(withCode(new Error(message), code))).toBe(true);
    },
  );

  test.each(['TimeoutError', 'AbortError'])('retries a %s of the HTTP handler', (name) => {
    expect(isRetryable(named(name))).toBe(true);
  });

  test('does not take the code of an error of DynamoDB for one of the connection', () => {
    expect(isRetryable(withCode(unmodeled('ValidationException'), 'ECONNRESET'))).toBe(false);
  });

  test('does not retry an error with a numeric code', () => {
    expect(isRetryable(withCode(new Error(message), 20))).toBe(false);
  });

  test('retries a response that is not from DynamoDB', () => {
    expect(isRetryable(new ForeignResponse())).toBe(true);
    expect(isRetryable(thrownBy(() => JSON.parse('<html>')))).toBe(true);
  });

  test.each([
    ['a TypeError', new TypeError(message)],
    ['a RangeError', new RangeError(message)],
    ['an Error', new Error(message)],
    ['a ConditionFailed', new ConditionFailed([0], undefined)],
    ['a CredentialsProviderError', named('CredentialsProviderError')],
  ])('does not retry %s, which is not a response and not of the connection', (_, error) => {
    expect(isRetryable(error)).toBe(false);
  });
});

describe('explainCancellation', () => {
  const refused = (...failed: number[]) => ({ failed, isInDoubt: false });

  test('returns the positions of the writes whose conditions do not hold', () => {
    expect(explainCancellation(cancelled('ConditionalCheckFailed', 'None', 'None'))).toEqual(refused(0));
    const both = cancelled('ConditionalCheckFailed', 'ConditionalCheckFailed', undefined);
    expect(explainCancellation(both)).toEqual(refused(0, 1));
  });

  test('leaves out writes that another transaction or throttling has stopped', () => {
    const conflict = cancelled('TransactionConflict', 'ConditionalCheckFailed', 'None');
    expect(explainCancellation(conflict)).toEqual(refused(1));
    expect(explainCancellation(cancelled('None', 'None', 'ThrottlingError'))).toEqual(refused());
  });

  test.each([
    ['no response arrived', withCode(new Error(message), 'ECONNRESET')],
    ['the response is not from DynamoDB', new ForeignResponse()],
    ['DynamoDB failed', new InternalServerError({ message, $metadata })],
    ['an attempt is still in progress', new TransactionInProgressException({ message, $metadata })],
    ['a cancellation has no reasons', new TransactionCanceledException({ message, $metadata }) as SdkError],
  ])('says that the transaction may have been applied when %s', (_, error) => {
    expect(explainCancellation(error)).toEqual({ failed: [], isInDoubt: true });
  });

  test.each([
    ['throttles it', new ThrottlingException({ message, $metadata })],
    ['has not enough capacity', new ProvisionedThroughputExceededException({ message, $metadata })],
    ['refuses its signature', unmodeled('InvalidSignatureException')],
  ])('says that the transaction was not applied when DynamoDB %s', (_, error) => {
    expect(explainCancellation(error)).toEqual(refused());
  });
});

describe('isKeyThrottle', () => {
  test.each([
    ['TableReadKeyRangeThroughputExceeded', true],
    ['IndexWriteKeyRangeThroughputExceeded', true],
    ['TableWriteMaxOnDemandThroughputExceeded', false],
    ['TableReadAccountLimitExceeded', false],
  ])('of a call that is no transaction: %s is %s', (reason, expected) => {
    const ThrottlingReasons = [{ reason, resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/one' }];
    const throttlingReasons = ThrottlingReasons;
    const errors = [
      new ProvisionedThroughputExceededException({ message, $metadata, ThrottlingReasons }),
      new RequestLimitExceeded({ message, $metadata, ThrottlingReasons }),
      new ThrottlingException({ message, $metadata, throttlingReasons }),
    ];
    expect(errors.map(isKeyThrottle)).toEqual([expected, expected, expected]);
  });

  test('of a throttle without a reason is false: it can be that of the table or of the account', () => {
    expect(isKeyThrottle(new ThrottlingException({ message, $metadata }))).toBe(false);
  });

  test.each([
    [['None', 'ThrottlingError'], true],
    [['ProvisionedThroughputExceeded', 'TransactionConflict'], true],
    [['None', 'TransactionConflict'], false],
  ])('of a transaction that is cancelled for %j is %s', (codes, expected) => {
    expect(isKeyThrottle(cancelled(...codes))).toBe(expected);
  });
});
