/** The read units of a request of the feed. */
import type { Database } from '../../dynamodb/database.ts';

/** Read units of a request, at most, unless the records that it has to read again need about as many by themselves. */
export const maxRequestUnits = 100;

/** Read units for new records when those that are read again have used up the request: so a caller reaches the end of the log at any rate of writes. */
const unitsBesideGiven = 50;

export class RequestBudget {
  readonly #database: Pick<Database, 'consumption'>;
  readonly #before: number;
  #max = maxRequestUnits;

  /** Counts from now on. */
  constructor(database: Pick<Database, 'consumption'>) {
    this.#database = database;
    this.#before = database.consumption.readUnits;
  }

  get used(): number {
    return this.#database.consumption.readUnits - this.#before;
  }

  get left(): number {
    return this.#max - this.used;
  }

  /** Gives the page units of its own beside those that are used. */
  allowBesideGiven(): void {
    this.#max = this.used + unitsBesideGiven;
  }
}
