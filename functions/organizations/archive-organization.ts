import { endpoint } from '../shared/http/endpoint.ts';
import { archivedProjects } from '../shared/store/cascades/archive.ts';
import { beginJob } from '../shared/store/cascades/job.ts';
import { readEntity } from '../shared/store/entities/read-entity.ts';
import { update } from '../shared/store/model/changes.ts';
import { commit } from '../shared/store/unit-of-work/commit.ts';
import { archiveOrganization } from './contract.ts';

export const handler = endpoint(archiveOrganization, ({ session, id, expected }) =>
  commit(session, async () => {
    const before = await readEntity(session, 'organization', id, expected);
    const isArchived = before.entity.status === 'archived';
    const change = isArchived ? { after: before } : update(before, { status: 'archived' });
    const own = 'before' in change ? [change] : [];

    const { changes, next, until } = await archivedProjects(session, id);
    const whole = { changes: [...own, ...changes] };
    const job = beginJob(session.tenant, { type: 'archive', id, after: '' }, { id: until });
    const begun = { changes: own, writes: [job] };
    return { ...(next ? begun : whole), orElse: begun, result: change.after };
  }),
);
