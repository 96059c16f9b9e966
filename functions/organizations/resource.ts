import { text, withDefault } from '../contract/fields.ts';
import { commonFields, resource } from '../contract/resource.ts';

export const organization = resource({
  kind: 'organization',
  plural: 'organizations',
  fields: {
    ...commonFields,
    description: withDefault(text(10_000), ''),
  },
});
