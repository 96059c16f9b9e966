/** Checks the reserved concurrency of the settings against the limit of the account. */
import type { Settings } from '../infrastructure/settings.ts';

/** Invocations at once that Lambda leaves to all functions without a reservation. */
const minUnreserved = 100;

/** Functions of the stream: `onStream` and `onLogRecords`. */
const streamFunctions = 2;

/** Returns the invocations at once that the settings reserve. */
export const reservedConcurrency = ({
  authentication,
  signInConcurrency,
  scheduleConcurrency,
  streamConcurrency,
}: Settings): number =>
  (authentication === 'cognito' ? signInConcurrency : 0) +
  scheduleConcurrency +
  streamFunctions * streamConcurrency;

/** Returns why Lambda would refuse a reservation, in a sentence; an empty array when it would not. @param limit of the account. */
export const concurrencyRefusals = (reserved: number, limit: number): string[] =>
  reserved === 0 || reserved + minUnreserved <= limit
    ? []
    : [
        `The settings reserve ${reserved} concurrent executions (signInConcurrency, scheduleConcurrency, and streamConcurrency for each of two functions), and ${minUnreserved} must stay unreserved, but the account has ${limit}. Reserve less, or raise the quota (docs/deployment.md#raise-the-quotas-of-a-new-account).`,
      ];

/** Returns what an account feels that has fewer executions than Lambda leaves to others, in a sentence. @param limit of the account. */
export const concurrencyWarnings = (limit: number): string[] =>
  limit >= minUnreserved
    ? []
    : [
        `The account has ${limit} concurrent executions: a page that loads several lists at once can get 503. Raise the quota (docs/deployment.md#raise-the-quotas-of-a-new-account).`,
      ];
