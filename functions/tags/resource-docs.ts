import { type Documentation, organizationId, tagId, times } from '../contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'A label of tasks. Lists can be filtered by it.',
  example: {
    id: tagId,
    name: 'design',
    status: 'active',
    color: '#ff8800',
    description: 'Colors, fonts and layout.',
    organizationId,
    ...times,
  },
  change: { color: '#0088ff' },
  list: {
    question: 'the tags whose names begin with "d", by color and name',
    query: 'name[startsWith]=d&sortBy=color,name&sortOrder=asc',
  },
  fields: {
    color: 'A color as #rrggbb.',
    description: 'Text with any number of lines.',
    organizationId: 'The organization of the entity.',
  },
};
