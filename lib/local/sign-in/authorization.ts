/**
 * Authorization requests and codes of the local issuer: authorization code with PKCE, for public clients on this machine.
 * @see https://www.rfc-editor.org/rfc/rfc9700 OAuth 2.0 security best current practice
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { deniedScopes } from '../../../functions/authentication/roles.ts';
import { scopeOf } from '../../../functions/contract/contract.ts';
import { routes } from '../../../functions/routes.ts';

/** The scopes of the API. */
export const apiScopes: readonly string[] = [
  ...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? [])),
].sort();

/** Why a request is refused: an error code of RFC 6749, and a text for the developer. */
export class OAuthError extends Error {
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }
}

/** The parameters of an authorization request that the form sends again. */
const kept = [
  'client_id',
  'redirect_uri',
  'response_type',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'state',
  'nonce',
] as const;

/** Returns whether an address is on this machine: a page or program of another one must not get a code. */
export function isLoopbackUri(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isPlain = username === '' && password === '' && hash === '';
  return isPlain && /^https?:$/.test(protocol) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  /** The requested scopes of the API: all when the request names none. */
  readonly scopes: readonly string[];
  readonly isOpenId: boolean;
  /** The parameters as they were sent. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** @throws OAuthError that must not be sent to the redirect address, because that is missing or not allowed. */
export function readRedirectUri(parameters: URLSearchParams): string {
  const redirectUri = parameters.get('redirect_uri') ?? '';
  if (isLoopbackUri(redirectUri)) return redirectUri;
  throw new OAuthError(
    'invalid_request',
    'redirect_uri must be an address of this machine, for example http://localhost:5173/callback.',
  );
}

/** @throws OAuthError that can be sent to the redirect address. */
export function readAuthorizationRequest(parameters: URLSearchParams): AuthorizationRequest {
  const text = (name: string): string => parameters.get(name) ?? '';
  if (text('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  }
  if (text('client_id') === '')
    throw new OAuthError('invalid_request', 'client_id is missing. Any text is accepted.');
  // 256 bits in base64url (RFC 7636, 4.2).
  if (text('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(text('code_challenge'))) {
    throw new OAuthError(
      'invalid_request',
      'PKCE is required: code_challenge with code_challenge_method=S256.',
    );
  }
  const requested = text('scope').split(' ').filter(Boolean);
  const ofApi = apiScopes.filter((scope) => requested.includes(scope));
  return {
    clientId: text('client_id'),
    redirectUri: readRedirectUri(parameters),
    challenge: text('code_challenge'),
    state: parameters.get('state') ?? undefined,
    nonce: parameters.get('nonce') ?? undefined,
    scopes: ofApi.length > 0 ? ofApi : apiScopes,
    isOpenId: requested.includes('openid'),
    parameters: new Map(kept.flatMap((name) => (parameters.has(name) ? [[name, text(name)] as const] : []))),
  };
}

/** Who signs in, as the form says. */
export interface Grant {
  readonly request: AuthorizationRequest;
  readonly tenant: string;
  readonly subject: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

/** @throws OAuthError when the form lacks the tenant or the subject. */
export function readGrant(request: AuthorizationRequest, form: URLSearchParams): Grant {
  const [tenant, subject] = [form.get('tenant') ?? '', form.get('subject') ?? ''];
  if (tenant === '' || subject === '')
    throw new OAuthError('access_denied', 'tenant and subject are required.');
  const roles = form.getAll('role');
  const granted = form.getAll('granted');
  const denied = new Set(deniedScopes(request.scopes, roles, false));
  const scopes = request.scopes.filter((scope) => granted.includes(scope) && !denied.has(scope));
  return { request, tenant, subject, roles, scopes };
}

/** Milliseconds for which a code is valid, and codes that are kept at once. */
const maxCodeMs = 60_000;
const maxCodes = 1_000;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Codes that were issued and not used yet. Each is valid once. */
export class Codes {
  readonly #grants = new Map<string, { readonly grant: Grant; readonly expiresAt: number }>();

  issue(grant: Grant): string {
    if (this.#grants.size >= maxCodes) this.#grants.clear();
    const code = randomBytes(32).toString('base64url');
    this.#grants.set(code, { grant, expiresAt: Date.now() + maxCodeMs });
    return code;
  }

  /** Returns the grant of a code, which is then used. @throws OAuthError when the token request does not belong to it. */
  redeem(form: URLSearchParams): Grant {
    const text = (name: string): string => form.get(name) ?? '';
    if (text('grant_type') !== 'authorization_code') {
      throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code.');
    }
    const found = this.#grants.get(text('code'));
    this.#grants.delete(text('code'));
    if (!found || found.expiresAt < Date.now()) {
      throw new OAuthError('invalid_grant', 'The code is unknown, used or older than a minute.');
    }
    const { request } = found.grant;
    if (text('redirect_uri') !== request.redirectUri || text('client_id') !== request.clientId) {
      throw new OAuthError(
        'invalid_grant',
        'redirect_uri and client_id must be those of the authorization request.',
      );
    }
    const expected = Buffer.from(request.challenge, 'base64url');
    const actual = digest(text('code_verifier'));
    if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) {
      throw new OAuthError('invalid_grant', 'code_verifier does not match code_challenge.');
    }
    return found.grant;
  }
}
