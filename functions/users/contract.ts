import {
  batch,
  changes,
  contract,
  create,
  history,
  list,
  listDeleted,
  read,
  remove,
  replace,
  restore,
  update,
} from '../contract/contract.ts';
import { user } from './resource.ts';

export const listUsers = list(user);
export const listOrganizationUsers = list(user, {
  operation: 'listOrganizationUsers',
  path: '/v1/organizations/{id}/users',
  summary: 'List the users of an organization',
  nestedBy: 'organizationId',
});
export const readSignedInUser = contract({
  operation: 'readSignedInUser',
  method: 'GET',
  path: '/v1/users/me',
  summary: 'Read the signed-in user: subject, tenant and scopes of the token, and the user with this subject',
  success: 'signedInUser',
  resource: user,
  takesAnyScope: true,
});
export const createUser = create(user);
export const readUser = read(user);
export const replaceUser = replace(user);
export const updateUser = update(user);
export const deleteUser = remove(user);
export const batchUsers = batch(user);
export const listUserChanges = changes(user);
export const listDeletedUsers = listDeleted(user);
export const restoreUser = restore(user);
export const listUserHistory = history(user);
