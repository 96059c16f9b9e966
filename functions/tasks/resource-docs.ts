import { type Documentation, projectId, tagId, taskId, times, userId } from '../contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'A task. It can belong to a project and be assigned to a user.',
  example: {
    id: taskId,
    name: 'Draft the sitemap',
    status: 'active',
    description: 'All current pages and their new addresses.',
    priority: 'high',
    projectId,
    userId,
    dueDate: '2026-03-20',
    tagIds: [tagId],
    position: 'a1',
    ...times,
  },
  change: { status: 'completed' },
  list: {
    question:
      'the important tasks that are due within two weeks and not completed, by priority, with their projects, and how many there are per status',
    query:
      'priority[gte]=high&dueDate[lte]=2026-03-23&status[notIn]=completed,archived&sortBy=priority,dueDate&sortOrder=desc,asc&expand=project&countBy=status',
  },
  fields: {
    description: 'Text with any number of lines.',
    priority: 'The urgency, from none to urgent.',
    projectId: 'The project of the task. Deleting the project deletes the task.',
    userId: 'The user to whom the task is assigned.',
    dueDate: 'The last day.',
    tagIds: 'The ids of the tags.',
    position:
      'The place in an order that people make, for example by drag and drop. It sorts by code point, and its meaning is up to the app.',
  },
};
