import * as v from 'valibot';
import * as define from '../contract/contract.ts';
import { label, setOfValues } from '../contract/fields.ts';
import { organization } from '../organizations/resource.ts';
import { project } from './resource.ts';

export const listProjects = define.list(project);
export const listOrganizationProjects = define.listOf(project, organization);
export const createProject = define.create(project);
export const readProject = define.read(project);
export const replaceProject = define.replace(project);
export const updateProject = define.update(project);
export const deleteProject = define.remove(project);
export const batchProjects = define.batch(project);

export const cloneProject = define.contract({
  operation: 'cloneProject',
  method: 'POST',
  path: '/v1/projects/{id}/clone',
  summary: 'Clone a project and its tasks',
  success: 'created',
  resource: project,
  // With `projects:write` alone, a clone would create tasks.
  additionalScope: {
    scope: 'tasks:write',
    when: 'the clone includes tasks',
    isNeeded: (body) => (body as { readonly include: readonly string[] }).include.includes('tasks'),
  },
  body: {
    writable: ['name', 'include'],
    schema: () =>
      v.object({
        name: v.optional(label(255)),
        include: v.optional(setOfValues(['tasks']), ['tasks']),
      }),
    optional: true,
  },
});
export const listProjectChanges = define.changes(project);
export const listDeletedProjects = define.listDeleted(project);
export const restoreProject = define.restore(project);
export const listProjectHistory = define.history(project);
