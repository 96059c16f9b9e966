/** What must hold for a changed entity: that of the schema, and what follows from other entities. */

import type { WholeChange } from '../model/changes.ts';
import { ContradictingField } from '../model/errors.ts';
import { schemaInUse } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { requirePermission } from './permissions.ts';
import { findMissingReferences } from './references.ts';
import { findTreeErrors, type ReadBelow } from './trees.ts';
import { requireFreeValue } from './unique-values.ts';

/** Returns the error of a change after which a field contradicts another one; `undefined` when none does. */
export function findContradiction({ before, after }: WholeChange): ContradictingField | undefined {
  const issue = schemaInUse().checks[after.kind]?.(after.entity, before?.entity);
  return issue && new ContradictingField(issue.field, issue.message);
}

/** @throws ContradictingField, NeedsFullSight, NotAMember, ReferenceNotFound, ValueTaken when a change must not be written. */
export async function requireValid(session: Session, change: WholeChange, readBelow?: ReadBelow) {
  const error = findContradiction(change);
  if (error) throw error;
  const [missing] = await findMissingReferences(session, [change]);
  if (missing) throw missing;
  await requirePermission(session, change);
  const [contradiction] = await findTreeErrors(session, change.after.kind, [change], { readBelow });
  if (contradiction) throw contradiction;
  await requireFreeValue(session, change);
}
