import { type Documentation, projectId, tagId, taskId, times, userId } from '../contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'A task can belong to a project, be assigned to a user, and have tags.',
  example: {
    id: taskId,
    name: 'Draft the sitemap',
    status: 'active',
    description: 'All current pages and their new addresses.',
    priority: 'high',
    projectId,
    parentId: null,
    userId,
    dueDate: '2026-03-20',
    tagIds: [tagId],
    position: 'a1',
    estimate: 2.5,
    number: 42,
    ...times,
  },
  change: { status: 'completed' },
  list: {
    question:
      'the important open tasks that are due within two weeks, by priority, with their projects and the number per status and its estimates',
    query:
      'priority[gte]=high&dueDate[lte]=2026-03-23&status[notIn]=completed,archived&sortBy=priority,dueDate&sortOrder=desc,asc&expand=project&countBy=status&sumBy=estimate',
  },
  fields: {
    priority: 'The urgency, from none to urgent.',
    projectId: 'Id of the project. Deleting the project also deletes the task.',
    parentId: 'Id of the task that it is a part of. Deleting that task also deletes this one.',
    userId: 'Id of the user to whom the task is assigned.',
    tagIds: 'Ids of the tags.',
    position:
      'A key for an order that people arrange, for example by drag and drop. Keys sort by code point, and their format is up to the app.',
    estimate: 'The expected effort, in the unit of the team, with at most two decimals.',
    number:
      'The number that the service gave it: 1, 2, 3 … in the order of creation. It never changes, and no other task gets it. Null for a task that is older than the numbers.',
  },
};
