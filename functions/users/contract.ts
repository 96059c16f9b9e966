import { create, list, read, remove, replace, update } from '../shared/contract/contract.ts';
import { email, nullable, reference } from '../shared/contract/fields.ts';
import { commonFields, resource } from '../shared/contract/resource.ts';

export const user = resource({
  kind: 'user',
  plural: 'users',
  fields: {
    ...commonFields,
    email: nullable(email()),
    organizationId: nullable(reference('organization')),
  },
});

export const listUsers = list(user);
export const listOrganizationUsers = list(user, {
  operation: 'listOrganizationUsers',
  path: '/v1/organizations/{id}/users',
  summary: 'Lists the users of an organization.',
  nestedBy: 'organizationId',
});
export const createUser = create(user);
export const readUser = read(user);
export const replaceUser = replace(user);
export const updateUser = update(user);
export const deleteUser = remove(user);
