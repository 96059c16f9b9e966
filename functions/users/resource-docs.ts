import { type Documentation, organizationId, times, userId } from '../contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'A person to whom tasks can be assigned.',
  example: {
    id: userId,
    name: 'Ada Lovelace',
    status: 'active',
    email: 'ada@example.com',
    organizationId,
    ...times,
  },
  change: { email: 'ada.lovelace@example.com' },
  list: {
    question: 'the users with an e-mail address whose names contain "ada", whatever its case',
    query: 'name[contains]=ada&email[isNull]=false&sortBy=name&sortOrder=asc',
  },
  fields: {
    email: 'An e-mail address. Several users can have the same one.',
    organizationId: 'The organization of the entity.',
  },
};
