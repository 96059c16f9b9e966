import * as define from '../contract/contract.ts';
import { organization } from '../organizations/resource.ts';
import { user } from './resource.ts';

export const listUsers = define.list(user);
export const listOrganizationUsers = define.listOf(user, organization);
export const readSignedInUser = define.contract({
  operation: 'readSignedInUser',
  method: 'GET',
  path: '/v1/users/me',
  summary: 'Read the signed-in user: subject, tenant and scopes of the token, and the user with this subject',
  success: 'signedInUser',
  resource: user,
  takesAnyScope: true,
});
export const createUser = define.create(user);
export const readUser = define.read(user);
export const replaceUser = define.replace(user);
export const updateUser = define.update(user);
export const deleteUser = define.remove(user);
export const batchUsers = define.batch(user);
export const listUserChanges = define.changes(user);
export const listDeletedUsers = define.listDeleted(user);
export const restoreUser = define.restore(user);
export const listUserHistory = define.history(user);
