import { color, nullable, reference, text, withDefault } from '../contract/fields.ts';
import { commonFields, resource } from '../contract/resource.ts';
import { organization } from '../organizations/resource.ts';

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
