import { type Part, readChildren } from './cascade.ts';
import { type Change, update } from './changes.ts';
import { relations } from './relations.ts';
import type { Session } from './session.ts';

const ownership = relations.find(({ child, parent }) => child === 'project' && parent === 'organization');

/** What archiving an organization means for one page of its projects. */
export async function archivedProjects(
  session: Session,
  organizationId: string,
  part: Part = {},
): Promise<{ changes: Change[]; next: string | undefined }> {
  if (!ownership) throw new TypeError('Projects have no organization.');
  const { children, next } = await readChildren(session, ownership, organizationId, { limit: 100, ...part });
  return {
    changes: children
      .filter(({ entity }) => entity.status !== 'archived')
      .map((project) => update(project, { status: 'archived' })),
    next,
  };
}
