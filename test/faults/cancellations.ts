import { errorResponse, type Injector, seeded } from './engine-proxy.ts';

/**
 * The reasons for which DynamoDB cancels a transaction.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */

/** Transient reasons. A cancellation without any reason counts as transient. */
export const transientCodes = [
  'None',
  'TransactionConflict',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
] as const;

/** A condition failed: the writer must read the item again. */
export const conditionFailed = 'ConditionalCheckFailed';

/** Reasons that repeat for every attempt. DynamoDB does not have the last one. */
export const permanentCodes = [
  'ItemCollectionSizeLimitExceeded',
  'ValidationError',
  'SomethingElse',
] as const;

/** Text of a reason that no response may contain. */
export const secret = 'pk = public#task#secret';

/**
 * Cancels transactions without executing them, each reason at a random item.
 * @param times the number of transactions to cancel. The following ones are forwarded.
 */
export function cancellations(
  codes: readonly string[],
  times: number,
  seed: number,
): Injector & { cancelled: number } {
  const random = seeded(seed);
  const injector = async (...[{ operation, body }, pass]: Parameters<Injector>): ReturnType<Injector> => {
    if (operation !== 'TransactWriteItems' || injector.cancelled >= times) return pass();
    injector.cancelled += 1;
    const items = (body['TransactItems'] as unknown[]).length;
    const CancellationReasons: { Code: string; Message?: string }[] = Array.from({ length: items }, () => ({
      Code: 'None',
    }));
    // An item has one reason. A later reason replaces an earlier one at the same item.
    for (const Code of codes) {
      CancellationReasons[Math.floor(random() * items)] = { Code, Message: `${Code} at ${secret}` };
    }
    return errorResponse('TransactionCanceledException', { CancellationReasons, Message: secret });
  };
  injector.cancelled = 0;
  return injector;
}
