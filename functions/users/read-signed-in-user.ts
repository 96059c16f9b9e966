import { allProjectsScope } from '../contract/scopes.ts';
import { findByUniqueValue } from '../engine/entities/unique-values.ts';
import { hasScope } from '../http/caller.ts';
import { endpoint } from '../http/endpoint.ts';
import { resources } from '../schema.ts';
import { readSignedInUser } from './contract.ts';
import { user } from './resource.ts';

/** All scopes of this API. A token can have others, which mean nothing here. */
const scopes = [
  ...resources.flatMap(({ plural }) => [`${plural}:read`, `${plural}:write`]),
  allProjectsScope,
];

export const handler = endpoint(readSignedInUser, async ({ session, caller }) => {
  const { subject = null, tenantName: tenant } = caller;
  const mayReadUser = subject !== null && hasScope(caller, 'users:read');
  const found = mayReadUser ? await findByUniqueValue(session, user.kind, subject) : undefined;
  return {
    subject,
    tenant,
    scopes: scopes.filter((scope) => hasScope(caller, scope)),
    user: found ? user.show(found.entity) : null,
  };
});
