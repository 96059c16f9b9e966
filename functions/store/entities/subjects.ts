/** The subjects of users: each belongs to one user of a tenant. */
import type { Change } from '../model/changes.ts';
import { ContradictingField, SubjectTaken } from '../model/errors.ts';
import { subjectField, subjectKey, subjectOf } from '../model/subject.ts';
import type { Session } from '../unit-of-work/session.ts';

/** Returns the subject that a change gives to a user; `undefined` when it gives none. */
function givenSubject({ before, after }: Change): string | undefined {
  const subject = subjectOf(after);
  return subject === subjectOf(before) ? undefined : subject;
}

/** Returns the subject that a change takes from a user; `undefined` when it takes none. */
function freedSubject({ before, after }: Change): string | undefined {
  const subject = subjectOf(before);
  return subject === subjectOf(after) ? undefined : subject;
}

/** @param positions of the operations that take the subject from a user and give it to another one. */
function movedInBatch(positions: readonly number[]): ContradictingField {
  const [first, second] = positions.toSorted((one, other) => one - other);
  return new ContradictingField(
    subjectField,
    `Operations ${first} and ${second} move a "${subjectField}" from one user to another. Set it to null in a batch before this one.`,
  );
}

/**
 * Returns, for each change, why it cannot give its user the subject; `undefined` when it can, or gives none. DynamoDB writes an item once in a
 * transaction, so no user can get the subject that another one loses in the same transaction.
 *
 * The items are read just before the write, to tell the reason. Their conditions decide when two requests give one subject at the same time.
 * @param changes of the transaction, each at the position of its operation.
 */
export async function findTakenSubjects(
  { tenant, database }: Session,
  changes: readonly (Change | undefined)[],
): Promise<(ContradictingField | SubjectTaken | undefined)[]> {
  const given = changes.map((change) => change && givenSubject(change));
  const wanted = new Set(given.filter((subject) => subject !== undefined));
  if (wanted.size === 0) return given.map(() => undefined);
  const items = await database.getMany([...wanted].map((subject) => subjectKey(tenant, subject)));
  const taken = new Set(items.map(({ pk }) => pk));
  const freed = changes.map((change) => change && freedSubject(change));
  return given.map((subject, position) => {
    if (subject === undefined) return undefined;
    const { pk } = subjectKey(tenant, subject);
    if (freed.includes(subject)) return movedInBatch([freed.indexOf(subject), position]);
    if (taken.has(pk)) return new SubjectTaken();
    // A later change of the same transaction must not give it again.
    taken.add(pk);
    return undefined;
  });
}

/**
 * Checks that no other user has the subject that a change gives.
 * @throws SubjectTaken.
 */
export async function requireFreeSubject(session: Session, change: Change): Promise<void> {
  const [error] = await findTakenSubjects(session, [change]);
  if (error) throw error;
}
