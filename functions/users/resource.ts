import { email, identifier, nullable, reference } from '../contract/fields.ts';
import { commonFields, resource } from '../contract/resource.ts';
import { organization } from '../organizations/resource.ts';

export const user = resource({
  kind: 'user',
  plural: 'users',
  fields: {
    ...commonFields,
    email: nullable(email()),
    organizationId: nullable(reference(organization)),
    subject: nullable(identifier(255)),
  },
  unique: 'subject',
});
