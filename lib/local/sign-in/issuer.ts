/**
 * An OpenID issuer for development, beside the local service (`npm start -- --sign-in`). Whoever reaches it chooses who they are. So it listens
 * on this machine only, sends browsers and codes only to addresses and apps of this machine, and refuses the pages of other sites. No flag changes that.
 */
import { AssertionError } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type MutableRedirectUri,
  type MutableResponse,
  type MutableToken,
  OAuth2Issuer,
  OAuth2Service,
  type TokenRequestIncomingMessage,
} from 'oauth2-mock-server';
import { closerOf } from '../close-server.ts';
import { newRequestId, splitTarget } from '../lambda-event.ts';
import { refusalOf, refusalResponse } from '../own-requests.ts';
import { loopback } from '../port.ts';
import { pageHeaders, signInPage } from './page.ts';
import { type Person, personOf, requestedScopes, scopesOf } from './person.ts';
import { RefreshTokens } from './refresh-tokens.ts';

const audience = 'project-management-local';

export interface SignInIssuer {
  /** The claim `iss`, and the address of its configuration. */
  readonly url: string;
  /** The claim `aud` of its access tokens. */
  readonly audience: string;
  stop(): Promise<void>;
}

interface Grant {
  readonly person: Person;
  readonly scope: string;
  /** Of the authorization request. A program that gets a token without a page has none. */
  readonly redirectUri?: string;
}

/** Codes that are kept at once. */
const maxCodes = 1_000;

/** @throws AssertionError for which the library responds with the status 400. */
function refuse(message: string): never {
  throw new AssertionError({ message });
}

/** Returns whether an address is on this machine: a page or program of another one must not get a code. */
function isLoopbackUri(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isPlain = username === '' && password === '' && hash === '';
  return isPlain && /^https?:$/.test(protocol) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Returns whether an address opens an app of this device: its scheme is a domain name in reverse order (RFC 8252, section 7.1), or that of Expo. */
const opensApp = (text: string): boolean =>
  /^(?:[a-z][a-z\d-]*(?:\.[a-z\d-]+)+:\/|exp:\/\/)[^#]*$/i.test(text);

function requireAuthorizationRequest(parameters: URLSearchParams): void {
  const redirectUri = parameters.get('redirect_uri') ?? '';
  if (!isLoopbackUri(redirectUri) && !opensApp(redirectUri))
    refuse(
      'redirect_uri must be an address of this machine, for example http://localhost:5173/callback, or of an app, for example com.example.app:/callback.',
    );
  if (parameters.get('code_challenge_method') !== 'S256' || !parameters.get('code_challenge'))
    refuse('PKCE is required: code_challenge with code_challenge_method=S256.');
}

const parametersOf = ({ url = '/' }: IncomingMessage): URLSearchParams =>
  new URLSearchParams(splitTarget(url).rawQueryString);

/** Lets a service issue codes and tokens for the person that a request names. */
function issueFor(service: OAuth2Service, now: () => number): void {
  const grants = new Map<string, Grant>();
  const refreshTokens = new RefreshTokens<Grant>(now);
  const grantOf = ({ body }: TokenRequestIncomingMessage): Grant | undefined => {
    const form = new URLSearchParams(body as unknown as Record<string, string>);
    if (body.grant_type === 'refresh_token') return refreshTokens.find(form.get('refresh_token') ?? '');
    if (body.grant_type === 'client_credentials') {
      const person = personOf(form) ?? refuse('login_hint must name tenant and subject.');
      return { person, scope: scopesOf(person, requestedScopes(body.scope)).join(' ') };
    }
    const grant = grants.get(body.code ?? '') ?? refuse('The code is unknown or used.');
    if (form.get('redirect_uri') !== grant.redirectUri)
      refuse('redirect_uri must be that of the authorization request.');
    if (!body.code_verifier) refuse('code_verifier is missing.');
    return grant;
  };
  service.on('beforeAuthorizeRedirect', ({ url }: MutableRedirectUri, request: IncomingMessage) => {
    const parameters = parametersOf(request);
    requireAuthorizationRequest(parameters);
    const person = personOf(parameters) ?? refuse('login_hint must name tenant and subject.');
    const scopes = scopesOf(person, requestedScopes(parameters.get('scope')));
    const isOpenId = parameters.get('scope')?.split(' ').includes('openid');
    if (grants.size >= maxCodes) grants.clear();
    grants.set(url.searchParams.get('code') ?? '', {
      person,
      scope: [...(isOpenId ? ['openid'] : []), ...scopes].join(' '),
      redirectUri: parameters.get('redirect_uri') ?? '',
    });
  });
  service.on('beforeTokenSigning', ({ payload }: MutableToken, request: TokenRequestIncomingMessage) => {
    const grant = grantOf(request);
    // The library has no other way to refuse a grant than in its response, after it has signed a token.
    if (!grant) return;
    const { person, scope } = grant;
    const { tenant, subject: sub, roles } = person;
    // Only an identity token has an audience by now, the client, unless a program asks for one.
    const isIdentity = request.body.grant_type !== 'client_credentials' && 'aud' in payload;
    const access = {
      aud: audience,
      client_id: request.body.client_id ?? 'local',
      tenant,
      scope,
      ...(roles.length > 0 && { 'cognito:groups': [...roles] }),
      jti: randomUUID(),
    };
    Object.assign(payload, { sub }, isIdentity ? {} : access);
  });
  service.on('beforeResponse', (response: MutableResponse, request: TokenRequestIncomingMessage) => {
    if (response.body === '') return;
    const grant = grantOf(request);
    if (!grant) {
      Object.assign(response, { statusCode: 400, body: { error: 'invalid_grant' } });
      return;
    }
    response.body['scope'] = grant.scope;
    if ('refresh_token' in response.body) response.body['refresh_token'] = refreshTokens.issue(grant);
    refreshTokens.use(String((request.body as unknown as Record<string, unknown>)['refresh_token']));
    grants.delete(request.body.code ?? '');
  });
}

function refuseRequest(response: ServerResponse, message: string): void {
  response.writeHead(400, { 'content-type': 'text/plain' }).end(message);
}

/** Sends the page on which a person signs in, or says what is wrong with the request. */
function showPage(parameters: URLSearchParams, response: ServerResponse): void {
  try {
    requireAuthorizationRequest(parameters);
    const scopes = requestedScopes(parameters.get('scope'));
    response.writeHead(200, pageHeaders(parameters.get('redirect_uri') ?? ''));
    response.end(signInPage(parameters, scopes));
  } catch (error) {
    refuseRequest(response, (error as Error).message);
  }
}

/** Returns the configuration of what the issuer does. That of the library has more: user information of a fixed subject, and grants that are refused. */
const configurationOf = (issuer: string): object => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  end_session_endpoint: `${issuer}/endsession`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  id_token_signing_alg_values_supported: ['RS256'],
  subject_types_supported: ['public'],
});

function respond(service: OAuth2Service, request: IncomingMessage, response: ServerResponse): void {
  // A page whose clock is wrong corrects it.
  response.setHeader('access-control-expose-headers', 'Date');
  // Pages of other sites may not even read: the library allows it to all, and the address of a response can have a code.
  const { headers: sent, rawHeaders } = request;
  const refusal = refusalOf({ method: 'POST', headers: sent, rawHeaders }, {});
  if (refusal) {
    const {
      statusCode = 403,
      headers,
      body,
    } = refusalResponse(
      // The flags of the gateway do not concern the issuer.
      { ...refusal, flag: undefined },
      { path: '/', requestId: newRequestId() },
    );
    response.writeHead(statusCode, headers as Record<string, string>).end(body);
    return;
  }
  const path = splitTarget(request.url ?? '/')
    .path.toLowerCase()
    .replace(/\/$/, '');
  const parameters = parametersOf(request);
  const signOutUri = parameters.get('post_logout_redirect_uri');
  if (signOutUri !== null && !isLoopbackUri(signOutUri))
    refuseRequest(response, 'post_logout_redirect_uri must be an address of this machine.');
  else if (['/userinfo', '/introspect', '/revoke'].includes(path)) response.writeHead(404).end();
  else if (path === '/.well-known/openid-configuration' && request.method === 'GET') {
    const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*' };
    response.writeHead(200, headers).end(JSON.stringify(configurationOf(service.issuer.url ?? '')));
  } else if (path === '' && request.method === 'GET')
    response
      .writeHead(200, { 'content-type': 'text/plain' })
      .end(
        'This issues tokens for development. An app sends its user to /authorize, and "npx pm-api token local" prints a token: docs/guides/authentication.md.\n',
      );
  else if (path === '/authorize' && !personOf(parameters)) showPage(parameters, response);
  else service.requestHandler(request, response);
}

/** Adds the key in a file, or a new one, which the file then has. */
async function addKey({ keys }: OAuth2Issuer, file: string | undefined): Promise<void> {
  if (file !== undefined && existsSync(file)) {
    await keys.add(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>);
    return;
  }
  await keys.generate('RS256');
  if (file !== undefined) writeFileSync(file, JSON.stringify(keys.toJSON(true)[0]), { mode: 0o600 });
}

/**
 * Starts the issuer.
 * @param port 0 selects any free port.
 * @param keyFile has the key of the issuer, so that tokens stay valid when it starts again. Default: the key is new.
 * @param now the time that ends used refresh tokens, in milliseconds.
 * @throws Error with the code EADDRINUSE when the port is taken.
 */
export async function startSignIn(port: number, keyFile?: string, now = Date.now): Promise<SignInIssuer> {
  const issuer = new OAuth2Issuer();
  await addKey(issuer, keyFile);
  const service = new OAuth2Service(issuer);
  issueFor(service, now);
  const server = createServer((request, response) => respond(service, request, response));
  const stop = closerOf(server);
  server.listen(port, loopback);
  await once(server, 'listening');
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  issuer.url = url;
  return { url, audience, stop };
}
