import { deniedScopes } from '../../../functions/authentication/roles.ts';
import { apiScopes } from '../../hosting/scopes.ts';

/** Who signs in, as the page or the parameter `login_hint` says. */
export interface Person {
  readonly tenant: string;
  readonly subject: string;
  readonly roles: readonly string[];
  /** The scopes that the person grants. */
  readonly granted: readonly string[];
}

/**
 * Returns the person whom a request names: with parameters of its own, as the page does, or with the same ones in `login_hint`, for example
 * `tenant=acme&subject=ada&role=viewer`.
 */
export function personOf(parameters: URLSearchParams): Person | undefined {
  const given = new URLSearchParams(parameters.get('login_hint') ?? parameters);
  const [tenant, subject] = [given.get('tenant'), given.get('subject')];
  if (!tenant || !subject) return undefined;
  const granted = given.has('granted') ? given.getAll('granted') : apiScopes;
  return { tenant, subject, roles: given.getAll('role'), granted };
}

/** Returns the scopes of the API that a request asks for: all when it names none. */
export function requestedScopes(scope: string | null | undefined): readonly string[] {
  const asked = (scope ?? '').split(' ');
  const ofApi = apiScopes.filter((one) => asked.includes(one));
  return ofApi.length > 0 ? ofApi : apiScopes;
}

/** Returns the scopes of a token: those that the request asks for, the person grants and the person's roles allow. */
export function scopesOf({ granted, roles }: Person, requested: readonly string[]): readonly string[] {
  const denied = new Set(deniedScopes(requested, roles, false));
  return requested.filter((scope) => granted.includes(scope) && !denied.has(scope));
}
