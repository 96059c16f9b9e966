import { type Documentation, organizationId, projectId, times, userId } from '../contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'A project belongs to an organization and groups tasks.',
  example: {
    id: projectId,
    name: 'Website relaunch',
    status: 'active',
    organizationId,
    description: 'New structure and new design. The addresses stay the same.',
    startDate: '2026-03-02',
    dueDate: '2026-08-31',
    visibility: 'tenant',
    memberIds: [userId],
    ...times,
  },
  change: { status: 'planned', dueDate: null },
  list: {
    question:
      'the projects that are due in the next six months, with their organizations and the number per status',
    query:
      'dueDate[gte]=2026-03-09&dueDate[lt]=2026-09-09&sortBy=dueDate&sortOrder=asc&expand=organization&countBy=status',
  },
  fields: {
    startDate: 'The first day.',
    visibility:
      'Who sees the project and its tasks: all of the tenant, or only its members and tokens with the scope `all-projects`. By default `tenant`.',
    memberIds: 'The ids of the users who take part. By default none.',
    include: 'What to copy with the project.',
  },
};
