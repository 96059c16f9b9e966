/**
 * An OpenID issuer for development, beside the local service (`npm start -- --sign-in`). Whoever reaches it chooses who they are. So it listens
 * on this machine only, sends codes only to addresses of this machine, and refuses the pages of other sites. No flag changes that.
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readStream } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { allowedOrigin, localOrigins } from '../../hosting/cors.ts';
import { newRequestId } from '../lambda-event.ts';
import { refusalOf, refusalResponse } from '../own-requests.ts';
import { loopback } from '../port.ts';
import {
  type AuthorizationRequest,
  apiScopes,
  Codes,
  type Grant,
  OAuthError,
  readAuthorizationRequest,
  readGrant,
  readRedirectUri,
} from './authorization.ts';
import { pageHeaders, signInPage } from './page.ts';

/** The claim `aud` of its access tokens. */
export const localAudience = 'project-management-local';

export interface SignInIssuer {
  /** The claim `iss`, and the address of its configuration. */
  readonly url: string;
  stop(): Promise<void>;
}

const algorithm = 'RS256';
const keyId = 'local';

/** Seconds for which a token is valid. */
const lifetimeSeconds = 3_600;

const maxFormBytes = 16_384;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const json = (status: number, value: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});

const plain = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body,
});

/** Returns the redirect to the client with a code or an error. */
function redirect(uri: string, parameters: Readonly<Record<string, string | undefined>>): Answer {
  const location = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) location.searchParams.set(name, value);
  }
  return { status: 303, headers: { location: location.href, 'cache-control': 'no-store' } };
}

/** @throws OAuthError for a body that is no form, or a large one. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const { 'content-length': length, 'content-type': type = '' } = request.headers;
  const isForm = type.startsWith('application/x-www-form-urlencoded');
  if (!isForm || length === undefined || Number(length) > maxFormBytes) {
    throw new OAuthError('invalid_request', 'The body must be a form of at most 16 KB, with its length.');
  }
  return new URLSearchParams(await readStream(request));
}

class Issuer {
  readonly #codes = new Codes();
  readonly #keys: Awaited<ReturnType<typeof generateKeyPair>>;
  #url = '';

  constructor(keys: Awaited<ReturnType<typeof generateKeyPair>>) {
    this.#keys = keys;
  }

  async start(port: number): Promise<SignInIssuer> {
    const server = createServer((request, response) => {
      this.#respond(request, response).catch((error: unknown) => {
        console.error(error);
        response.destroy();
      });
    });
    server.listen(port, loopback);
    await once(server, 'listening');
    this.#url = `http://localhost:${(server.address() as AddressInfo).port}`;
    return {
      url: this.#url,
      stop: async () => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      },
    };
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, {});
    const answer = refusal
      ? // The flags of the gateway do not concern the issuer.
        this.#refused(
          refusalResponse({ ...refusal, flag: undefined }, { path: '/', requestId: newRequestId() }),
        )
      : await this.#answer(request);
    const { origin } = request.headers;
    const allowed = origin && allowedOrigin(localOrigins, origin);
    response.writeHead(answer.status, {
      vary: 'Origin',
      ...answer.headers,
      ...(allowed && { 'access-control-allow-origin': allowed }),
    });
    response.end(request.method === 'HEAD' ? undefined : answer.body);
  }

  #refused({ statusCode = 403, headers, body = '' }: ReturnType<typeof refusalResponse>): Answer {
    return { status: statusCode, headers: headers as Record<string, string>, body };
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const target = request.url ?? '/';
    if (!URL.canParse(target, this.#url)) return plain(400, 'The path is not valid.');
    const { pathname, searchParams } = new URL(target, this.#url);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    switch (`${method} ${pathname}`) {
      case 'GET /.well-known/openid-configuration':
        return json(200, this.#configuration());
      case 'GET /keys':
        return json(200, { keys: [await this.#publicKey()] });
      case 'GET /authorize':
        return this.#authorize(searchParams, ({ redirectUri, parameters, scopes }) => ({
          status: 200,
          headers: pageHeaders(redirectUri),
          body: signInPage(parameters, scopes),
        }));
      case 'POST /authorize':
        return this.#signIn(request);
      case 'POST /token':
        return this.#token(request);
      case 'OPTIONS /token':
        return {
          status: 204,
          headers: { 'access-control-allow-methods': 'POST', 'access-control-allow-headers': 'content-type' },
        };
      default:
        return plain(404, 'Not found. The configuration is at /.well-known/openid-configuration.');
    }
  }

  #configuration(): object {
    return {
      issuer: this.#url,
      authorization_endpoint: `${this.#url}/authorize`,
      token_endpoint: `${this.#url}/token`,
      jwks_uri: `${this.#url}/keys`,
      scopes_supported: ['openid', ...apiScopes],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [algorithm],
      authorization_response_iss_parameter_supported: true,
    };
  }

  async #publicKey(): Promise<object> {
    return { ...(await exportJWK(this.#keys.publicKey)), kid: keyId, alg: algorithm, use: 'sig' };
  }

  /** Handles an authorization request. Its mistakes go to the client, unless its address is the mistake (RFC 6749, 4.1.2.1). */
  #authorize(parameters: URLSearchParams, run: (request: AuthorizationRequest) => Answer): Answer {
    let redirectUri: string;
    try {
      redirectUri = readRedirectUri(parameters);
    } catch (error) {
      return plain(400, (error as Error).message);
    }
    try {
      return run(readAuthorizationRequest(parameters));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const { code, message } = error;
      const state = parameters.get('state') ?? undefined;
      return redirect(redirectUri, { error: code, error_description: message, state, iss: this.#url });
    }
  }

  async #signIn(request: IncomingMessage): Promise<Answer> {
    try {
      const form = await readForm(request);
      return this.#authorize(form, (asked) => {
        const code = this.#codes.issue(readGrant(asked, form));
        return redirect(asked.redirectUri, { code, state: asked.state, iss: this.#url });
      });
    } catch (error) {
      if (error instanceof OAuthError) return plain(400, error.message);
      throw error;
    }
  }

  async #token(request: IncomingMessage): Promise<Answer> {
    try {
      return json(200, await this.#tokens(this.#codes.redeem(await readForm(request))));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return json(400, { error: error.code, error_description: error.message });
    }
  }

  async #tokens({ request, tenant, subject, roles, scopes }: Grant): Promise<object> {
    const scope = [...(request.isOpenId ? ['openid'] : []), ...scopes].join(' ');
    const access = {
      aud: localAudience,
      client_id: request.clientId,
      tenant,
      scope,
      ...(roles.length > 0 && { 'cognito:groups': [...roles] }),
      jti: randomUUID(),
    };
    const identity = { aud: request.clientId, ...(request.nonce !== undefined && { nonce: request.nonce }) };
    return {
      access_token: await this.#sign(subject, access),
      ...(request.isOpenId && { id_token: await this.#sign(subject, identity) }),
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      scope,
    };
  }

  #sign(subject: string, claims: JWTPayload): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ iss: this.#url, sub: subject, iat: now, exp: now + lifetimeSeconds, ...claims })
      .setProtectedHeader({ alg: algorithm, kid: keyId, typ: 'JWT' })
      .sign(this.#keys.privateKey);
  }
}

/**
 * Starts the issuer. Its keys are new, so tokens of an earlier start are no longer valid.
 * @param port 0 selects any free port.
 * @throws Error with the code EADDRINUSE when the port is taken.
 */
export async function startSignIn(port: number): Promise<SignInIssuer> {
  return new Issuer(await generateKeyPair(algorithm, { extractable: true })).start(port);
}
