/** What the OpenAPI document says of this resource beyond its contract. Nothing that ships to Lambda imports it. */
import { type Documentation, organizationId, tagId, times } from '../shared/contract/documentation.ts';

export const documentation: Documentation = {
  description: 'A word to find tasks by.',
  example: {
    id: tagId,
    name: 'design',
    status: 'active',
    color: '#ff8800',
    description: 'What is seen.',
    organizationId,
    ...times,
  },
  change: { color: '#0088ff' },
  members: {
    color: 'As #rrggbb.',
    description: 'Text on any number of lines.',
    organizationId: 'The organization that it belongs to.',
  },
};
