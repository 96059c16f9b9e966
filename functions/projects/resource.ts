import { day, nullable, oneOf, reference, references, text, withDefault } from '../contract/fields.ts';
import { commonFields, resource } from '../contract/resource.ts';
import type { Check } from '../engine/model/schema.ts';
import { organization } from '../organizations/resource.ts';
import { user } from '../users/resource.ts';

/**
 * Checks that a change of dates does not make an entity end before it starts. Other changes of an entity that has such dates already are allowed.
 * Dates are YYYY-MM-DD, so their order is that of their texts.
 */
const startsBeforeItEnds: Check = ({ startDate, dueDate }, before) => {
  if (typeof startDate !== 'string' || typeof dueDate !== 'string' || startDate <= dueDate) return undefined;
  if (before?.['dueDate'] !== dueDate) {
    return { field: 'dueDate', message: `"dueDate" must not be before "startDate", which is ${startDate}.` };
  }
  if (before['startDate'] !== startDate) {
    return { field: 'startDate', message: `"startDate" must not be after "dueDate", which is ${dueDate}.` };
  }
  return undefined;
};

export const project = resource({
  kind: 'project',
  plural: 'projects',
  fields: {
    ...commonFields,
    organizationId: reference(organization, { onDelete: 'cascade' }),
    description: withDefault(text(10_000), ''),
    startDate: nullable(day()),
    dueDate: nullable(day()),
    visibility: withDefault(oneOf(['tenant', 'members']), 'tenant'),
    memberIds: withDefault(references(user, 100), []),
  },
  check: startsBeforeItEnds,
  access: { members: 'memberIds', when: { visibility: 'members' } },
});
