import { type Documentation, organizationId, times } from '../contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'An organization owns projects, and can have users and tags.',
  example: {
    id: organizationId,
    name: 'Acme',
    status: 'active',
    description: 'Everything from anvils to rockets.',
    ...times,
  },
  change: { description: 'Anvils, rockets and birdseed.' },
  list: {
    question: 'the names of the organizations that are not archived',
    query: 'status[ne]=archived&fields=name&sortBy=name&sortOrder=asc',
  },
  fields: {},
};
