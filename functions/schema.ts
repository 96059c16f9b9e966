/** The resources of this application, and the schema that follows from them. */
import { longTextField } from './contract/fields.ts';
import type { Resource } from './contract/resource.ts';
import { configure, type Schema } from './engine/model/schema.ts';
import { organization } from './organizations/resource.ts';
import { project } from './projects/resource.ts';
import { environment } from './runtime/environment.ts';
import { logWarning } from './runtime/logger.ts';
import { tag } from './tags/resource.ts';
import { task } from './tasks/resource.ts';
import { user } from './users/resource.ts';

export const resources = [
  organization,
  project,
  user,
  task,
  tag,
  // npx pm-api new: above this line
] as const;

export type Kind = (typeof resources)[number]['kind'];

const byKind = <Name extends 'unique' | 'check' | 'access'>(name: Name) =>
  Object.fromEntries(
    resources.flatMap(({ kind, [name]: value }) => (value ? [[kind, value]] : [])),
  ) as Record<string, NonNullable<Resource[Name]>>;

export const schema: Schema = {
  relations: resources.flatMap(({ relations }) => relations),
  longText: longTextField,
  searchedFields: ['name', longTextField],
  uniqueFields: byKind('unique'),
  numbered: resources.filter(({ numbered }) => numbered).map(({ kind }) => kind),
  checks: byKind('check'),
  access: byKind('access'),
  dictionary: {
    fields: [
      ...['name', 'status', 'description', 'updatedAt', 'priority', 'dueDate', 'projectId', 'userId'],
      ...['tagIds', 'organizationId', 'startDate', 'email', 'color', 'position', 'subject'],
    ],
    values: [
      ...['active', 'archived', 'backlog', 'blocked', 'cancelled', 'closed', 'completed', 'done', 'draft'],
      ...['in-progress', 'in-review', 'inactive', 'invited', 'on-hold', 'open', 'pending', 'planned'],
      ...['suspended', 'todo', 'none', 'low', 'medium', 'high', 'urgent', '#808080'],
    ],
  },
};

configure(schema, { ...environment, logWarning });
