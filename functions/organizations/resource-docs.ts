/** The resource docs of organizations in the OpenAPI document. No Lambda bundle contains them. */
import { type Documentation, organizationId, times } from '../shared/contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'An organization with projects, users and tags.',
  example: {
    id: organizationId,
    name: 'Acme',
    status: 'active',
    description: 'Everything from anvils to rockets.',
    ...times,
  },
  change: { description: 'Anvils, rockets and birdseed.' },
  fields: {
    description: 'Text with any number of lines.',
  },
};
