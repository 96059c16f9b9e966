import type { Documentation } from '../../functions/contract/resource-docs.ts';
import type { Kind } from '../../functions/kinds.ts';
import { documentation as organization } from '../../functions/organizations/resource-docs.ts';
import { documentation as project } from '../../functions/projects/resource-docs.ts';
import { documentation as tag } from '../../functions/tags/resource-docs.ts';
import { documentation as task } from '../../functions/tasks/resource-docs.ts';
import { documentation as user } from '../../functions/users/resource-docs.ts';

export const resourceDocs: Readonly<Record<Kind, Documentation>> = { organization, project, user, task, tag };

/** Statuses that the documentation names. A status can be any other text as well. */
export const knownStatuses = ['active', 'planned', 'completed', 'archived'] as const;

export const fieldDescriptions: Readonly<Record<string, string>> = {
  id: 'An opaque, unique id. Later ids sort after earlier ones.',
  name: 'The name. Leading and trailing white space is removed before the length is checked.',
  status: `Any status. Common values are ${knownStatuses.slice(0, -1).join(', ')} and ${knownStatuses.at(-1)}.`,
  createdAt: 'The time of the creation, in UTC.',
  updatedAt: 'The time of the last write, in UTC.',
  ...Object.assign({}, ...Object.values(resourceDocs).map(({ fields }) => fields)),
};
