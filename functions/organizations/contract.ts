import {
  batch,
  changes,
  contract,
  create,
  emptyBody,
  history,
  list,
  listDeleted,
  read,
  remove,
  replace,
  restore,
  update,
} from '../contract/contract.ts';
import { organization } from './resource.ts';

export const listOrganizations = list(organization);
export const createOrganization = create(organization);
export const readOrganization = read(organization);
export const replaceOrganization = replace(organization);
export const updateOrganization = update(organization);
export const deleteOrganization = remove(organization);
export const batchOrganizations = batch(organization);

export const archiveOrganization = contract({
  operation: 'archiveOrganization',
  method: 'POST',
  path: '/v1/organizations/{id}/archive',
  summary: 'Archive an organization and its projects',
  success: 'entity',
  resource: organization,
  body: emptyBody,
});
export const listOrganizationChanges = changes(organization);
export const listDeletedOrganizations = listDeleted(organization);
export const restoreOrganization = restore(organization);
export const listOrganizationHistory = history(organization);
