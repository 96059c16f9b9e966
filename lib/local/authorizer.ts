/**
 * The JWT authorizer of an API Gateway HTTP API.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html
 */
import { STATUS_CODES } from 'node:http';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { findKeys } from './issuer.ts';

export interface Authentication {
  /** The claim `iss`. The keys are found by `/.well-known/openid-configuration` of this URL. */
  readonly issuer: string;
  /** Accepted values of `aud`, or of `client_id` in tokens without `aud`. */
  readonly audience: readonly string[];
  /** Whether it is the issuer for development, which gives a token to each program and page of this machine. */
  readonly isLocal?: boolean | undefined;
}

/** Content of `requestContext.authorizer.jwt`. */
export interface JwtContext {
  readonly claims: Record<string, string>;
  readonly scopes: string[];
}

/** Returns the response that API Gateway sends itself. */
export const gatewayError = (
  statusCode: number,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ message: STATUS_CODES[statusCode] }),
});

export class AuthorizationError extends Error {
  readonly response: APIGatewayProxyStructuredResultV2;

  constructor(statusCode: 401 | 403, challenge: string, cause?: unknown) {
    super(challenge, { cause });
    this.response = gatewayError(statusCode, { 'www-authenticate': challenge });
  }
}

/** Timeout of a request to the issuer. After it, the authorizer rejects the token. */
const maxLookupMs = 1_500;

/** The algorithms that API Gateway supports. */
const algorithms = ['RS256', 'RS384', 'RS512'];

/** Returns a claim in the format of API Gateway: all claims are text, and arrays are in brackets. */
function claimText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(claimText).join(' ')}]`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const scopesOf = ({ scope, scp = scope }: JWTPayload): string[] =>
  Array.isArray(scp) ? scp.map(String) : typeof scp === 'string' ? scp.split(' ') : [];

export const jwtContext = (payload: JWTPayload, scopes: readonly string[]): JwtContext => ({
  claims: Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, claimText(value)])),
  scopes: [...scopes],
});

const hasAudience = (audience: readonly string[], { aud, client_id: clientId }: JWTPayload): boolean =>
  [aud ?? clientId].flat().some((one) => typeof one === 'string' && audience.includes(one));

export class Authorizer {
  readonly #authentication: Authentication;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  constructor(authentication: Authentication) {
    this.#authentication = authentication;
  }

  /** Returns the keys of the issuer. The first token loads them; a failed load is repeated for the next token. */
  #issuerKeys(): Promise<JWTVerifyGetKey> {
    const load = async (): Promise<JWTVerifyGetKey> => {
      const keys = await findKeys(this.#authentication.issuer, maxLookupMs);
      return createRemoteJWKSet(keys, { timeoutDuration: maxLookupMs });
    };
    this.#keys ??= load().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  /** Returns the claims of a token. @throws Error when it is invalid. */
  async verify(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.#authentication;
    const { payload, protectedHeader } = await jwtVerify(token, await this.#issuerKeys(), {
      issuer,
      algorithms,
      requiredClaims: ['exp'],
    });
    if (!protectedHeader.kid) throw new Error('The token has no key id.');
    if (!hasAudience(audience, payload)) throw new Error('The token has another audience.');
    if ((payload.iat ?? 0) > Date.now() / 1_000) throw new Error('The token was issued in the future.');
    return payload;
  }

  /** @throws AuthorizationError when the token is invalid, or has none of the scopes. */
  async authorize(header: string | undefined, scopes: readonly string[]): Promise<JwtContext> {
    const token = /^(?:Bearer )?([^\s,]+)$/i.exec(header ?? '')?.[1];
    if (!token) throw new AuthorizationError(401, 'Bearer');
    const scope = `scope="${scopes.join(' ')}"`;
    const payload = await this.verify(token).catch((cause: unknown) => {
      throw new AuthorizationError(401, `Bearer ${scope} error="invalid_token"`, cause);
    });
    const granted = scopesOf(payload);
    if (scopes.length > 0 && !scopes.some((one) => granted.includes(one))) {
      throw new AuthorizationError(403, `Bearer ${scope} error="insufficient_scope"`);
    }
    return jwtContext(payload, scopes);
  }
}
