import {
  day,
  nullable,
  number,
  oneOf,
  reference,
  references,
  type Target,
  text,
  withDefault,
} from '../contract/fields.ts';
import { commonFields, resource } from '../contract/resource.ts';
import { project } from '../projects/resource.ts';
import { tag } from '../tags/resource.ts';
import { user } from '../users/resource.ts';

export const task = resource({
  kind: 'task',
  plural: 'tasks',
  numbered: true,
  fields: {
    ...commonFields,
    description: withDefault(text(10_000), ''),
    priority: withDefault(oneOf(['none', 'low', 'medium', 'high', 'urgent']), 'none'),
    projectId: nullable(reference(project, { onDelete: 'cascade' })),
    parentId: nullable(reference((): Target => task, { onDelete: 'cascade' })),
    userId: nullable(reference(user)),
    dueDate: nullable(day()),
    tagIds: withDefault(references(tag, 50), []),
    position: nullable(text(100)),
    estimate: nullable(number({ min: 0, max: 100_000, decimals: 2 })),
  },
  access: { through: 'projectId' },
});
