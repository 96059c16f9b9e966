import { organization } from '../organizations/resource.ts';
import { color, nullable, reference, text, withDefault } from '../shared/contract/fields.ts';
import { commonFields, resource } from '../shared/contract/resource.ts';

export const tag = resource({
  kind: 'tag',
  plural: 'tags',
  fields: {
    ...commonFields,
    color: withDefault(color(), '#808080'),
    description: withDefault(text(10_000), ''),
    organizationId: nullable(reference(organization)),
  },
});
