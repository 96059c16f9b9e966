/** Changes of tasks as users make them, to measure what their records cost. */
import { buildCreate, buildUpdate, type Change } from '#functions/engine/model/changes.ts';
import type { Fields, StoredEntity } from '#functions/engine/model/entity.ts';
import { newId } from '#functions/engine/model/ids.ts';

/** 45 characters, the mean of names in public collections of issues. */
const name = 'Fix the login page of the mobile application.';

const days = 86_400_000;

/** A sentence, as many descriptions are. */
export const sentence = 'The page stays empty after a login with an expired password.';

/** Returns a change of each kind to a task that was changed three days ago. */
export function typicalChanges(nowMs: number, description: string): Readonly<Record<string, Change>> {
  const fields: Fields = {
    name,
    status: 'todo',
    description,
    priority: 'medium',
    dueDate: '2026-12-24',
    projectId: newId(Date.now()).id,
    userId: newId(Date.now()).id,
    tagIds: [newId(Date.now()).id],
  };
  const created = buildCreate('task', fields, Date.now());
  const changedAt = nowMs - 3 * days;
  const entity = { ...created.after.entity, updatedAt: new Date(changedAt - 8).toISOString() };
  const before: StoredEntity = { ...created.after, entity, version: 3, logPosition: 100_000 };
  return {
    create: created,
    'change of the priority': buildUpdate(before, { priority: 'high' }, Date.now()),
    'change of the status': buildUpdate(before, { status: 'done' }, Date.now()),
    'change of the name': buildUpdate(before, { name: `${name.slice(0, -1)} on tablets` }, Date.now()),
    deletion: { before },
  };
}
