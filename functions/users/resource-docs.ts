import { type Documentation, organizationId, times, userId } from '../contract/resource-docs.ts';

export const documentation: Documentation = {
  description: 'A user is a person to whom tasks can be assigned.',
  example: {
    id: userId,
    name: 'Ada Lovelace',
    status: 'active',
    email: 'ada@example.com',
    organizationId,
    subject: '8d3c0a52-6f1e-4b7a-9c25-0e4f7a1b6d93',
    ...times,
  },
  change: { email: 'ada.lovelace@example.com' },
  list: {
    question: 'the users with an e-mail address whose names contain "ada" in any case',
    query: 'name[contains]=ada&email[isNull]=false&sortBy=name&sortOrder=asc',
  },
  fields: {
    email: 'An e-mail address. Several users can share one.',
    subject:
      'Identifies the user to the issuer of tokens: the claim `sub`. It is unique in a tenant; otherwise the response is 409.',
  },
};
