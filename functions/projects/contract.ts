import * as v from 'valibot';
import {
  batch,
  changes,
  contract,
  create,
  history,
  list,
  listDeleted,
  read,
  remove,
  replace,
  restore,
  update,
} from '../contract/contract.ts';
import { label, setOfValues } from '../contract/fields.ts';
import { project } from './resource.ts';

export const listProjects = list(project);
export const listOrganizationProjects = list(project, {
  operation: 'listOrganizationProjects',
  path: '/v1/organizations/{id}/projects',
  summary: 'List the projects of an organization',
  nestedBy: 'organizationId',
});
export const createProject = create(project);
export const readProject = read(project);
export const replaceProject = replace(project);
export const updateProject = update(project);
export const deleteProject = remove(project);
export const batchProjects = batch(project);

export const cloneProject = contract({
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
export const listProjectChanges = changes(project);
export const listDeletedProjects = listDeleted(project);
export const restoreProject = restore(project);
export const listProjectHistory = history(project);
