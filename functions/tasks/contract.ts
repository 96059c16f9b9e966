import { create, list, read, remove, replace, update } from '../shared/contract/contract.ts';
import { day, nullable, oneOf, reference, references, text, withDefault } from '../shared/contract/fields.ts';
import { commonFields, resource } from '../shared/contract/resource.ts';

export const task = resource({
  kind: 'task',
  plural: 'tasks',
  fields: {
    ...commonFields,
    description: withDefault(text(10_000), ''),
    priority: withDefault(oneOf(['none', 'low', 'medium', 'high', 'urgent']), 'none'),
    projectId: nullable(reference('project')),
    userId: nullable(reference('user')),
    dueDate: nullable(day()),
    tagIds: withDefault(references('tag', 50), []),
  },
});

export const listTasks = list(task);
export const listProjectTasks = list(task, {
  operation: 'listProjectTasks',
  path: '/v1/projects/{id}/tasks',
  summary: 'Lists the tasks of a project.',
  nestedBy: 'projectId',
});
export const listUserTasks = list(task, {
  operation: 'listUserTasks',
  path: '/v1/users/{id}/tasks',
  summary: 'Lists the tasks of a user.',
  nestedBy: 'userId',
});
export const listTagTasks = list(task, {
  operation: 'listTagTasks',
  path: '/v1/tags/{id}/tasks',
  summary: 'Lists the tasks that have a tag.',
  nestedBy: 'tagIds',
});
export const createTask = create(task);
export const readTask = read(task);
export const replaceTask = replace(task);
export const updateTask = update(task);
export const deleteTask = remove(task);
