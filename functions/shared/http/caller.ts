/** Whose data a request is about: what a verified claim says, never what the request says. */
import { environment } from '../environment.ts';
import type { PipelineEvent } from './middleware.ts';
import { Problem } from './problems.ts';

/** Whose data it is where nobody is asked for a token. */
export const publicTenant = 'public';

/** Of characters, after encoding: keys begin with the tenant, and have at most 1,024 bytes. */
const longestTenant = 256;

/**
 * A claim as keys begin with it. What parts a key ("#") is encoded, so that no claim reaches into another tenant's
 * keys, and different claims stay different; the mark in front keeps them apart from all that is not a tenant's.
 */
function encoded(claim: string): string | undefined {
  // The gateway puts brackets around the members of an array: it could be taken for another tenant's name.
  if (claim === '' || claim.startsWith('[') || !claim.isWellFormed()) return undefined;
  const tenant = `@${encodeURIComponent(claim)}`;
  return tenant.length <= longestTenant ? tenant : undefined;
}

/**
 * The tenant that the gateway's authorizer vouches for.
 * @param needsToken whether the gateway lets nobody through to this operation without a token.
 * @throws Problem when the token names no tenant.
 */
export function tenantOf({ requestContext }: PipelineEvent, needsToken: boolean): string {
  const name = environment.tenantClaim();
  if (name === undefined || !needsToken) return publicTenant;
  const claims = requestContext.authorizer?.jwt?.claims ?? {};
  const tenant = Object.hasOwn(claims, name) ? encoded(String(claims[name])) : undefined;
  if (tenant === undefined) {
    throw new Problem('no-tenant', `The token has no claim "${name}" that names a tenant.`);
  }
  return tenant;
}
