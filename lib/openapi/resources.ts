/** What the document says of resources beyond their contracts, as they say it themselves. */
import { documentation as organization } from '../../functions/organizations/documentation.ts';
import { documentation as project } from '../../functions/projects/documentation.ts';
import type { Documentation } from '../../functions/shared/contract/documentation.ts';
import type { Kind } from '../../functions/shared/store/model/relations.ts';
import { documentation as tag } from '../../functions/tags/documentation.ts';
import { documentation as task } from '../../functions/tasks/documentation.ts';
import { documentation as user } from '../../functions/users/documentation.ts';

export const words: Readonly<Record<Kind, Documentation>> = { organization, project, user, task, tag };

/** What members mean. */
export const memberDescriptions: Readonly<Record<string, string>> = {
  id: 'Opaque and unique. Ids made later sort later.',
  name: 'White space around it is taken away before it is measured.',
  status: 'An open value. Usual are active, planned, completed and archived.',
  createdAt: 'When it was created, in UTC.',
  updatedAt: 'When it was last written, in UTC.',
  ...Object.assign({}, ...Object.values(words).map(({ members }) => members)),
};
