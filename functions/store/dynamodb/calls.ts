/** The calls of one request: repeated until they succeed or the time is over, and measured. */
import { ReadBudgetExceeded, StoreUnavailable } from '../model/errors.ts';
import type { Deadline } from './deadline.ts';
import {
  ForeignResponse,
  isConflict,
  isRetryable,
  isThrottle,
  type SdkError,
} from './error-classification.ts';
import { newConsumption } from './query.ts';

interface CapacityReport {
  readonly CapacityUnits?: number | undefined;
}

interface Output {
  readonly ConsumedCapacity?: CapacityReport | CapacityReport[] | undefined;
}

type Units = 'readUnits' | 'writeUnits';

export class Calls {
  readonly consumption = newConsumption();
  /** Number of calls that DynamoDB refused because it received too many. */
  throttles = 0;
  readonly #deadline: Deadline;
  readonly #maxReadUnits: number;

  constructor(deadline: Deadline, maxReadUnits: number) {
    this.#deadline = deadline;
    this.#maxReadUnits = maxReadUnits;
  }

  /**
   * Makes a call until it succeeds.
   * @param units what the call consumes.
   * @throws StoreUnavailable when the time of the request is over; errors that a repeated call would have as well, at once.
   */
  async retry<Result extends Output>(
    units: Units,
    call: (abortSignal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.measure(units, this.#deadline.limit(call));
      } catch (error) {
        if (!isRetryable(error as SdkError)) throw error;
        if (!(await this.#deadline.backOff(attempt))) {
          throw new StoreUnavailable(error, isConflict(error as SdkError));
        }
      }
    }
  }

  /**
   * Adds the cost of a call to the consumption.
   * @throws ForeignResponse when the response does not come from DynamoDB; ReadBudgetExceeded when the calls have read more than they may.
   */
  async measure<Result extends Output>(units: Units, call: Promise<Result>): Promise<Result> {
    const started = performance.now();
    this.consumption.calls += 1;
    try {
      const output = await call;
      // Without this check, "{}" would be an item that does not exist, or a transaction that was applied.
      if (output.ConsumedCapacity === undefined) throw new ForeignResponse();
      for (const report of [output.ConsumedCapacity].flat()) {
        this.consumption[units] += report.CapacityUnits ?? 0;
      }
      // The call is paid for. What follows it is not.
      if (this.consumption.readUnits > this.#maxReadUnits) throw new ReadBudgetExceeded(this.#maxReadUnits);
      return output;
    } catch (error) {
      if (isThrottle(error as SdkError)) this.throttles += 1;
      throw error;
    } finally {
      this.consumption.durationMs += performance.now() - started;
    }
  }
}
