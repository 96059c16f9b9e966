import { endpoint } from '../shared/http/endpoint.ts';
import { cloneProjectWithTasks } from '../shared/store/cascades/clone.ts';
import { cloneProject } from './contract.ts';

export const handler = endpoint(cloneProject, ({ session, id, expected, body }) =>
  cloneProjectWithTasks(session, id, expected, {
    name: body.name,
    includesTasks: body.include.includes('tasks'),
  }),
);
