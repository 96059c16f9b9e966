import { type Injector, refusal, seeded } from './engine-proxy.ts';

/**
 * Every reason that DynamoDB gives for cancelling a transaction.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */

/** Reasons of the moment; without any reason at all it may be one as well. */
export const passing = [
  'None',
  'TransactionConflict',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
] as const;

/** An item is not in the state that the writer saw: it must look again. */
export const condition = 'ConditionalCheckFailed';

/** Reasons that hold at every try; the last is none of DynamoDB's. */
export const lasting = ['ItemCollectionSizeLimitExceeded', 'ValidationError', 'SomethingElse'] as const;

/** What no caller may see of a reason. */
export const secret = 'pk = public#task#secret';

/**
 * Cancels transactions, without doing anything, for some reasons, each at some of their items.
 * @param times how many, before the others are passed on.
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
    // An item has one reason: where there are more reasons than items, the later ones win.
    for (const Code of codes) {
      CancellationReasons[Math.floor(random() * items)] = { Code, Message: `${Code} at ${secret}` };
    }
    return refusal('TransactionCanceledException', { CancellationReasons, Message: secret });
  };
  injector.cancelled = 0;
  return injector;
}
