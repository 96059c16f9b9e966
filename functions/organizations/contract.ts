import * as define from '../contract/contract.ts';
import { organization } from './resource.ts';

export const listOrganizations = define.list(organization);
export const createOrganization = define.create(organization);
export const readOrganization = define.read(organization);
export const replaceOrganization = define.replace(organization);
export const updateOrganization = define.update(organization);
export const deleteOrganization = define.remove(organization);
export const batchOrganizations = define.batch(organization);

export const archiveOrganization = define.contract({
  operation: 'archiveOrganization',
  method: 'POST',
  path: '/v1/organizations/{id}/archive',
  summary: 'Archive an organization and its projects',
  success: 'entity',
  resource: organization,
  body: define.emptyBody,
});
export const listOrganizationChanges = define.changes(organization);
export const listDeletedOrganizations = define.listDeleted(organization);
export const restoreOrganization = define.restore(organization);
export const listOrganizationHistory = define.history(organization);
