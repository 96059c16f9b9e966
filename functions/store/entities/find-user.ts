import type { WholeEntity } from '../model/entity.ts';
import { subjectKey, subjectOf, userOfSubject } from '../model/subject.ts';
import type { Session } from '../unit-of-work/session.ts';
import { findEntity } from '../unit-of-work/whole-entities.ts';

/** Reads the user with a subject consistently; `undefined` when the tenant has none. */
export async function findUserBySubject(session: Session, subject: string): Promise<WholeEntity | undefined> {
  const item = await session.database.get(subjectKey(session.tenant, subject));
  const user = item && (await findEntity(session, 'user', userOfSubject(item)));
  // Between the two reads, the user can get another subject.
  return subjectOf(user) === subject ? user : undefined;
}
