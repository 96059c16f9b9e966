/** What callers see who do not see all: the rule, as of moments of a request. Who the caller is, which projects exist, and the tasks are read one after the other. */
import type { Entity, Kind } from './list-model.ts';
import type { Moments, State } from './moments.ts';

/** Subjects of callers: one that users get and lose, and one that no user has. */
export const viewers = ['ada', 'nobody'] as const;

export type Viewer = (typeof viewers)[number];

export type Sees = (kind: Kind, entity: Entity) => boolean;

/** Returns what the user with an id sees, as projects are at a moment. */
function sightAt({ project, trash }: State, userId: string | undefined): Sees {
  const isSeen = ({ visibility, memberIds }: Entity): boolean =>
    visibility !== 'members' || (userId !== undefined && (memberIds as readonly string[]).includes(userId));
  return (kind, entity) => {
    if (kind === 'project') return isSeen(entity);
    const { projectId } = entity;
    if (kind !== 'task' || projectId === null) return true;
    const found = project.get(String(projectId)) ?? trash.project.get(String(projectId));
    return found !== undefined && isSeen(found.entity);
  };
}

/**
 * Returns whether the project of a task was erased: nobody knows any more who saw the task. Lists leave it out at once. The feed ends when the job of the deletion
 * removes the task.
 */
export function isOfErasedProject({ project, trash }: State, { projectId = null }: Entity): boolean {
  return projectId !== null && !project.has(String(projectId)) && !trash.project.has(String(projectId));
}

/** Returns all that a viewer can have seen since a moment; of a caller who sees all, that. */
export function sightsSince(moments: Moments, first: number, viewer: Viewer | undefined): Sees[] {
  if (viewer === undefined) return [() => true];
  const states = moments.states.slice(first);
  const userOf = ({ user }: State): string | undefined =>
    [...user.values()].find(({ entity }) => entity['subject'] === viewer)?.entity.id;
  const users = new Set(states.map(userOf));
  return states.flatMap((state) => [...users].map((user) => sightAt(state, user)));
}
