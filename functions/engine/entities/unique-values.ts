/** Unique values: each belongs to one entity of a tenant. */
import type { Change } from '../model/changes.ts';
import { ContradictingField, ValueTaken } from '../model/errors.ts';
import type { Kind } from '../model/schema.ts';
import { entityOfUniqueValue, uniqueFieldOf, uniqueKey, uniqueValueOf } from '../model/unique-value.ts';
import type { Session } from '../table/session.ts';
import { findEntity } from '../table/stored-entities.ts';

export async function findByUniqueValue(session: Session, kind: Kind, value: string) {
  const item = await session.database.get(uniqueKey(session.tenant, kind, value));
  const entity = item && (await findEntity(session, kind, entityOfUniqueValue(item).id));
  // Between the two reads, the entity can get another value.
  return uniqueValueOf(entity) === value ? entity : undefined;
}

/** @param positions of the operations that take a value from an entity and give it to another one. */
function movedInBatch(kind: Kind, positions: readonly number[]): ContradictingField {
  const [first, second] = positions.toSorted((one, other) => one - other);
  const field = uniqueFieldOf(kind) as string;
  return new ContradictingField(
    field,
    `Operations ${first} and ${second} move a "${field}" from one ${kind} to another. Set it to null in a batch before this one.`,
  );
}

/**
 * Returns, for each change, why it cannot give its entity the unique value; `undefined` when it can, or gives none. DynamoDB writes an item once in a
 * transaction, so no entity can get the value that another one loses in the same transaction.
 *
 * The items are read just before the write, to tell the reason. Their conditions decide when two requests give one value at the same time.
 * @param changes of the transaction, each at the position of its operation.
 */
export async function findTakenValues(
  { tenant, database }: Session,
  changes: readonly (Change | undefined)[],
): Promise<(ContradictingField | ValueTaken | undefined)[]> {
  const values = changes.map((change) => {
    const [before, after] = [uniqueValueOf(change?.before), uniqueValueOf(change?.after)];
    const kind = (change?.after ?? change?.before)?.kind ?? '';
    return before === after ? { kind } : { kind, freed: before, given: after };
  });
  const keyOf = ({ kind, given }: (typeof values)[number]) =>
    given === undefined ? undefined : uniqueKey(tenant, kind, given);
  const keys = new Map(values.flatMap((value) => keyOf(value) ?? []).map((key) => [key.pk, key]));
  if (keys.size === 0) return values.map(() => undefined);
  const taken = new Set((await database.getMany([...keys.values()])).map(({ pk }) => pk));
  return values.map((value, position) => {
    const key = keyOf(value);
    if (!key) return undefined;
    const loser = values.findIndex(({ freed }) => freed === value.given);
    if (loser >= 0) return movedInBatch(value.kind, [loser, position]);
    if (taken.has(key.pk)) return new ValueTaken(value.kind, uniqueFieldOf(value.kind) as string);
    // A later change of the same transaction must not give it again.
    taken.add(key.pk);
    return undefined;
  });
}

/** Checks that no other entity has the unique value that a change gives. */
export async function requireFreeValue(session: Session, change: Change): Promise<void> {
  const [error] = await findTakenValues(session, [change]);
  if (error) throw error;
}
