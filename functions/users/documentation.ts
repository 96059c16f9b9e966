/** What the OpenAPI document says of this resource beyond its contract. Nothing that ships to Lambda imports it. */
import { type Documentation, organizationId, times, userId } from '../shared/contract/documentation.ts';

export const documentation: Documentation = {
  description: 'Somebody who works on tasks.',
  example: {
    id: userId,
    name: 'Ada Lovelace',
    status: 'active',
    email: 'ada@example.com',
    organizationId,
    ...times,
  },
  change: { email: 'ada.lovelace@example.com' },
  members: {
    email: 'Need not be unique.',
    organizationId: 'The organization that it belongs to.',
  },
};
