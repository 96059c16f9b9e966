import { emptyBody } from '../shared/contract/bodies.ts';
import { contract, create, list, read, remove, replace, update } from '../shared/contract/contract.ts';
import { text, withDefault } from '../shared/contract/fields.ts';
import { commonFields, resource } from '../shared/contract/resource.ts';
import { childrenAccess } from '../shared/contract/table-access.ts';

export const organization = resource({
  kind: 'organization',
  plural: 'organizations',
  fields: {
    ...commonFields,
    description: withDefault(text(10_000), ''),
  },
});

export const listOrganizations = list(organization);
export const createOrganization = create(organization);
export const readOrganization = read(organization);
export const replaceOrganization = replace(organization);
export const updateOrganization = update(organization);
export const deleteOrganization = remove(organization);

export const archiveOrganization = contract({
  operation: 'archiveOrganization',
  method: 'POST',
  path: '/v1/organizations/{id}/archive',
  summary: 'Archives an organization and its projects.',
  success: 'entity',
  access: childrenAccess,
  resource: organization,
  body: emptyBody,
});
