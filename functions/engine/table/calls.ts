/** The calls of one request: repeated until they succeed or the time is over, and measured. */
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { monotonic } from '../../runtime/time-and-chance.ts';
import { ConditionFailed, KeysThrottled, ReadBudgetExceeded, StoreUnavailable } from '../model/errors.ts';
import type { Deadline } from './deadline.ts';
import {
  explainFailure,
  ForeignResponse,
  isConflict,
  isKeyThrottle,
  isRetryable,
  isThrottle,
  type SdkError,
} from './error-classification.ts';
import { newConsumption } from './query.ts';

interface Output {
  readonly ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined;
}

type Units = 'readUnits' | 'writeUnits';

export interface Limits {
  /** Read units after which calls fail. */
  readonly maxReadUnits: number;
  /**
   * Attempts of a call that DynamoDB refuses because of its keys. More would keep the concurrency of the account busy with one hot partition, which
   * needs fewer calls.
   */
  readonly maxKeyThrottles: number;
}

/** Those of jobs and commands, which have time. */
export const noLimits: Limits = {
  maxReadUnits: Number.POSITIVE_INFINITY,
  maxKeyThrottles: Number.POSITIVE_INFINITY,
};

/** Attempts by which the waits after a throttle begin later: up to 640 ms and 1,000 ms, instead of 20 and 40. A partition recovers in a second. */
const throttleBackOff = 5;

export class Calls {
  readonly consumption = newConsumption();
  /** Number of calls that DynamoDB refused because it received too many. */
  throttles = 0;
  readonly #deadline: Deadline;
  readonly #limits: Limits;

  constructor(deadline: Deadline, limits: Limits) {
    this.#deadline = deadline;
    this.#limits = limits;
  }

  /**
   * Makes a call until it succeeds.
   * @param options.deadline until which there may be another attempt; by default that of the request.
   * @param options.isTransaction whether the errors say if an attempt may have been applied although no response arrived.
   * @throws StoreUnavailable when the time is over; KeysThrottled when DynamoDB has refused too many attempts because of their keys; ConditionFailed
   * with the positions of the writes whose conditions do not hold; errors that a repeated call would have as well, at once.
   */
  async retry<Result extends Output>(
    units: Units,
    call: (abortSignal: AbortSignal) => Promise<Result>,
    { deadline = this.#deadline, isTransaction = false } = {},
  ): Promise<Result> {
    let keyThrottles = 0;
    let isInDoubt = false;
    for (let attempt = 1; ; attempt += 1) {
      let error: SdkError;
      try {
        return await this.#measure(units, deadline.limit(call));
      } catch (thrown) {
        error = thrown as SdkError;
      }
      const { failed, mayBeApplied } = explainFailure(error);
      if (failed.length > 0) throw new ConditionFailed(failed, error, isInDoubt);
      if (!isRetryable(error)) throw error;
      isInDoubt ||= isTransaction && mayBeApplied;
      const isOfKeys = isKeyThrottle(error);
      keyThrottles += Number(isOfKeys);
      if (keyThrottles >= this.#limits.maxKeyThrottles) throw new KeysThrottled(error, isInDoubt);
      if (!(await deadline.backOff(attempt + (isOfKeys ? throttleBackOff : 0))))
        throw new StoreUnavailable(error, isConflict(error), isInDoubt);
    }
  }

  /**
   * Adds the cost of a call to the consumption.
   * @throws ForeignResponse when the response does not come from DynamoDB; ReadBudgetExceeded when the calls have read more than they may.
   */
  async #measure<Result extends Output>(units: Units, call: Promise<Result>): Promise<Result> {
    const started = monotonic();
    this.consumption.calls += 1;
    try {
      const output = await call;
      // Without this check, "{}" would be an item that does not exist, or a transaction that was applied.
      if (output.ConsumedCapacity === undefined) throw new ForeignResponse();
      for (const report of [output.ConsumedCapacity].flat()) {
        this.consumption[units] += report.CapacityUnits ?? 0;
      }
      // The call is paid for. What follows it is not.
      if (this.consumption.readUnits > this.#limits.maxReadUnits)
        throw new ReadBudgetExceeded(this.#limits.maxReadUnits);
      return output;
    } catch (error) {
      if (isThrottle(error as SdkError)) this.throttles += 1;
      throw error;
    } finally {
      this.consumption.durationMs += monotonic() - started;
    }
  }
}
