import { text, withDefault } from '../shared/contract/fields.ts';
import { commonFields, resource } from '../shared/contract/resource.ts';

export const organization = resource({
  kind: 'organization',
  plural: 'organizations',
  fields: {
    ...commonFields,
    description: withDefault(text(10_000), ''),
  },
});
