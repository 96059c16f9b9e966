import { endpoint } from '../shared/http/endpoint.ts';
import { copies, writableMembers } from '../shared/store/cascades/clone.ts';
import { beginJob } from '../shared/store/cascades/job.ts';
import { readEntity } from '../shared/store/entities/read-entity.ts';
import { creation } from '../shared/store/model/changes.ts';
import { commit } from '../shared/store/unit-of-work/commit.ts';
import { cloneProject } from './contract.ts';

export const handler = endpoint(cloneProject, ({ session, id, expected, body }) =>
  commit(session, async () => {
    const original = await readEntity(session, 'project', id, expected);
    const members = writableMembers(original.entity);
    const own = creation('project', { ...members, name: body.name ?? members.name });
    const clone = own.after;
    if (!body.include.includes('tasks')) return { changes: [own], result: clone };

    const { changes, next, until } = await copies(session, id, clone.entity.id);
    const whole = { changes: [own, ...changes] };
    const job = beginJob(
      session.tenant,
      { type: 'clone', from: id, to: clone.entity.id, after: '' },
      { id: until },
    );
    const begun = { changes: [own], writes: [job] };
    return { ...(next ? begun : whole), orElse: begun, result: clone };
  }),
);
