/**
 * Subjects of users: the one field whose values are unique in a tenant. A user with a subject has an item beside it, whose key is the
 * subject. The transaction of a change of the subject puts the new item on condition that there is none, and removes the old one. So a write
 * that leaves the subject alone costs nothing more.
 */
import { hash } from 'node:crypto';
import type { Change } from './changes.ts';
import { notExists } from './condition-expressions.ts';
import type { DeletedEntity, StoredEntity } from './entity.ts';
import { formatAttributes, requireReadable } from './stored-format.ts';
import type { Item, Key, Write } from './writes.ts';

export const subjectField = 'subject';

/** The sort key of the items of subjects. */
export const subjectSortKey = 'subject';

/** The id of the user. It must not be named `id`, which is a key of an index. */
const userAttribute = 'userId';

/** Returns the subject of a user; `undefined` for one without it, for a deleted one, and for entities of other kinds. */
export function subjectOf(stored: StoredEntity | DeletedEntity | undefined): string | undefined {
  const subject = stored?.kind === 'user' && !stored.deletion ? stored.entity[subjectField] : undefined;
  return typeof subject === 'string' ? subject : undefined;
}

/** Returns the key of the item of a subject. The hash makes it short, so that the item costs what 1 KB costs. */
export const subjectKey = (tenant: string, subject: string): Key => ({
  pk: `${tenant}#subject#${hash('sha256', subject, 'base64url')}`,
  sk: subjectSortKey,
});

export const encodeSubject = (tenant: string, subject: string, userId: string): Item => ({
  ...subjectKey(tenant, subject),
  ...formatAttributes('subject'),
  [userAttribute]: userId,
});

const subjectFields = { [userAttribute]: true };

/** Returns the id of the user that the item of a subject names. @throws UnknownFormat. */
export function userOfSubject(item: Item): string {
  requireReadable('subject', item, subjectFields);
  return item[userAttribute] as string;
}

/**
 * Returns the writes of the items of subjects that belong to a change. The condition of the entity's own write holds for the removal: the old
 * item is that of this user.
 */
export function buildSubjectWrites(tenant: string, { before, after }: Change): Write[] {
  const [known, wanted] = [subjectOf(before), subjectOf(after)];
  if (known === wanted) return [];
  return [
    ...(known === undefined ? [] : [{ remove: subjectKey(tenant, known) }]),
    ...(wanted === undefined || !after
      ? []
      : [{ put: encodeSubject(tenant, wanted, after.entity.id), condition: notExists }]),
  ];
}
