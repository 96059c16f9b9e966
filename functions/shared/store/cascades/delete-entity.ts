import type { ExpectedVersions } from '../entities/expected-versions.ts';
import { readEntityItem } from '../entities/read-entity.ts';
import { mergeChangeSets } from '../model/changes.ts';
import type { Kind } from '../model/relations.ts';
import { maxTransactionWrites } from '../model/writes.ts';
import { commit } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { findDescendants } from './descendants.ts';
import { buildDelete } from './sweep.ts';

/** Attempts to delete the descendants in the same transaction. Later attempts leave them to the job: an index may lag. */
const maxAttemptsWithDescendants = 3;

/** The entity itself and its job take two of a transaction's writes. */
const maxDescendants = maxTransactionWrites - 2;

/**
 * Deletes an entity, with its descendants in the same transaction when they fit, and otherwise by a job.
 * @throws EntityNotFound, VersionMismatch.
 */
export function deleteEntity(
  session: Session,
  kind: Kind,
  id: string,
  expected?: ExpectedVersions,
): Promise<undefined> {
  return commit(session, async (attempt) => {
    const stored = await readEntityItem(session, kind, id, expected);
    const own = buildDelete(session.tenant, stored);
    const descendants =
      attempt <= maxAttemptsWithDescendants
        ? await findDescendants(session, kind, id, maxDescendants)
        : undefined;
    if (!descendants) return { ...own, result: undefined };
    return { ...mergeChangeSets([own, ...descendants]), orElse: own, result: undefined };
  });
}
