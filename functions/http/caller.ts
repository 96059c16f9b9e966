/** Who sends a request: what the token says that the gateway's authorizer has verified, never what the request says. */
import { environment } from '../runtime/environment.ts';
import type { Caller, PipelineEvent } from './middleware.ts';
import { Problem } from './problems.ts';

/** The tenant of every request where no token is required. */
export const publicTenant = 'public';

/** Characters, after encoding: keys begin with the tenant and have at most 1,024 bytes. */
const maxTenantLength = 256;

type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns a claim as keys begin with it. The separator of keys ("#") is encoded, so that no claim reaches into another
 * tenant's keys and different claims stay different; the mark in front keeps tenants apart from other partitions.
 * @returns `undefined` for a claim that names no tenant.
 */
export function encodeTenant(claim: string): string | undefined {
  if (claim === '' || !claim.isWellFormed()) return undefined;
  const tenant = `@${encodeURIComponent(claim)}`;
  return tenant.length <= maxTenantLength ? tenant : undefined;
}

/**
 * Returns the payload of the token in `Authorization`, whose signature the gateway has verified. API Gateway hands claims
 * over as text: only the payload tells the text "null" from the value null.
 */
function verifiedPayload({ headers }: PipelineEvent): Claims {
  // Of two tokens, which a comma joins, nobody knows which one the gateway has verified.
  const [, payload = ''] = /^[^.,]+\.([^.,]+)\.[^.,]+$/.exec(headers['authorization'] ?? '') ?? [];
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return typeof claims === 'object' && claims !== null ? (claims as Claims) : {};
  } catch {
    return {};
  }
}

/** Returns a claim that is a non-empty string in the token and the same text in what the authorizer hands over. */
function stringClaim(payload: Claims, authorized: Claims, name: string): string | undefined {
  const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
  const isVerified = Object.hasOwn(authorized, name) && authorized[name] === value;
  return typeof value === 'string' && value !== '' && isVerified ? value : undefined;
}

/** Returns the scopes of a token: `scope` is one string (RFC 8693, 4.2), `scp` an array or a string. */
export function scopesOf({ scope, scp = scope }: Claims): string[] {
  if (Array.isArray(scp)) return scp.filter((one) => typeof one === 'string');
  return typeof scp === 'string' ? scp.split(' ') : [];
}

/**
 * Returns the caller by the token that the gateway's authorizer has verified.
 * @param needsToken whether the gateway requires a token for this operation.
 * @throws Problem 403 when the token names no tenant, or when there is an authorizer and the function does not know
 * which claim names the tenant: with the public tenant, everybody would share one.
 */
export function callerOf(event: PipelineEvent, needsToken: boolean): Caller {
  const tenantClaim = environment.tenantClaim();
  const { authorizer } = event.requestContext;
  if (!needsToken || (tenantClaim === undefined && authorizer === undefined)) {
    return { tenant: publicTenant, tenantName: publicTenant, keyOwner: '' };
  }
  if (tenantClaim === undefined) {
    throw new Problem('no-tenant', 'This service does not know which claim names the tenant.');
  }
  const payload = verifiedPayload(event);
  const claim = (name: string) => stringClaim(payload, authorizer?.jwt?.claims ?? {}, name);
  const tenantName = claim(tenantClaim) ?? '';
  const tenant = encodeTenant(tenantName);
  if (tenant === undefined) {
    throw new Problem('no-tenant', `The token has no claim "${tenantClaim}" that names a tenant.`);
  }
  const [user, client] = [claim('sub'), claim('client_id')];
  const keyOwner = user === undefined ? client && `client_id=${client}` : `sub=${user}`;
  // Half of a surrogate pair becomes another character in keys: that of another user.
  const viewer = user?.isWellFormed() ? user : undefined;
  return { tenant, tenantName, subject: user ?? client, user: viewer, keyOwner, scopes: scopesOf(payload) };
}

const scopeName = (scope: string): string => `${environment.scopePrefix()}${scope}`;

/** Returns whether a caller has a scope. Without tokens, every caller has all. */
export const hasScope = ({ scopes }: Pick<Caller, 'scopes'>, scope: string): boolean =>
  scopes === undefined || scopes.includes(scopeName(scope));

/** @throws Problem 403 that names a scope which the operation needs besides the one that the gateway has checked. */
export function requireScope(caller: Caller, scope: string): void {
  if (hasScope(caller, scope)) return;
  const name = scopeName(scope);
  throw new Problem('missing-scope', `This request needs a token with the scope "${name}".`);
}
