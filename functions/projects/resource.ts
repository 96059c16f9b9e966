import { organization } from '../organizations/resource.ts';
import { day, nullable, reference, text, withDefault } from '../shared/contract/fields.ts';
import { commonFields, resource } from '../shared/contract/resource.ts';

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
