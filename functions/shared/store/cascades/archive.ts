import { type Change, update } from '../model/changes.ts';
import { relations } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { idLaterThanChildren, type Part, readChildren } from './cascade.ts';

const ownership = relations.find(({ child, parent }) => child === 'project' && parent === 'organization');

/**
 * What archiving an organization means for one page of its projects.
 * @returns with it, an id that is later than all of them: of the job that goes on.
 */
export async function archivedProjects(
  session: Session,
  organizationId: string,
  part: Part = {},
): Promise<{ changes: Change[]; next: string | undefined; until: string }> {
  if (!ownership) throw new TypeError('Projects have no organization.');
  const page = await readChildren(session, ownership, organizationId, { limit: 100, ...part });
  const { children, next } = page;
  const until = part.until ?? (await idLaterThanChildren(session, ownership, organizationId, page));
  return {
    changes: children
      .filter(({ entity }) => entity.status !== 'archived')
      .map((project) => update(project, { status: 'archived' })),
    next,
    until,
  };
}
