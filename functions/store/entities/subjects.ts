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

const freedInBatch = (): ContradictingField =>
  new ContradictingField(
    subjectField,
    'Another operation of this batch takes this "subject" from its user. Send that operation in a batch before this one.',
  );

/**
 * Returns, for each change, why it cannot give its user the subject; `undefined` when it can, or gives none. DynamoDB writes an item once in a
 * transaction, so no user can get the subject that another one loses in the same transaction.
 *
 * The items are read just before the write, to tell the reason. Their conditions decide when two requests give one subject at the same time.
 * @param freeing all changes of the transaction, also those that give no subject.
 */
export async function findTakenSubjects(
  { tenant, database }: Session,
  changes: readonly Change[],
  freeing: readonly Change[] = changes,
): Promise<(ContradictingField | SubjectTaken | undefined)[]> {
  const given = changes.map(givenSubject);
  const wanted = new Set(given.filter((subject) => subject !== undefined));
  if (wanted.size === 0) return given.map(() => undefined);
  const items = await database.getMany([...wanted].map((subject) => subjectKey(tenant, subject)));
  const taken = new Set(items.map(({ pk }) => pk));
  const freed = new Set(freeing.map(freedSubject));
  return given.map((subject) => {
    if (subject === undefined) return undefined;
    const { pk } = subjectKey(tenant, subject);
    if (freed.has(subject)) return freedInBatch();
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
