import {
  batch,
  changes,
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
import { task } from './resource.ts';

export const listTasks = list(task);
export const listProjectTasks = list(task, {
  operation: 'listProjectTasks',
  path: '/v1/projects/{id}/tasks',
  summary: 'List the tasks of a project',
  nestedBy: 'projectId',
});
export const listUserTasks = list(task, {
  operation: 'listUserTasks',
  path: '/v1/users/{id}/tasks',
  summary: 'List the tasks of a user',
  nestedBy: 'userId',
});
export const listTagTasks = list(task, {
  operation: 'listTagTasks',
  path: '/v1/tags/{id}/tasks',
  summary: 'List the tasks that have a tag',
  nestedBy: 'tagIds',
});
export const createTask = create(task);
export const readTask = read(task);
export const replaceTask = replace(task);
export const updateTask = update(task);
export const deleteTask = remove(task);
export const batchTasks = batch(task);
export const listTaskChanges = changes(task);
export const listDeletedTasks = listDeleted(task);
export const restoreTask = restore(task);
export const listTaskHistory = history(task);
