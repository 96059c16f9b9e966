import type { Documentation } from '../../functions/contract/resource-docs.ts';
import { documentations } from '../../functions/routes.ts';
import type { Kind } from '../../functions/schema.ts';

/** Returns what the documentation says of a resource. */
export const docsOf = ({ kind }: { readonly kind: string }): Documentation => documentations[kind as Kind];

/** Statuses that the documentation names. A status can be any other text as well. */
export const knownStatuses = ['active', 'planned', 'completed', 'archived'] as const;

export const fieldDescriptions: Readonly<Record<string, string>> = {
  id: 'An opaque, unique id. Later ids sort after earlier ones.',
  name: 'The name. Leading and trailing white space is removed before the length is checked.',
  status: `Any status. Common values are ${knownStatuses.slice(0, -1).join(', ')} and ${knownStatuses.at(-1)}.`,
  description: 'Free text of one or more lines.',
  organizationId: 'Id of the organization.',
  dueDate: 'The last day.',
  createdAt: 'The time of the creation, in UTC.',
  updatedAt: 'The time of the last write, in UTC.',
  ...Object.assign({}, ...Object.values(documentations).map(({ fields }) => fields)),
};
