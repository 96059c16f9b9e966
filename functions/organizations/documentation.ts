/** What the OpenAPI document says of this resource beyond its contract. Nothing that ships to Lambda imports it. */
import { type Documentation, organizationId, times } from '../shared/contract/documentation.ts';

export const documentation: Documentation = {
  description: 'Who the work is done for: it has projects, users and tags.',
  example: {
    id: organizationId,
    name: 'Acme',
    status: 'active',
    description: 'Everything from anvils to rockets.',
    ...times,
  },
  change: { description: 'Anvils, rockets and birdseed.' },
  members: {
    description: 'Text on any number of lines.',
  },
};
