/** What the OpenAPI document says of this resource beyond its contract. Nothing that ships to Lambda imports it. */
import { type Documentation, organizationId, projectId, times } from '../shared/contract/documentation.ts';

export const documentation: Documentation = {
  description: 'A piece of work of an organization, made of tasks.',
  example: {
    id: projectId,
    name: 'Website relaunch',
    status: 'active',
    organizationId,
    description: 'New structure, new design, the same addresses.',
    startDate: '2026-03-02',
    dueDate: '2026-09-30',
    ...times,
  },
  change: { status: 'planned', dueDate: null },
  members: {
    organizationId: 'The organization that it belongs to.',
    description: 'Text on any number of lines.',
    startDate: 'The first day.',
    dueDate: 'The last day.',
    include: 'What is copied besides the project itself.',
  },
};
