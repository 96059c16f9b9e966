/**
 * The numbers of entities, of the kinds that the schema names: 1, 2, 3 … in their tenant. A counter gives them, outside the transaction that creates the
 * entities. So a creation that fails leaves a gap, and no number is given twice.
 */
import { lazy } from '../../runtime/lazy.ts';
import { readGreatest } from '../lists/greatest-number.ts';
import type { LogIdentity } from '../model/change-log.ts';
import type { WholeChange } from '../model/changes.ts';
import { numberField } from '../model/entity.ts';
import { ConditionFailed, conditionHolds } from '../model/errors.ts';
import { type Kind, schemaInUse } from '../model/schema.ts';
import { type Key, notExists } from '../model/writes.ts';
import { countItem } from '../table/database.ts';
import type { Session } from '../table/session.ts';

/**
 * Numbers that a counter skips when it was lost: requests in progress can have taken some that no entity has yet. 40 requests that create as many entities
 * as a batch can take so many.
 */
export const skippedNumbers = 1_000;

export const numbersSortKey = 'numbers';

/** Returns the key of a counter. It has a partition of its own, as a sequencer has: each takes 1,000 writes a second. */
export const numbersKey = ({ tenant, kind }: LogIdentity): Key => ({
  pk: `${tenant}#${kind}#${numbersSortKey}`,
  sk: numbersSortKey,
});

/** Returns the number of an entity; 0 for one of before its kind had numbers. */
export const numberOf = (entity: Readonly<Record<string, unknown>>): number =>
  (entity[numberField] as number | null | undefined) ?? 0;

/** Returns where a counter begins: above the numbers of entities, and above those that requests in progress can have taken. */
export const beginAbove = (greatest: number): number => (greatest === 0 ? 0 : greatest + skippedNumbers);

/** Takes numbers from the counter of a kind, which begins when it is missing. Returns them in their order; none for a kind without numbers. */
export async function takeNumbers(session: Session, kind: Kind, count: number): Promise<readonly number[]> {
  if (count === 0 || !schemaInUse().numbered.includes(kind)) return [];
  const { tenant, database } = session;
  const key = numbersKey({ tenant, kind });
  for (;;) {
    try {
      const last = await database.count(key, count, { mustExist: true });
      return Array.from({ length: count }, (_, index) => last - count + 1 + index);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
    // The kind has no entity with a number yet, or the counter was lost. Of several writers, the first one makes it.
    const greatest = await readGreatest(session, kind, numberField);
    const first = countItem(key, beginAbove(greatest));
    await conditionHolds(database.putItem(first, notExists));
  }
}

/**
 * Returns a function that takes the numbers of what a request creates, beside what the request reads. It takes them at its first call: further attempts of
 * the request get the same ones.
 */
export function numbersBeside(session: Session, kind: Kind, count: number) {
  const take = lazy(() => takeNumbers(session, kind, count));
  return async <Result>(read: () => Promise<Result>): Promise<readonly [Result, readonly number[]]> => {
    const both = [read(), take()] as const;
    // When one fails, the other one still ends before the request does.
    await Promise.allSettled(both);
    return Promise.all(both);
  };
}

/** Returns the creation of an entity with its number. @param number absent for a kind without numbers. */
export const withNumber = ({ after }: WholeChange, number: number | undefined): WholeChange => ({
  after: number === undefined ? after : { ...after, entity: { ...after.entity, [numberField]: number } },
});
