import { day, nullable, reference, text, withDefault } from '../contract/fields.ts';
import { commonFields, resource } from '../contract/resource.ts';
import { organization } from '../organizations/resource.ts';

export const project = resource({
  kind: 'project',
  plural: 'projects',
  fields: {
    ...commonFields,
    organizationId: reference(organization),
    description: withDefault(text(10_000), ''),
    startDate: nullable(day()),
    dueDate: nullable(day()),
  },
});
