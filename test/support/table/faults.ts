/**
 * What can go wrong with calls. A scenario sets `intercept` of the table, and returns one of these courses for the calls that it means:
 *
 *     table.intercept = ({ number }) => (number === 7 ? stopped : undefined);
 *     table.intercept = nth(3, 'TransactWriteItems', lostResponse());
 *     table.intercept = (call) => (touches(call, isLog) ? throttled(call) : undefined);
 *
 * A random history sets `faults` of the table, from which `drawCourses` makes such a function.
 */
import type { Key } from '#functions/engine/model/writes.ts';
import type { Call, Course, Intercept, Operation } from './course.ts';
import { cancelled, conflicted, TableError } from './errors.ts';

/** The table performs the call, and its caller gets an error that it does not retry. So a request ends as if its process had stopped. */
export const stopped: Course = {
  lost: 'response',
  patienceMs: 0,
  error: Object.assign(new Error('The process stopped here.'), { name: 'ProcessStopped' }),
};

/** @param patienceMs after which the caller gets a connection error. Without it, the caller waits until its signal aborts. */
export const lostResponse = (patienceMs?: number): Course => lose('response', patienceMs);
export const lostRequest = (patienceMs?: number): Course => lose('request', patienceMs);

const lose = (lost: 'request' | 'response', patienceMs: number | undefined): Course => ({
  lost,
  ...(patienceMs !== undefined && { patienceMs }),
});

/** The request arrives so many milliseconds later, when its caller has got a connection error. */
const lateRequest = (requestMs: number, patienceMs = 0): Course => ({ requestMs, patienceMs });

/** A transaction holds its items for so many milliseconds, and is applied then. Its caller has got a connection error. */
export const lateCommit = (holdMs: number, patienceMs = 0): Course => ({ holdMs, patienceMs });

/** Indexes and stale reads receive the write so many milliseconds later. */
export const lag = (milliseconds: number): Course => ({ lagMs: () => milliseconds });

const isTransaction = ({ operation }: Call): boolean => operation === 'TransactWriteItems';

/** Transactions take a course until their writer puts a filler at a position, to find out what became of them. */
export const untilDecided = (course: Course): Intercept => {
  let isDecided = false;
  return (call) => {
    isDecided ||= call.operation === 'PutItem';
    return isTransaction(call) && !isDecided ? course : undefined;
  };
};

const isWrite = (call: Call): boolean =>
  isTransaction(call) || ['PutItem', 'UpdateItem', 'DeleteItem'].includes(call.operation);

interface Keyed {
  readonly Key?: Key;
  readonly Item?: Key;
}

interface AnyInput extends Keyed {
  readonly TransactItems?: readonly Readonly<Record<string, Keyed>>[];
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly Key[] }>>;
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the keys that a call names: those of a transaction by position. A query of the table names its partition, with an empty sort key. Queries
 * of indexes, and scans, name none.
 */
export function keysOf({ operation, input }: Call): Key[] {
  const { TransactItems = [], RequestItems = {}, ...own } = input as AnyInput;
  const actions = operation === 'TransactWriteItems' ? TransactItems.flatMap(Object.values<Keyed>) : [own];
  if (operation === 'BatchGetItem') return Object.values(RequestItems).flatMap(({ Keys }) => Keys);
  if (operation === 'Query' && own.IndexName === undefined) {
    const [, placeholder = ''] = /= (:\w+)/.exec(own.KeyConditionExpression ?? '') ?? [];
    return [{ pk: String(own.ExpressionAttributeValues?.[placeholder]), sk: '' }];
  }
  return actions.flatMap(({ Key, Item }) => Key ?? Item ?? []);
}

/** Returns whether a call names one of some keys. */
export const touches = (call: Call, isMeant: (key: Key) => boolean): boolean => keysOf(call).some(isMeant);

/** Returns a course for the n-th call of an operation, counted from now. The first one is 1. */
export function nth(number: number, operation: Operation, course: Course): Intercept {
  let calls = 0;
  return (call) => {
    if (call.operation !== operation) return undefined;
    calls += 1;
    return calls === number ? course : undefined;
  };
}

/** Returns a course for the first attempts of each call: those with the same token, or the same input. */
export function firstAttempts(courseOf: Intercept, count = 1): Intercept {
  const attempts = new Map<string, number>();
  return (call) => {
    const { ClientRequestToken = JSON.stringify(call.input) } = call.input as { ClientRequestToken?: string };
    const attempt = (attempts.get(ClientRequestToken) ?? 0) + 1;
    attempts.set(ClientRequestToken, attempt);
    return attempt <= count ? courseOf(call) : undefined;
  };
}

/** DynamoDB refuses a call with an error. */
export const refused = (name: string, message = name, $fault?: 'server'): Course => ({
  refusal: new TableError(name, message, $fault && { $fault }),
});

/** DynamoDB cancels a transaction: each reason concerns one of its writes. */
export function cancelledFor(call: Call, codes: readonly string[], message = ''): Course {
  const reasons = keysOf(call).map((_, place) => ({ Code: codes[place] ?? 'None', Message: message }));
  return { refusal: cancelled([...reasons, ...codes.slice(reasons.length).map((Code) => ({ Code }))]) };
}

/**
 * Refuses a call because a partition receives too many.
 * @param isMeant the writes of a transaction that are throttled. By default all.
 */
export function throttled(call: Call, isMeant: (key: Key) => boolean = () => true): Course {
  if (isTransaction(call)) {
    const reasons = keysOf(call).map((key) => ({ Code: isMeant(key) ? 'ThrottlingError' : 'None' }));
    return { refusal: cancelled(reasons) };
  }
  const resource = 'IndexName' in call.input && call.input.IndexName ? 'Index' : 'Table';
  const reason = `${resource}${isWrite(call) ? 'Write' : 'Read'}KeyRangeThroughputExceeded`;
  const message = 'Throughput exceeds the current capacity of the key range.';
  const details = { ThrottlingReasons: [{ reason }] };
  return { refusal: new TableError('ProvisionedThroughputExceededException', message, details) };
}

/**
 * Refuses a write because of a transaction that is in progress.
 * @param isMeant the writes of a transaction that are in conflict. By default all.
 */
export const conflicting = (call: Call, isMeant: (key: Key) => boolean = () => true): Course => ({
  refusal: conflicted(keysOf(call).map(isMeant), isTransaction(call)),
});

/** The probability of a fault, from 0 to 1. */
type Chance = number | ((call: Call) => number);

/** Milliseconds: so many, or from the first number up to, but without, the second one. */
type Duration = number | readonly [number, number];

/** Faults of random histories. What is absent does not happen. */
export interface Faults {
  /** Of a request, and of a response. */
  readonly latencyMs?: Duration;
  /** For which transactions hold their items: with it, those that meet are in conflict. */
  readonly holdMs?: Duration;
  /** From the first write of a transaction to its last one. */
  readonly spreadMs?: Duration;
  /** From a write to its arrival in an index, and in the replica. */
  readonly lagMs?: Duration;
  /** An eventually consistent read of the table reads the replica. */
  readonly staleReads?: Chance;
  readonly throttles?: Chance;
  /** Conflicts with transactions of nobody. */
  readonly conflicts?: Chance;
  readonly lostRequests?: Chance;
  readonly lostResponses?: Chance;
  /** A request arrives `lateMs` after it was sent. Its caller has got an error before. */
  readonly lateRequests?: Chance;
  /** A transaction holds its items for `lateMs`. Its caller gets an error before. */
  readonly lateCommits?: Chance;
  readonly lateMs?: Duration;
  /** For which a caller waits for a response that is lost or late. By default up to 2 seconds, as the service. */
  readonly patienceMs?: Duration;
  /** A batch returns some of its keys as unprocessed. */
  readonly unprocessedKeys?: Chance;
}

/** Milliseconds after which the client of the service stops waiting. */
const usualPatienceMs: Duration = [1, 2_000];

const usualLateMs: Duration = [2_000, 10_000];

/** Returns a function that draws the course of each call. */
export function drawCourses(faults: Faults, random: () => number): Intercept {
  const draw = (duration: Duration): number =>
    typeof duration === 'number' ? duration : duration[0] + random() * (duration[1] - duration[0]);
  const happens = (chance: Chance | undefined, call: Call): boolean =>
    chance !== undefined && random() < (typeof chance === 'number' ? chance : chance(call));
  return (call) => {
    const { latencyMs, holdMs, spreadMs, lagMs } = faults;
    const isWriting = isTransaction(call);
    return {
      ...(latencyMs !== undefined && { requestMs: draw(latencyMs), responseMs: draw(latencyMs) }),
      ...(isWriting && holdMs !== undefined && { holdMs: draw(holdMs) }),
      ...(isWriting && spreadMs !== undefined && { spreadMs: draw(spreadMs) }),
      ...(isWrite(call) && lagMs !== undefined && { lagMs: () => draw(lagMs) }),
      ...(happens(faults.staleReads, call) && { isStale: true }),
      ...drawFault(call, faults, (chance) => happens(chance, call), draw, random),
    };
  };
}

/** Draws what goes wrong with a call: one fault at most. */
function drawFault(
  call: Call,
  faults: Faults,
  happens: (chance: Chance | undefined) => boolean,
  draw: (duration: Duration) => number,
  random: () => number,
): Course {
  const { patienceMs = usualPatienceMs, lateMs = usualLateMs } = faults;
  const count = keysOf(call).length;
  const isOne = (
    (place) => (): boolean =>
      place-- === 0
  )(Math.floor(random() * count));
  if (happens(faults.throttles)) return throttled(call, isOne);
  if (isWrite(call) && happens(faults.conflicts)) return conflicting(call, isOne);
  if (happens(faults.lostRequests)) return lostRequest(draw(patienceMs));
  if (happens(faults.lostResponses)) return lostResponse(draw(patienceMs));
  if (happens(faults.lateRequests)) return lateRequest(draw(lateMs), draw(patienceMs));
  if (isTransaction(call) && happens(faults.lateCommits)) return lateCommit(draw(lateMs), draw(patienceMs));
  if (call.operation === 'BatchGetItem' && happens(faults.unprocessedKeys))
    return { maxKeys: 1 + Math.floor(random() * (count - 1)) };
  return {};
}
