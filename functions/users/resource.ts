import { organization } from '../organizations/resource.ts';
import { email, nullable, reference } from '../shared/contract/fields.ts';
import { commonFields, resource } from '../shared/contract/resource.ts';

export const user = resource({
  kind: 'user',
  plural: 'users',
  fields: {
    ...commonFields,
    email: nullable(email()),
    organizationId: nullable(reference(organization)),
  },
});
