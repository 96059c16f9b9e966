import { type Documentation, organizationId, tagId, times } from '../contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'A tag labels tasks. You can filter tasks by their tags.',
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
    color: 'A color in the form #rrggbb.',
  },
};
