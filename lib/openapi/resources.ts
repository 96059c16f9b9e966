/** Descriptions and examples of the resources, which each resource defines itself. */
import { documentation as organization } from '../../functions/organizations/documentation.ts';
import { documentation as project } from '../../functions/projects/documentation.ts';
import type { Documentation } from '../../functions/shared/contract/documentation.ts';
import type { Kind } from '../../functions/shared/store/model/relations.ts';
import { documentation as tag } from '../../functions/tags/documentation.ts';
import { documentation as task } from '../../functions/tasks/documentation.ts';
import { documentation as user } from '../../functions/users/documentation.ts';

export const resourceDocs: Readonly<Record<Kind, Documentation>> = { organization, project, user, task, tag };

/** Descriptions of the fields. */
export const fieldDescriptions: Readonly<Record<string, string>> = {
  id: 'Opaque and unique. Later ids sort after earlier ones.',
  name: 'Surrounding white space is removed before the length is checked.',
  status: 'Any value. Known values: active, planned, completed, archived.',
  createdAt: 'Time of the creation, in UTC.',
  updatedAt: 'Time of the last change, in UTC.',
  ...Object.assign({}, ...Object.values(resourceDocs).map(({ members }) => members)),
};
